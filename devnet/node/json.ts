import { type FxOrder, primaryFxs } from '../../codec/fxs.ts'
import { sha256 } from '../../codec/hash.ts'
import { addressText, encodeCb58, idText, nodeIdText, txIdInBlock } from '../../codec/ids.ts'
import { decodeWithSpans } from '../../codec/linear.ts'
import { type PTx, pBlock } from '../../codec/p.ts'
import { type XTx, xCodec } from '../../codec/x.ts'
import { hex0x } from '../lib.ts'
import type { UtxoOwner } from '../service/primary/ledger/model.ts'

function blockJson(
  block: object,
  txs: readonly (PTx | XTx)[],
  bytes: Uint8Array,
  spans: readonly number[],
  naming: Naming,
): Json {
  const json = objectJson({ ...block, txs: [], tx: null }, naming)
  const ofTxs = txs.map((tx, i) => ({
    ...txJson(tx, naming),
    id: idText(txIdInBlock(bytes.subarray(spans[2 * i], spans[2 * i + 1]))),
  }))
  delete json['txs']
  delete json['tx']
  const proposed = 'tx' in block ? { tx: ofTxs.pop()! } : {}
  return { ...json, ...('txs' in block ? { txs: ofTxs } : {}), ...proposed, id: idText(sha256(bytes)) }
}

/** The JSON of a P-Chain block as a node writes it, from the decoded structures of its bytes. */
export function pBlockJson(bytes: Uint8Array, hrp: string): Json {
  const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
  const txs = [...('txs' in block ? block.txs : []), ...('tx' in block ? [block.tx] : [])]
  return blockJson(block, txs, bytes, spans, { chain: 'P', hrp })
}

/** The JSON of an X-Chain block as a node writes it, from the decoded structures of its bytes. */
export function xBlockJson(bytes: Uint8Array, hrp: string, fxs: FxOrder | null = null): Json {
  const { value: block, spans } = decodeWithSpans(xCodec(fxs).block, bytes, 'block')
  return blockJson(block, block.txs, bytes, spans, { chain: 'X', hrp, ...(fxs === null ? {} : { fxs }) })
}

/** JSON with every number as a bigint, because amounts reach 2^64 - 1. */
export type Json = null | boolean | string | bigint | Json[] | { [name: string]: Json }

/** Feature extensions by the package at the start of a type name. */
const fxIds = {
  secp256k1fx: 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ',
  nftfx: 'qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT',
  propertyfx: 'rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy',
}

/** How addresses are written; `chain` is P or X. */
type Naming = {
  readonly chain: string
  readonly hrp: string
  /** Feature extensions of another chain of the asset VM; default: those of the X-Chain. */
  readonly fxs?: FxOrder
}

const idNames = new Set([
  ...['txID', 'assetID', 'blockchainID', 'subnetID', 'sourceChain', 'destinationChain'],
  ...['chainID', 'vmID', 'fxIDs', 'parentID', 'validationID', 'merkleRoot'],
])

/** The text of bytes depends on the field, and the text of owners on the kind of object that they own. */
function bytesJson(name: string, bytes: Uint8Array, holder: object, naming: Naming): string {
  if (idNames.has(name)) return idText(bytes)
  if (name === 'genesisData') return Buffer.from(bytes).toString('base64')
  // Owners of L1 validators have no locktime and plain addresses. Node ids of variable length are plain bytes.
  if (name === 'addresses')
    return 'locktime' in holder ? `${naming.chain}-${addressText(naming.hrp, bytes)}` : encodeCb58(bytes)
  if (name === 'nodeID') return 'balance' in holder || 'period' in holder ? hex0x(bytes) : nodeIdText(bytes)
  return hex0x(bytes)
}

function valueJson(name: string, value: unknown, holder: object, naming: Naming): Json {
  if (value instanceof Uint8Array) return bytesJson(name, value, holder, naming)
  if (Array.isArray(value)) return value.map((item) => valueJson(name, item, holder, naming))
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'object' && value !== null) return objectJson(value, naming)
  return value as Json
}

/** The feature extension that the node names for a transfer, an initial state or an operation. */
function fxIdOf(value: object, fxs: FxOrder): string | null {
  if ('fxIndex' in value) return fxIds[fxs[value.fxIndex as number]!]
  if ('operation' in value) return fxIds[(value.operation as { type: string }).type.split('.')[0] as keyof typeof fxIds]
  return 'assetID' in value && ('input' in value || 'output' in value) ? fxIds.secp256k1fx : null
}

/** A structure in the node's JSON, without its type name. */
function objectJson(value: object, naming: Naming): { [name: string]: Json } {
  const entries = Object.entries(value)
    .filter(([name]) => name !== 'type')
    .map(([name, field]) => [name, valueJson(name, field, value, naming)] as const)
  const fxID = fxIdOf(value, naming.fxs ?? primaryFxs)
  return Object.fromEntries(fxID === null ? entries : [...entries, ['fxID', fxID] as const])
}

/** The node's JSON of a P-Chain or X-Chain transaction, without the id that the node writes inside of blocks. */
export function txJson(tx: PTx | XTx, naming: Naming): { [name: string]: Json } {
  const json = objectJson(tx, naming)
  if (naming.chain === 'P') return json
  const credentials = tx.credentials.map((credential) => ({
    fxID: fxIds[credential.type.split('.')[0] as keyof typeof fxIds],
    credential: objectJson(credential, naming),
  }))
  return { ...json, credentials }
}

/** An owner as the methods of the P-Chain return it, with numbers as text. */
export function ownerJson({ locktime, threshold, addresses }: UtxoOwner) {
  return {
    locktime: locktime.toString(),
    threshold: String(threshold),
    addresses: addresses.map((address) => onChain('P', address)),
  }
}

/** An address with the prefix of a chain. */
export function onChain(chain: string, address: string): string {
  return `${chain}-${address}`
}
