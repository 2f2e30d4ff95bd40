import { addressText } from '../../../src/codec/bech32.ts'
import { encodeCb58, idText } from '../../../src/codec/cb58.ts'
import { sha256 } from '../../../src/codec/hash.ts'
import { txIdInBlock } from '../../../src/codec/ids.ts'
import { decodeWithSpans } from '../../../src/codec/linear/index.ts'
import { nodeIdText } from '../../../src/codec/node-id.ts'
import { pBlock } from '../../../src/codec/p/blocks.ts'

/** JSON with every number as a bigint, as `parseNodeJson` gives the node's. */
export type Json = null | boolean | string | bigint | Json[] | { [name: string]: Json }

const secpFxId = 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ'

const idNames = new Set([
  ...['txID', 'assetID', 'blockchainID', 'subnetID', 'sourceChain', 'destinationChain'],
  ...['chainID', 'vmID', 'fxIDs', 'parentID', 'validationID'],
])

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** How the node writes bytes depends on the field, and for owners on whose they are. */
function bytesJson(name: string, bytes: Uint8Array, holder: object, hrp: string): string {
  if (idNames.has(name)) return idText(bytes)
  if (name === 'genesisData') return Buffer.from(bytes).toString('base64')
  // Owners of L1 validators have no locktime and plain addresses; node ids of variable length are plain bytes.
  if (name === 'addresses') return 'locktime' in holder ? `P-${addressText(hrp, bytes)}` : encodeCb58(bytes)
  if (name === 'nodeID') return 'balance' in holder || 'period' in holder ? hex(bytes) : nodeIdText(bytes)
  return hex(bytes)
}

function valueJson(name: string, value: unknown, holder: object, hrp: string): Json {
  if (value instanceof Uint8Array) return bytesJson(name, value, holder, hrp)
  if (Array.isArray(value)) return value.map((item) => valueJson(name, item, holder, hrp))
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'object' && value !== null) return objectJson(value, hrp)
  return value as Json
}

function objectJson(value: object, hrp: string): { [name: string]: Json } {
  const entries = Object.entries(value)
    .filter(([name]) => name !== 'type')
    .map(([name, field]) => [name, valueJson(name, field, value, hrp)] as const)
  const transfers = 'assetID' in value && ('input' in value || 'output' in value)
  return Object.fromEntries(transfers ? [...entries, ['fxID', secpFxId] as const] : entries)
}

/** The JSON that a node gives of a P block, from the decoded structures of its bytes. */
export function pBlockJson(bytes: Uint8Array, hrp: string): Json {
  const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
  const json = objectJson(block, hrp)
  const txs = [...((json['txs'] ?? []) as Json[]), ...(json['tx'] === undefined ? [] : [json['tx']])]
  txs.forEach((tx, i) => {
    const slice = bytes.subarray(spans[2 * i], spans[2 * i + 1])
    ;(tx as { [name: string]: Json })['id'] = idText(txIdInBlock(slice))
  })
  return { ...json, id: idText(sha256(bytes)) }
}
