import { idText } from '../../../codec/cb58.ts'
import { utxoId } from '../../../codec/ids.ts'
import { decodeExactly, versioned } from '../../../codec/linear/index.ts'
import { pUtxo } from '../../../codec/p/parts.ts'
import { xCodec } from '../../../codec/x/codec.ts'
import type { FxOrder } from '../../../codec/x/fxs.ts'
import type { XState } from '../../../codec/x/parts.ts'
import { addressTexts } from '../texts.ts'
import { outputTypes } from '../x/output-types.ts'
import { bytesOfHex } from './encoded-bytes.ts'

/** The bytes of a UTXO as columns, for all chains. */
export type Utxo = {
  readonly utxo_id: string
  readonly tx_id: string
  readonly output_index: number
  readonly output_type: string
  readonly asset_id: string
  /** Amount in the least unit of the asset; null if the output has none. */
  readonly amount: bigint | null
  readonly addresses: string[]
  readonly threshold: number
  readonly locktime: bigint
  readonly stakeable_locktime: bigint | null
  readonly group_id: number | null
  readonly payload: Uint8Array | null
}

/** The chain of a UTXO, as far as the bytes depend on it. */
export type UtxoPlace = {
  /** `X` for every chain of the asset VM. */
  readonly chain: 'P' | 'X' | 'C'
  /** Equal to `fxs` in the `ChainContext` of the chain. */
  readonly fxs: FxOrder | null
  readonly hrp: string
}

const pSchema = versioned(pUtxo)

/**
 * Reads a UTXO of getUTXOs or getRewardUTXOs: hex with a checksum (wire-format.md 1.5). The P-Chain has its own type ids of outputs. The
 * X-Chain and C-Chain share theirs; those of other chains of the asset VM follow from their feature extensions. Throws `DecodeError` with
 * `path`.
 */
export function readUtxo(text: string, { chain, fxs, hrp }: UtxoPlace, path: string): Utxo {
  const bytes = bytesOfHex(text, path, 'hex')
  if (chain !== 'P') {
    const { output, ...place } = decodeExactly(xCodec(fxs).utxo, bytes, path)
    return utxoOf(place, output, null, hrp)
  }
  const { output, ...place } = decodeExactly(pSchema, bytes, path)
  if (output.type !== 'stakeable.LockOut') return utxoOf(place, output, null, hrp)
  return utxoOf(place, output.output, output.locktime, hrp)
}

type Place = { readonly txID: Uint8Array; readonly outputIndex: number; readonly assetID: Uint8Array }

function utxoOf(place: Place, state: XState, stakeableLocktime: bigint | null, hrp: string): Utxo {
  return {
    utxo_id: idText(utxoId(place.txID, place.outputIndex)),
    tx_id: idText(place.txID),
    output_index: place.outputIndex,
    output_type: outputTypes[state.type],
    asset_id: idText(place.assetID),
    amount: 'amount' in state ? state.amount : null,
    addresses: addressTexts(hrp, state.addresses),
    threshold: state.threshold,
    locktime: state.locktime,
    stakeable_locktime: stakeableLocktime,
    group_id: 'groupID' in state ? state.groupID : null,
    payload: 'payload' in state ? state.payload : null,
  }
}
