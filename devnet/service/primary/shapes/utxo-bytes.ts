import { addressBytes, decodeCb58 } from '../../../../codec/ids.ts'
import { encode, versioned } from '../../../../codec/linear.ts'
import { pUtxo } from '../../../../codec/p.ts'
import { type XCodec, type XState, xCodec } from '../../../../codec/x.ts'
import { encodedBytes } from '../../../http/encoding.ts'
import type { Utxo } from '../ledger/model.ts'

const pSchema = versioned(pUtxo)

/** The bytes of a UTXO with their checksum, as hex with prefix. */
export function utxoBytes(utxo: Utxo): string {
  return encodedBytes(utxoPayload(utxo))
}

/** The bytes of a UTXO as chains store them; `codec`: that of another chain of the asset VM. */
export function utxoPayload(utxo: Utxo, codec: XCodec | null = null): Uint8Array {
  const place = { txID: decodeCb58(utxo.txId), outputIndex: utxo.index, assetID: decodeCb58(utxo.asset) }
  const state = stateOf(utxo)
  if (codec !== null || state.type !== 'secp256k1fx.TransferOutput')
    return encode((codec ?? xCodec(null)).utxo, { ...place, output: state })
  const { stakeableLocktime: locktime } = utxo
  const output = locktime === null ? state : { type: 'stakeable.LockOut' as const, locktime, output: state }
  return encode(pSchema, { ...place, output })
}

function stateOf(utxo: Utxo): XState {
  const { threshold, locktime, addresses } = utxo.owner
  const owner = { threshold, locktime, addresses: addresses.map(addressBytes) }
  const groupID = utxo.groupId ?? 0
  switch (utxo.kind) {
    case 'transfer':
      return { type: 'secp256k1fx.TransferOutput', amount: utxo.amount, ...owner }
    case 'mint':
      return { type: 'secp256k1fx.MintOutput', ...owner }
    case 'nft_mint':
      return { type: 'nftfx.MintOutput', groupID, ...owner }
    case 'nft_transfer':
      return { type: 'nftfx.TransferOutput', groupID, payload: Buffer.from(utxo.payload ?? '', 'hex'), ...owner }
    case 'property_mint':
      return { type: 'propertyfx.MintOutput', ...owner }
    case 'property_owned':
      return { type: 'propertyfx.OwnedOutput', ...owner }
  }
}
