import { items, type Reading, raw, required, statedPath, wrong } from './fields.ts'
import { complaintOf, type Kind, kinds } from './kinds.ts'

/**
 * Returns readers of fields of one kind: a required value, an optional value that may be missing or empty, and a list. If a field has two
 * names, errors use the first, and `other` is tried second.
 */
function ofKind<V>(kind: Kind<V>) {
  const optional = (at: Reading, name: string, other?: string): V | null => {
    const value = raw(at, name, other)
    if (value === undefined || (value === '' && kind.takesEmpty !== true)) return null
    const found = kind.read(value)
    if (found === null) throw wrong(statedPath(at, name, other), complaintOf(kind, value), value)
    return found
  }
  const needed = (at: Reading, name: string, other?: string): V => {
    const found = optional(at, name, other)
    if (found === null && raw(at, name, other) === '') throw wrong(statedPath(at, name, other), 'is empty', '')
    return required(found, at, name, other)
  }
  const optionalList = (at: Reading, name: string): V[] | null => items(at, name, kind)
  const list = (at: Reading, name: string): V[] => required(optionalList(at, name), at, name)
  return { needed, optional, list, optionalList }
}

/** Token of the next page. Null at the end of a list: the token is missing or empty. */
export function nextPageToken(at: Reading): string | null {
  return optionalText(at, 'nextPageToken') || null
}

/** Addresses of an EVM chain, in lower case. */
export const { needed: address, optional: optionalAddress } = ofKind(kinds.address)
/** A count or position, as a JavaScript number. */
export const { needed: count, optional: optionalCount } = ofKind(kinds.count)
/** The exact decimal digits of a whole number of 256 bits, without leading zeros. */
export const { needed: digits, optional: optionalDigits } = ofKind(kinds.digits)
/** True or false. */
export const { needed: flag, optional: optionalFlag } = ofKind(kinds.flag)
/** A number of 0 or more that the service has rounded: prices, averages. */
export const { needed: fraction, optional: optionalFraction } = ofKind(kinds.fraction)
/** 32 bytes on an EVM chain, in lower case. */
export const { needed: hash } = ofKind(kinds.hash)
/** Bytes as text in lower case. A `0x` prefix is kept. */
export const { needed: hex, optional: optionalHex } = ofKind(kinds.hex)
/** Ids of 32 bytes of any object on the P-Chain, X-Chain or C-Chain. */
export const { needed: id, optional: optionalId, list: ids } = ofKind(kinds.id)
/** A whole number that fits a BIGINT column, such as gas. */
export const { optional: optionalInt64 } = ofKind(kinds.int64)
/** A time in microseconds, from Unix milliseconds. */
export const { optional: optionalMilliseconds } = ofKind(kinds.milliseconds)
/** Ids of nodes: `NodeID-…`. */
export const { needed: nodeId, optional: optionalNodeId } = ofKind(kinds.nodeId)
/** Addresses without chain prefix. */
export const { list: owners } = ofKind(kinds.owner)
/** A percentage from 0 to 100. */
export const { optional: optionalPercent } = ofKind(kinds.percent)
/** A time in microseconds, from Unix seconds. */
export const { needed: time, optional: optionalTime } = ofKind(kinds.seconds)
/** A text, or a number as the text that it was written as. */
export const { needed: text, optional: optionalText, list: texts, optionalList: optionalTexts } = ofKind(kinds.text)
/** A 32-bit count or position: indices of outputs, thresholds. */
export const { needed: u32 } = ofKind(kinds.u32)
/** A whole number of 64 bits: amounts in the least unit, weights, locktimes in Unix seconds. */
export const { needed: u64, optional: optionalU64 } = ofKind(kinds.u64)
/** An 8-bit count: decimal places of an asset. */
export const { needed: u8 } = ofKind(kinds.u8)
/** Words of the source itself, for a kind, a state or a currency. */
export const { needed: word, optional: optionalWord } = ofKind(kinds.word)

/** Unix seconds of a time in the years 1970 to 9999. */
export function seconds(at: Reading, name: string, other?: string): number {
  return Number(time(at, name, other) / 1_000_000n)
}
