import { decimalNumber, ends, signed64 } from '../bounds.ts'
import { pathOf, type Reading, raw, required, statedPath, wrong } from './fields.ts'

/** The exact decimal digits of a whole number of 256 bits, without leading zeros. */
export function digits(at: Reading, name: string): string {
  return required(optionalDigits(at, name), at, name)
}

/** The digits of a whole number of 256 bits; null if the field is missing. */
export function optionalDigits(at: Reading, name: string): string | null {
  const value = raw(at, name)
  // Fast path: a shorter number is below 2^256. Most numbers are.
  if (typeof value === 'string' && value.length < 78 && /^(0|[1-9]\d*)$/.test(value)) return value
  return wholeIn(at, name, undefined, 0n, ends.u256)?.toString() ?? null
}

/**
 * A whole number of 64 bits: amounts in the least unit, weights, locktimes in Unix seconds. Services write it as a number or as decimal
 * digits.
 */
export function u64(at: Reading, name: string, other?: string): bigint {
  return required(optionalU64(at, name, other), at, name, other)
}

/** A whole number of 64 bits; null if the field is missing. */
export function optionalU64(at: Reading, name: string, other?: string): bigint | null {
  return wholeIn(at, name, other, 0n, ends.u64)
}

/** A sum of 64-bit amounts. */
export function sum(at: Reading, name: string): bigint {
  return required(wholeIn(at, name, undefined, 0n, ends.decimal38), at, name)
}

/** A difference of two 64-bit amounts. */
export function optionalDifference(at: Reading, name: string): bigint | null {
  return wholeIn(at, name, undefined, signed64.from, signed64.end)
}

/** A whole number that fits a BIGINT column, such as gas. */
export function optionalInt64(at: Reading, name: string): bigint | null {
  return wholeIn(at, name, undefined, 0n, ends.int64)
}

/** A whole number from `from` to below `end`, exactly. */
export function optionalWhole(
  at: Reading,
  name: string,
  { from, end }: { readonly from: bigint; readonly end: bigint },
): bigint | null {
  return wholeIn(at, name, undefined, from, end)
}

function wholeIn(at: Reading, name: string, other: string | undefined, from: bigint, end: bigint): bigint | null {
  const value = raw(at, name, other)
  if (value === undefined || value === '') return null
  const whole = wholeOf(value)
  if (whole === null) throw wrong(statedPath(at, name, other), 'is no whole number', value)
  if (whole >= from && whole < end) return whole
  throw wrong(statedPath(at, name, other), whole < from ? `is below ${from}` : `is above ${end - 1n}`, value)
}

function wholeOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && /^-?\d{1,80}$/.test(value) ? BigInt(value) : null
}

/** A count or position, as a JavaScript number. */
export function count(at: Reading, name: string, other?: string): number {
  return required(optionalCount(at, name, other), at, name, other)
}

/** A count or position; null if the field is missing. */
export function optionalCount(at: Reading, name: string, other?: string): number | null {
  return countBelow(ends.count, at, name, other)
}

/** A 32-bit count or position: indices of outputs, thresholds. */
export function u32(at: Reading, name: string): number {
  return required(optionalU32(at, name), at, name)
}

export function optionalU32(at: Reading, name: string): number | null {
  return countBelow(ends.u32, at, name)
}

/** An 8-bit count: decimal places of an asset. */
export function u8(at: Reading, name: string): number {
  return required(optionalU8(at, name), at, name)
}

export function optionalU8(at: Reading, name: string): number | null {
  return countBelow(ends.u8, at, name)
}

function countBelow(end: number, at: Reading, name: string, other?: string): number | null {
  const value = raw(at, name, other)
  if (value === undefined || value === '') return null
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= 0 && number < end) return number
  throw wrong(statedPath(at, name, other), `is no whole number of 0 to ${end - 1}`, value)
}

/** A number ≥ 0 that the service has rounded: prices, averages. */
export function fraction(at: Reading, name: string): number {
  return required(optionalFraction(at, name), at, name)
}

/** A rounded number ≥ 0; null if the field is missing. */
export function optionalFraction(at: Reading, name: string): number | null {
  return fractionUpTo(Number.MAX_VALUE, at, name)
}

/** A percentage from 0 to 100. */
export function optionalPercent(at: Reading, name: string): number | null {
  return fractionUpTo(100, at, name)
}

/** An angle of a place on the globe, from `-most` to `most` degrees. */
export function optionalDegrees(at: Reading, name: string, most: number): number | null {
  const value = raw(at, name)
  if (value === undefined || value === '') return null
  const number =
    typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
      ? Number(value)
      : Number.NaN
  if (number >= -most && number <= most) return number
  throw wrong(pathOf(at, name), `is no angle from -${most} to ${most} degrees`, value)
}

function fractionUpTo(most: number, at: Reading, name: string): number | null {
  const value = raw(at, name)
  if (value === undefined || value === '') return null
  const number =
    typeof value === 'number' ? value : typeof value === 'bigint' || isDecimal(value) ? Number(value) : Number.NaN
  if (number >= 0 && number <= most) return number
  throw wrong(pathOf(at, name), most === 100 ? 'is no percentage' : 'is no number of 0 or more', value)
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && decimalNumber.test(value)
}

/** A time in microseconds, from Unix seconds. */
export function time(at: Reading, name: string, other?: string): bigint {
  return required(optionalTime(at, name, other), at, name, other)
}

/** A time in microseconds, from Unix seconds; null if the field is missing. */
export function optionalTime(at: Reading, name: string, other?: string): bigint | null {
  const found = optionalSeconds(at, name, other)
  if (found === null) return null
  const microseconds = found * 1_000_000
  return Number.isSafeInteger(microseconds) ? BigInt(microseconds) : BigInt(found) * 1_000_000n
}

/** Unix seconds of a time in the years 1970 to 9999. */
export function seconds(at: Reading, name: string, other?: string): number {
  return required(optionalSeconds(at, name, other), at, name, other)
}

function optionalSeconds(at: Reading, name: string, other?: string): number | null {
  return countBelow(ends.seconds, at, name, other)
}

/** Unix milliseconds of a time in the years 1970 to 9999. */
export function optionalMilliseconds(at: Reading, name: string): number | null {
  return countBelow(ends.seconds * 1000, at, name)
}
