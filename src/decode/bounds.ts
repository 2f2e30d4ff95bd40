import { lowerHex } from './hex-text.ts'

/**
 * What each kind of field may hold, wherever it is read from: REST services, nodes, EVM nodes. Columns are wider than chains (a u64 lies in
 * a DECIMAL(20,0)), so what no chain has must be refused where it is read.
 */

/** The first number that is too large. All numbers but those that `signed64` bounds begin at 0. */
export const ends = {
  u8: 2 ** 8,
  u32: 2 ** 32,
  /** Heights, indices and counts: JavaScript numbers. */
  count: 2 ** 53,
  /** What a BIGINT holds. */
  int64: 2n ** 63n,
  u64: 2n ** 64n,
  decimal38: 10n ** 38n,
  /** Wei and token amounts of an EVM. */
  u256: 2n ** 256n,
  /** Unix seconds: the year 10000. */
  seconds: 253_402_300_800,
} as const

/** A change of an amount of 64 bits. */
export const signed64 = { from: -(2n ** 64n) + 1n, end: 2n ** 64n } as const

/** A kind of text. */
export type TextKind = {
  /** What the error says about a text of another kind. */
  readonly complaint: string
  /** The text as tables hold it; null for one that is none of this kind. */
  readonly read: (text: string) => string | null
}

const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/

/** 36 bytes are an id and its checksum. A chain may have ids that begin with zeros: the P chain's are nothing else. */
function isCb58Id(text: string): boolean {
  return text.length >= 36 && text.length <= 50 && base58.test(text)
}

/** The chain of an address, then its 20 bytes, five bits to a letter, and a checksum of six letters. */
const bech32 = /^(?:[0-9A-Za-z]+-)?([a-z][a-z0-9]*1[02-9ac-hj-np-z]{38})$/

export const id: TextKind = {
  complaint: 'is no id',
  read: (text) => (isCb58Id(text) ? text : lowerHex(text, 64)),
}

/** Services name chains of the primary network by alias, too. */
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

/** The owner of an output: bech32 without the chain before it, or an EVM's address. */
export const owner: TextKind = {
  complaint: 'is no address',
  read(text) {
    if (text.startsWith('0x')) return lowerHex(text, 40)
    return bech32.exec(text)?.[1] ?? null
  },
}

/** 20 bytes on the primary network, any number of an L1's validator. */
export const nodeId: TextKind = {
  complaint: 'is no id of a node',
  read: (text) => (text.startsWith('NodeID-') && text.length > 12 && base58.test(text.slice(7)) ? text : null),
}

/** Bytes, with or without 0x. */
export const hexBytes: TextKind = {
  complaint: 'is no hexadecimal text',
  read: (text) => (/^(?:0x)?(?:[0-9a-f]{2})*$/i.test(text) ? text.toLowerCase() : null),
}

/** The same in base64, or as hexadecimal text. */
export const encodedBytes: TextKind = {
  complaint: 'is neither base64 nor hexadecimal text',
  read: (text) => (/^[0-9A-Za-z+/_-]+={0,2}$/.test(text) ? text : null),
}

/** A name that a source has for a kind, a state or a currency. Names that people give are any text. */
export const word: TextKind = {
  complaint: 'is no word',
  read: (text) => (/^[!-~](?:[ -~]*[!-~])?$/.test(text) ? text : null),
}

/** The number of a token, which contracts count in 256 bits. */
export const tokenId: TextKind = {
  complaint: 'is no whole number of 256 bits',
  read: (text) => (/^(?:\d{1,80}|0x[0-9a-f]{1,64})$/i.test(text) && BigInt(text) < ends.u256 ? text : null),
}

/** Decimal digits of a number that is not negative, as JSON writes it. */
export const decimalNumber = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
