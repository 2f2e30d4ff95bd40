const daysToMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

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

function daysSince1970(year: number, month: number, day: number): number | null {
  const length = daysInMonth[month - 1]
  const before = daysToMonth[month - 1]
  if (length === undefined || before === undefined) return null
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  if (!(year >= 0 && day >= 1) || day > (month === 2 && leap ? 29 : length)) return null
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  const daysBeforeYear = past * 365 + leapDays - 719_162
  return daysBeforeYear + before + (month > 2 && leap ? 1 : 0) + day - 1
}
