import type { PageCell, PageColumn } from '../data/page-data.ts'

/** A whole number of any size with its decimal point and commas: `1234567`, 3 → `1,234.567`. Exact. */
export function wholeText(digits: string, decimals = 0): string {
  const [, sign = '', plain = ''] = /^(-?)(\d+)$/.exec(digits) ?? []
  if (plain === '') return digits
  const padded = plain.padStart(decimals + 1, '0')
  const whole = padded.slice(0, padded.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = decimals === 0 ? '' : padded.slice(-decimals).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** A time as the page shows it: `2025-11-01 20:53:03`, with fractions of a second where it has them. */
export function timeText(text: string): string {
  return text
    .replace('T', ' ')
    .replace(/Z$/, '')
    .replace(/(\.\d*?)0*$/, '$1')
    .replace(/\.$/, '')
}

/** A cell as the table shows it. */
export function cellText(cell: PageCell, { kind }: PageColumn): string {
  if (cell === null) return ''
  if (kind.as === 'time') return timeText(String(cell))
  if (kind.as === 'whole') return wholeText(String(cell), kind.decimals)
  return typeof cell === 'number' ? numberText(cell) : String(cell)
}

/** A cell as a number for a picture; large values are rounded. */
export function cellNumber(cell: PageCell, { kind }: PageColumn): number {
  const value = Number(cell ?? 0)
  return kind.as === 'whole' && kind.decimals !== undefined ? value / 10 ** kind.decimals : value
}

function numberText(value: number): string {
  const [whole = '', fraction] = String(value).split('.')
  if (!/^-?\d+$/.test(whole)) return String(value)
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`
}

/** Characters that control text instead of being shown: control characters, and marks that change its direction. */
const steering = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** More marks on one letter than any script needs would reach into neighbouring lines. */
const heaped = /(\p{M}{2})\p{M}+/gu

/** Makes text from any source safe for a picture: on one line, in its own direction. */
export function plainText(text: string): string {
  return text.replace(steering, '\ufffd').replace(heaped, '$1')
}

/** At most `most` characters of a text, without its middle: ids differ at both ends. */
export function shortText(text: string, most: number): string {
  const characters = [...text]
  if (characters.length <= most) return text
  const tail = Math.floor((most - 1) / 3)
  return `${characters.slice(0, most - 1 - tail).join('')}…${characters.slice(characters.length - tail).join('')}`
}
