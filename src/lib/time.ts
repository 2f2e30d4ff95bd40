const daysToMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d\d):(\d\d))$/

/**
 * Nanoseconds since 1970 UTC of an RFC 3339 time with 0 to 9 fraction digits and any zone, exactly; null when the text
 * is none. Go writes such times in the local zone of the node.
 */
export function rfc3339ToNs(text: string): bigint | null {
  const parts = pattern.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second, fraction = '', , sign, zoneHour = '0', zoneMinute = '0'] = parts
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return null
  const days = daysSince1970(Number(year), Number(month), Number(day))
  if (days === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const local = days * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const seconds = sign === '-' ? local + offset : local - offset
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** Whole seconds since 1970 UTC of an RFC 3339 time, rounded down; null when the text is none. */
export function rfc3339ToSeconds(text: string): number | null {
  const ns = rfc3339ToNs(text)
  if (ns === null) return null
  const seconds = Number(ns / 1_000_000_000n)
  return ns % 1_000_000_000n < 0n ? seconds - 1 : seconds
}

function daysSince1970(year: number, month: number, day: number): number | null {
  const length = daysInMonth[month - 1]
  const before = daysToMonth[month - 1]
  if (length === undefined || before === undefined) return null
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  if (day < 1 || day > (month === 2 && leap ? 29 : length)) return null
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  const daysBeforeYear = past * 365 + leapDays - 719_162
  return daysBeforeYear + before + (month > 2 && leap ? 1 : 0) + day - 1
}
