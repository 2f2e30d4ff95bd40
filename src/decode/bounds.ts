import { hasChecksum } from '../../codec/bech32.ts'
import { lowerHex } from './hex-text.ts'

/**
 * The values that each kind of field may hold, for all sources: REST services, nodes, EVM nodes. Columns are wider than the values of
 * chains (a u64 is stored as DECIMAL(20,0)), so decoders refuse values that no chain has.
 */

/** The lowest number that is too large. All ranges except `signed64` begin at 0. */
export const ends = {
  u8: 2 ** 8,
  u32: 2 ** 32,
  /** Heights, indices and counts: JavaScript numbers. */
  count: 2 ** 53,
  /** Range of a BIGINT column. */
  int64: 2n ** 63n,
  u64: 2n ** 64n,
  decimal38: 10n ** 38n,
  /** Wei and token amounts of an EVM chain. */
  u256: 2n ** 256n,
  /** Unix seconds: the year 10000. */
  seconds: 253_402_300_800,
} as const

/** A difference of two 64-bit amounts. */
export const signed64 = { from: -(2n ** 64n) + 1n, end: 2n ** 64n } as const

/** A kind of text. */
export type TextKind = {
  /** The complaint in errors about any other text. */
  readonly complaint: string
  /** Returns the text as tables store it, or null if it is not of this kind. */
  readonly read: (text: string) => string | null
}

const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/

/** An id and its checksum have 36 bytes. An id may begin with zeros; the id of the P-Chain consists of zeros. */
function isCb58Id(text: string): boolean {
  return text.length >= 36 && text.length <= 50 && base58.test(text)
}

/** An optional chain prefix, 20 bytes of an address with five bits per letter, and a checksum of six letters. */
const bech32 = /^(?:[0-9A-Za-z]+-)?([a-z][a-z0-9]*1[02-9ac-hj-np-z]{38})$/

export const id: TextKind = {
  complaint: 'is no id',
  read: (text) => (isCb58Id(text) ? text : lowerHex(text, 64)),
}

/** Services also name chains of the primary network by alias. */
export const chainId: TextKind = {
  complaint: 'is no id of a chain',
  read: (text) => (/^(?:[pxc]-chain|[PXC])$/.test(text) ? text : id.read(text)),
}

export const hash: TextKind = {
  complaint: 'is no hash of 32 bytes',
  read: (text) => lowerHex(text, 64),
}

export const evmAddress: TextKind = {
  complaint: 'is no address of 20 bytes',
  read: (text) => lowerHex(text, 40),
}

/** The owner of an output: bech32 without the chain prefix, or an EVM address. */
export const owner: TextKind = {
  complaint: 'is no address, or its checksum is wrong',
  read(text) {
    if (text.startsWith('0x')) return lowerHex(text, 40)
    const address = bech32.exec(text)?.[1]
    return address !== undefined && hasChecksum(address) ? address : null
  },
}

/** Returns an address as tables store it, without a check: bech32 without chain prefix, or 0x in lower case. */
export function bareAddress(address: string): string {
  if (address[1] === '-') return address.slice(2)
  return address.startsWith('0x') ? address.toLowerCase() : address
}

/** 20 bytes on the primary network, any length for a validator of an L1. */
export const nodeId: TextKind = {
  complaint: 'is no id of a node',
  read: (text) => (text.startsWith('NodeID-') && text.length > 12 && base58.test(text.slice(7)) ? text : null),
}

/** Bytes, with or without 0x. */
export const hexBytes: TextKind = {
  complaint: 'is no hexadecimal text',
  read: (text) => (/^(?:0x)?(?:[0-9a-f]{2})*$/i.test(text) ? text.toLowerCase() : null),
}

/** Bytes in base64 or as hexadecimal text. */
export const encodedBytes: TextKind = {
  complaint: 'is neither base64 nor hexadecimal text',
  read: (text) => (/^[0-9A-Za-z+/_-]+={0,2}$/.test(text) ? text : null),
}

/** A word of the source for a kind, a state or a currency. Names that users choose are any text. */
export const word: TextKind = {
  complaint: 'is no word',
  read: (text) => (/^[!-~](?:[ -~]*[!-~])?$/.test(text) ? text : null),
}

/** A token id: contracts use 256 bits. */
export const tokenId: TextKind = {
  complaint: 'is no whole number of 256 bits',
  read: (text) => (/^(?:\d{1,80}|0x[0-9a-f]{1,64})$/i.test(text) && BigInt(text) < ends.u256 ? text : null),
}

/** Decimal digits of a number ≥ 0, as JSON writes it. */
export const decimalNumber = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
