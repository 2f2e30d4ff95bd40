import { rfc3339ToNs } from '../../lib/text/time.ts'
import { pathOf, type Reading, wrong } from '../json/fields.ts'
import { optionalText } from '../json/value-fields.ts'

/** Nanoseconds since 1970, from an RFC 3339 time. Go writes an unset time as one of the year 1, which becomes null. */
export function optionalNanoseconds(at: Reading, name: string): bigint | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const nanoseconds = rfc3339ToNs(text)
  if (nanoseconds === null) throw wrong(pathOf(at, name), 'is no RFC 3339 time', text)
  return text.startsWith('0001-') ? null : nanoseconds
}

/** Returns nanoseconds as microseconds, rounded down. */
export function microsecondsOf(nanoseconds: bigint): bigint {
  const rest = nanoseconds % 1000n
  return (nanoseconds - (rest < 0n ? rest + 1000n : rest)) / 1000n
}
