import { givenTimeNs } from './time.ts'

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, M: 1e6, B: 1e9 }

/**
 * The whole number of a text such as `1000000`, `1_000_000`, `12M` (million), `1.5k` or `2B` (billion); negative with a minus. Null for any
 * other text, and for a number that is not whole or that a number does not hold exactly.
 */
export function boundOf(text: string): number | null {
  const [, minus, whole = '', decimals = '', unit = ''] = /^(-?)(\d+(?:_\d+)*)(?:\.(\d+))?([kKMB]?)$/.exec(text) ?? []
  if (whole === '') return null
  // Exact: the digits as one whole number, then shifted.
  const digits = BigInt(whole.replaceAll('_', '') + decimals) * BigInt(units[unit] ?? 1)
  const shift = 10n ** BigInt(decimals.length)
  const value = Number(digits / shift)
  if (digits % shift !== 0n || !Number.isSafeInteger(value) || (minus === '-' && value === 0)) return null
  return minus === '-' ? -value : value
}

/** A bound of a range: a whole number, or a time as it is written. */
type Bound = number | string

/** The bound of a text: a whole number as `boundOf` reads it, or the text of a time (`givenTimeNs`). Null for any other text. */
export function boundOrTimeOf(text: string): Bound | null {
  return boundOf(text) ?? (givenTimeNs(text) === null ? null : text)
}

/**
 * The bounds of a text such as `A:B`, `A:` or `:B`; null for any other text. Times of day hold colons too. The text is divided at the only
 * colon that leaves a bound, or nothing, on both sides. A text that is one time, such as `2026-01-31T12:00:30`, is no range.
 */
export function rangeOf(text: string): { readonly from?: Bound; readonly to?: Bound } | null {
  if (text === ':' || boundOrTimeOf(text) !== null) return null
  const ranges = [...text.matchAll(/:/g)].flatMap(({ index }) => {
    const [from, to] = [text.slice(0, index), text.slice(index + 1)].map((bound) =>
      bound === '' ? undefined : boundOrTimeOf(bound),
    )
    if (from === null || to === null) return []
    return [{ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
  })
  return ranges.length === 1 ? ranges[0]! : null
}

/** Whether a range between two bounds may hold anything. Only the source knows how bounds of two kinds are ordered. */
export function mayBeOrdered(from: Bound, to: Bound): boolean {
  if (typeof from === 'string' && typeof to === 'string') return (givenTimeNs(from) ?? 0n) < (givenTimeNs(to) ?? 0n)
  if (typeof from === 'string' || typeof to === 'string') return true
  return from < 0 !== to < 0 || from < to
}
