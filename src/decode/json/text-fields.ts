import {
  chainId as chainIdKind,
  encodedBytes,
  evmAddress,
  hash as hashKind,
  hexBytes,
  id as idKind,
  nodeId as nodeIdKind,
  owner as ownerKind,
  type TextKind,
  tokenId as tokenIdKind,
  word as wordKind,
} from '../bounds.ts'
import { items, type Reading, raw, required, statedPath, wrong } from './fields.ts'

/** Returns readers of texts of one kind: a required text, an optional text that may be missing or empty, and a list. */
export function ofKind({ read, complaint }: TextKind) {
  const optional = (at: Reading, name: string, other?: string): string | null => {
    const value = raw(at, name, other)
    if (value === undefined || value === '') return null
    const text = typeof value === 'string' ? read(value) : typeof value === 'number' ? read(String(value)) : null
    if (text === null) throw wrong(statedPath(at, name, other), complaint, value)
    return text
  }
  const needed = (at: Reading, name: string, other?: string): string =>
    optional(at, name, other) ?? refuseEmpty(at, name, other)
  const optionalList = (at: Reading, name: string): string[] | null =>
    items(at, name, (item) => (typeof item === 'string' ? read(item) : null), complaint)
  const list = (at: Reading, name: string): string[] => required(optionalList(at, name), at, name)
  return { needed, optional, list, optionalList }
}

/** Throws `DecodeError`: a required text is missing or empty. */
function refuseEmpty(at: Reading, name: string, other?: string): never {
  if (raw(at, name, other) === '') throw wrong(statedPath(at, name, other), 'is empty', '')
  return required<never>(null, at, name, other)
}

/** Ids of 32 bytes of any object on the P-Chain, X-Chain or C-Chain. */
export const { needed: id, optional: optionalId, list: ids } = ofKind(idKind)
export const { needed: chainId, optional: optionalChainId } = ofKind(chainIdKind)
/** Ids of nodes: `NodeID-…`. */
export const { needed: nodeId, optional: optionalNodeId } = ofKind(nodeIdKind)
/** Addresses without chain prefix. */
export const { list: owners, optionalList: optionalOwners } = ofKind(ownerKind)
/** Hashes and addresses of an EVM chain, in lower case. */
export const { needed: hash } = ofKind(hashKind)
/** Addresses of an EVM chain, in lower case. */
export const { needed: address, optional: optionalAddress } = ofKind(evmAddress)
/** Bytes as text in lower case. A `0x` prefix is kept. */
export const { needed: hex, optional: optionalHex } = ofKind(hexBytes)
export const { optional: optionalEncoded } = ofKind(encodedBytes)
/** Words of the source itself. */
export const { needed: word, optional: optionalWord, optionalList: optionalWords } = ofKind(wordKind)
export const { needed: tokenId } = ofKind(tokenIdKind)
