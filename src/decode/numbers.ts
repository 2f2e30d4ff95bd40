import { DecodeError } from '../errors.ts'
import { ends } from './bounds.ts'

/**
 * Returns a u64 that chains bound (a height, an epoch) for a column of type BIGINT. Throws `DecodeError` with `path` from 2^53 on; no chain
 * accepts such a value.
 */
export function boundedNumber(value: bigint, path: string): number {
  if (value >= ends.count) throw new DecodeError(`${path} is ${value}: no chain is that high.`, { details: { path } })
  return Number(value)
}

/** Returns an unsigned integer for a column of type DECIMAL(38,0); null if there is none or it has more digits. */
export function decimalOrNull(value: bigint | null): bigint | null {
  return value !== null && value < ends.decimal38 ? value : null
}

/** Returns an integer for a column of type DECIMAL(38,0); null if it has more digits. */
export function signedDecimalOrNull(value: bigint): bigint | null {
  return value < ends.decimal38 && value > -ends.decimal38 ? value : null
}

/** Returns an unsigned integer as text, which is exact at any size; null if there is none. */
export function textOrNull(value: bigint | null): string | null {
  return value === null ? null : value.toString()
}
