import { DecodeError } from '../errors.ts'
import { ends } from './bounds.ts'

/**
 * A u64 that a chain bounds (a height, an epoch) as a column of type BIGINT holds it. Throws `DecodeError` above 2^53,
 * which no chain accepts there; `path` names the field.
 */
export function boundedNumber(value: bigint, path: string): number {
  if (value >= ends.count) throw new DecodeError(`${path} is ${value}: no chain is that high.`, { details: { path } })
  return Number(value)
}

/** An unsigned integer as a column of type DECIMAL(38,0) holds it; null without one, and when it has more digits. */
export function decimalOrNull(value: bigint | null): bigint | null {
  return value !== null && value < ends.decimal38 ? value : null
}

/** The same as text, which is exact at any size. */
export function textOrNull(value: bigint | null): string | null {
  return value === null ? null : value.toString()
}
