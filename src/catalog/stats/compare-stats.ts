import { CatalogError } from '../../errors.ts'

/**
 * Compares two bounds in the order of their type: numbers as numbers, times as times, everything else by UTF-8 bytes. For the
 * hexadecimal text of a blob this is the order of its bytes. The texts have the form that DuckLake writes.
 */
export function compareBounds(type: string, a: string, b: string): number {
  if (type === 'int64' || type.startsWith('decimal')) return compare(BigInt(a), BigInt(b))
  if (type === 'float64') return compare(Number(a), Number(b))
  if (type === 'timestamptz') return compare(microseconds(a), microseconds(b))
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function compare<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Microseconds since 1970 of a text such as `2024-01-15 12:30:00.123456+00`; years may have more than four digits. */
function microseconds(text: string): bigint {
  const match = /^(\d{4,6})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\+00(?::00)?( \(BC\))?$/.exec(text)
  if (match === null)
    throw new CatalogError('A statistic of a time column is not a valid time.', {
      code: 'catalog.statistics',
      details: { value: text },
    })
  const [, year, month, day, hour, minute, second, fraction = '', beforeChrist] = match
  // Only the order matters, so all months may have 31 days.
  const years = beforeChrist === undefined ? Number(year) : 1 - Number(year)
  const days = BigInt((years * 12 + Number(month)) * 31 + Number(day))
  const seconds = ((days * 24n + BigInt(hour ?? 0)) * 60n + BigInt(minute ?? 0)) * 60n + BigInt(second ?? 0)
  return seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
}
