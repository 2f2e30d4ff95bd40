import { sha256 } from '../../codec/hash.ts'
import { addressText, idText, nodeIdText } from '../../codec/ids.ts'

/** Ids, hashes and addresses made from short names, in the form of answers. The same name always gives the same text. */

const bytesOf = (name: string): Uint8Array => sha256(Buffer.from(name))

export const id = (name: string): string => idText(bytesOf(name))
export const nodeId = (name: string): string => nodeIdText(bytesOf(name).subarray(12))
/** Bech32 without chain prefix. */
export const owner = (name: string, hrp = 'fuji'): string => addressText(hrp, bytesOf(name).subarray(12))
export const hash = (name: string): string => `0x${Buffer.from(bytesOf(name)).toString('hex')}`
export const evmAddress = (name: string): string => hash(name).slice(0, 42)
