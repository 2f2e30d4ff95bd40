/**
 * Nanoseconds since 1970 UTC of an RFC 3339 time with 0 to 9 fraction digits and any zone, exactly; null when the text is not such a time.
 * Go writes such times in the local zone of the node.
 */
export function rfc3339ToNs(text: string): bigint | null {
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)]
  const days = daysSince1970(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2))
  const punctuated =
    text[4] === '-' && text[7] === '-' && (text[10] === 'T' || text[10] === 't') && text[13] === ':' && text[16] === ':'
  if (!punctuated || days === null || !(hour <= 23 && minute <= 59 && second <= 59)) return null
  let end = 19
  let fraction = 0
  if (text[end] === '.') {
    const length = digitsAt(text, ++end)
    if (length < 1 || length > 9) return null
    fraction = digits(text, end, length) * 10 ** (9 - length)
    end += length
  }
  const zone = zoneSeconds(text, end)
  if (zone === null) return null
  const seconds = days * 86_400 + hour * 3600 + minute * 60 + second - zone
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction)
}

/** Microseconds since 1970 UTC of a time in the text form of the catalog, such as `2024-01-15 12:30:00.123456+00`; null for other texts. */
export function catalogTimeMicros(text: string): bigint | null {
  const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00(?::00)?$/.exec(text) ?? []
  const ns = date === undefined ? null : rfc3339ToNs(`${date}T${time}Z`)
  return ns === null ? null : ns / 1000n
}

/** Whole seconds since 1970 UTC of an RFC 3339 time, rounded down; null when the text is not such a time. */
export function rfc3339ToSeconds(text: string): number | null {
  const ns = rfc3339ToNs(text)
  return ns === null ? null : wholeSeconds(ns)
}

/** Nanoseconds as whole seconds, rounded down. */
export function wholeSeconds(ns: bigint): number {
  const seconds = Number(ns / 1_000_000_000n)
  return ns % 1_000_000_000n < 0n ? seconds - 1 : seconds
}

/**
 * Nanoseconds since 1970 UTC of a time that a user gives: `2026-01-31`, `2026-01-31T12:00Z`, `2026-01-31 12:00:00+02:00`; null for any other
 * text. A date is its first moment, a text without seconds is the beginning of the minute, and a text without a zone is UTC.
 */
export function givenTimeNs(text: string): bigint | null {
  const [, date, minute = '00:00', second = ':00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  return date === undefined ? null : rfc3339ToNs(`${date}T${minute}${second}${zone}`)
}

/** Seconds that `Z`, `+hh:mm` or `-hh:mm` is ahead of UTC; null when the rest of the text is none of them. */
function zoneSeconds(text: string, at: number): number | null {
  const sign = text[at]
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : null
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text[at + 3] !== ':') return null
  const hours = digits(text, at + 1, 2)
  const minutes = digits(text, at + 4, 2)
  if (!(hours <= 23 && minutes <= 59)) return null
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
}

/** The number that `count` digits from position `at` on form; NaN when one of the characters is not a digit. */
function digits(text: string, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function digitsAt(text: string, at: number): number {
  let end = at
  while (end < text.length && !Number.isNaN(digits(text, end, 1))) end++
  return end - at
}

/** Null for a day that the month does not have. */
function daysSince1970(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  const ms = date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms / 86_400_000 : null
}

/**
 * The times that a TIMESTAMP column holds, in microseconds since 1970 UTC: the years 1 to 9999, which every reader of Parquet supports. For
 * a time outside them decoders write null, and keep the raw value in another column.
 */
export const earliestTime = -62_135_596_800_000_000n
export const latestTime = 253_402_300_799_999_999n

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
