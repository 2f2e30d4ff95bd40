import type { PageAnswer, PageCell, PageColumn } from '../page-data.ts'

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
  return `${wholeText(whole)}${fraction === undefined ? '' : `.${fraction}`}`
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

/** Number of colours for series. The style declares one more, a grey for the series that stands for all others. */
export const ownColours = 6
const grey = ownColours + 1
/** The name of all series that have no colour of their own. */
export const others = 'others'

/** The names of the series of an answer and whether it has more: the largest by its first measure come first. */
export function seriesOf(answer: PageAnswer): { readonly own: readonly string[]; readonly rest: string | null } {
  const { picture, columns, rows } = answer
  if (!('values' in picture) || picture.series === undefined) return { own: [], rest: null }
  const [name, value] = [picture.series, picture.values[0]].map((column) =>
    columns.findIndex((each) => each.name === column),
  )
  const sums = new Map<string, number>()
  for (const row of rows) {
    const series = plainText(String(row[name ?? -1] ?? ''))
    sums.set(series, (sums.get(series) ?? 0) + Math.abs(Number(row[value ?? -1] ?? 0)))
  }
  const rest = picture.rest !== undefined && sums.delete(picture.rest) ? picture.rest : null
  const names = [...sums].sort((a, b) => b[1] - a[1]).map(([series]) => series)
  return { own: names.slice(0, ownColours), rest: names.length > ownColours ? others : rest }
}

/**
 * A colour number for each series of the page, counted from 1. A name has one colour wherever it appears, and names of one picture have
 * different colours as long as the earlier pictures allow it.
 */
export function assignColours(answers: readonly PageAnswer[]): Map<string, number> {
  const colours = new Map<string, number>()
  for (const answer of answers) {
    const { own, rest } = seriesOf(answer)
    if (rest !== null) colours.set(rest, grey)
    const used = new Set(own.map((name) => colours.get(name)))
    for (const name of own) {
      if (colours.has(name)) continue
      const free = Array.from({ length: ownColours }, (_, index) => index + 1).find((each) => !used.has(each))
      const colour = free ?? (colours.size % ownColours) + 1
      colours.set(name, colour)
      used.add(colour)
    }
  }
  return colours
}
