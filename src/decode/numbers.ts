import { DecodeError } from '../errors.ts'

/**
 * A u64 that a chain bounds (a height, an epoch) as a column of type BIGINT holds it. Throws `DecodeError` above 2^53,
 * which no chain accepts there; `path` names the field.
 */
export function boundedNumber(value: bigint, path: string): number {
  if (value > 9_007_199_254_740_991n)
    throw new DecodeError(`${path} is ${value}: no chain is that high.`, { details: { path } })
  return Number(value)
}

const first39Digits = 10n ** 38n

/** An unsigned integer as a column of type DECIMAL(38,0) holds it; null when it has more digits. */
export function decimalOrNull(value: bigint): bigint | null {
  return value < first39Digits ? value : null
}
