import { rfc3339ToNs } from '../../lib/text/time.ts'
import { optionalObject, pathOf, type Reading, wrong } from '../json/fields.ts'
import { optionalText, optionalU64, owners, u32, u64 } from '../json/value-fields.ts'
import { timeOf } from '../times.ts'

/** Fields that only nodes have: times of staking, owners, shares in percent, times in nanoseconds. */

/** A time in microseconds, from Unix seconds. Throws `DecodeError` outside of the years 1 to 9999. */
export function stakingTime(at: Reading, name: string): bigint {
  return inTime(at, name, u64(at, name))
}

export function optionalStakingTime(at: Reading, name: string): bigint | null {
  const seconds = optionalU64(at, name)
  return seconds === null ? null : inTime(at, name, seconds)
}

function inTime(at: Reading, name: string, seconds: bigint): bigint {
  const time = timeOf(seconds)
  if (time === null) throw wrong(pathOf(at, name), 'is no time of the years 1 to 9999', seconds)
  return time
}

type OwnerCells<P extends string> = { [K in `${P}_threshold`]: bigint | null } & {
  [K in `${P}_locktime`]: bigint | null
} & { [K in `${P}_addresses`]: string[] | null }

/** Returns the three columns of an owner; nulls if the node names none. */
export function ownerCells<const P extends string>(at: Reading, name: string, prefix: P): OwnerCells<P> {
  const owner = optionalObject(at, name, (inner) => ({
    threshold: BigInt(u32(inner, 'threshold')),
    locktime: optionalU64(inner, 'locktime'),
    addresses: owners(inner, 'addresses'),
  }))
  return {
    [`${prefix}_threshold`]: owner?.threshold ?? null,
    [`${prefix}_locktime`]: owner?.locktime ?? null,
    [`${prefix}_addresses`]: owner?.addresses ?? null,
  } as unknown as OwnerCells<P>
}

const all = 1_000_000

/** A share in parts of 1,000,000. Nodes state it in percent with up to four decimal places. */
export function optionalShares(at: Reading, name: string): number | null {
  const percent = optionalText(at, name)
  if (percent === null) return null
  const [, units, decimals = ''] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(percent) ?? []
  const shares = Number(units + decimals.padEnd(4, '0'))
  if (shares <= all) return shares
  throw wrong(pathOf(at, name), 'is no percentage with up to four decimal places', percent)
}

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
