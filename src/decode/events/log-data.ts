import { word } from './abi-type.ts'

/** Why a log cannot be decoded: values of the column `reason` of `evm_event_failures`. */
type FailureReason =
  | 'short_data'
  | 'trailing_data'
  | 'dirty_padding'
  | 'invalid_utf8'
  | 'wrong_offset'
  | 'overlapping_data'

/** Thrown while a log is decoded, and caught there: such a log becomes a row of `evm_event_failures`. */
export class LogDataError extends Error {
  readonly reason: FailureReason
  /** Column of the parameter; null for the data as a whole. */
  readonly parameter: string | null
  constructor(reason: FailureReason, parameter: string | null = null) {
    super(reason)
    this.reason = reason
    this.parameter = parameter
  }
}

/** Bytes of a log, or of one of its topics. */
export type LogData = {
  readonly bytes: Buffer
  readonly view: DataView
  /**
   * Bytes that may still be read. Offsets may point anywhere, so a small log could describe gigabytes. Compilers write each value once, so
   * all values together are as long as the data at most.
   */
  left: number
}

export function logData(bytes: Uint8Array): LogData {
  const { buffer, byteOffset, length } = bytes
  return {
    bytes: Buffer.from(buffer, byteOffset, length),
    view: new DataView(buffer, byteOffset, length),
    left: length,
  }
}

/** Takes bytes at a place, and checks that they are there and that nothing else takes them. */
export function takeBytes(data: LogData, at: number, length: number): void {
  if (at + length > data.bytes.length) throw new LogDataError('short_data')
  data.left -= length
  if (data.left < 0) throw new LogDataError('overlapping_data')
}

/** Reads an offset or a length, which lies within the data. */
export function countAt({ bytes, view }: LogData, at: number): number {
  let above = 0
  for (let each = at; each < at + 24; each += 4) above |= view.getUint32(each)
  const value = view.getUint32(at + 24) * 2 ** 32 + view.getUint32(at + 28)
  if (above !== 0 || value > bytes.length) throw new LogDataError('wrong_offset')
  return value
}

/** Reads a word as an unsigned integer. Most words are zeros and one integer of 64 bits. */
export function unsignedAt({ view }: LogData, at: number): bigint {
  const low = view.getBigUint64(at + 24)
  const isLow = (view.getUint32(at) | view.getUint32(at + 4) | view.getUint32(at + 8) | view.getUint32(at + 12)) === 0
  if (isLow && view.getUint32(at + 16) === 0 && view.getUint32(at + 20) === 0) return low
  const middle = (view.getBigUint64(at + 16) << 64n) | low
  return isLow ? middle : (((view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8)) << 128n) | middle
}

/** Whether all bytes of `[from, to)` are zero. */
export function areZeros({ bytes }: LogData, from: number, to: number): boolean {
  let all = 0
  for (let at = from; at < to; at++) all |= bytes[at]!
  return all === 0
}

/** The length of bytes with their padding. */
export function padded(length: number): number {
  return Math.ceil(length / word) * word
}
