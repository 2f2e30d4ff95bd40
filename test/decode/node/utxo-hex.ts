import { createHash } from 'node:crypto'
import { base58, bech32 } from '@scure/base'
import type { Utxo } from '../../../src/decode/node/utxos.ts'

/** The hex of a UTXO from its columns, encoded without the project's codec: the text that the node must have sent. */
export function utxoHex(utxo: Utxo, chain: 'P' | 'X' | 'C'): string {
  const bytes = Buffer.concat([
    Buffer.alloc(2),
    id(utxo.tx_id),
    u32(utxo.output_index),
    id(utxo.asset_id),
    ...(utxo.stakeable_locktime === null ? [] : [u32(22), u64(utxo.stakeable_locktime)]),
    u32(typeOf[chain === 'P' ? 'transfer' : utxo.output_type]!),
    ...(utxo.group_id === null ? [] : [u32(utxo.group_id)]),
    ...(utxo.payload === null ? [] : [u32(utxo.payload.length), utxo.payload]),
    ...(utxo.amount === null ? [] : [u64(utxo.amount)]),
    u64(utxo.locktime),
    u32(utxo.threshold),
    u32(utxo.addresses.length),
    ...utxo.addresses.map((address) => bech32.decodeToBytes(address).bytes),
  ])
  return `0x${Buffer.concat([bytes, sha256(bytes).subarray(28)]).toString('hex')}`
}

/** Ids of types (wire-format.md 1.6); the P chain has the same for transfers. */
const typeOf: Readonly<Record<string, number>> = {
  mint: 6,
  transfer: 7,
  nft_mint: 10,
  nft_transfer: 11,
  property_mint: 15,
  property_owned: 16,
}

/** CB58 is base58 of the id and four bytes of its checksum. */
function id(text: string): Uint8Array {
  return base58.decode(text).subarray(0, 32)
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function u32(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Number(value))
  return bytes
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}
