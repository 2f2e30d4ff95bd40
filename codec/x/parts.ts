import { type Schema, union, type ValueOf } from '../linear/index.ts'
import * as nft from '../shared/nftfx.ts'
import * as property from '../shared/propertyfx.ts'
import { credential, mintOperation, mintOutput, transferInput, transferOutput } from '../shared/secp256k1fx.ts'
import { baseTxFields, transferableInput, transferableOutput, utxo } from '../shared/transfers.ts'
import type { FxOrder } from './fxs.ts'
import { fxTypeIds, primaryFxs } from './fxs.ts'

/**
 * Returns the parts of transactions and UTXOs of a chain of the asset VM. The feature extensions determine the type ids (wire-format.md
 * 1.6).
 */
export function xParts(order: FxOrder) {
  const typeIds = fxTypeIds(order)
  const input = union('input', numbered(typeIds, [transferInput]))
  /** Outputs of transfers. All other outputs come from initial states and operations. */
  const output = union('output', numbered(typeIds, [transferOutput]))
  /** Outputs of UTXOs. */
  const state = union(
    'output',
    numbered(typeIds, [
      mintOutput,
      transferOutput,
      nft.nftMintOutput,
      nft.nftTransferOutput,
      property.propertyMintOutput,
      property.propertyOwnedOutput,
    ]),
  )
  const operation = union(
    'operation',
    numbered(typeIds, [
      mintOperation,
      nft.nftMintOperation,
      nft.nftTransferOperation,
      property.propertyMintOperation,
      property.propertyBurnOperation,
    ]),
  )
  const anyCredential = union(
    'credential',
    numbered(typeIds, [credential, nft.nftCredential, property.propertyCredential]),
  )
  return {
    state,
    operation,
    credential: anyCredential,
    transferableInput: transferableInput(input),
    transferableOutput: transferableOutput(output),
    utxo: utxo(state),
    base: baseTxFields(output, input),
  }
}
export type XParts = ReturnType<typeof xParts>

type Variant = { readonly type: string; readonly tagged: Schema<any> }

/** Returns types by their ids. It leaves out types of feature extensions that the chain does not have. */
function numbered<V extends Variant>(typeIds: ReadonlyMap<string, number>, variants: readonly V[]) {
  const byId: { [typeId: number]: V } = {}
  for (const variant of variants) {
    const typeId = typeIds.get(variant.type)
    if (typeId !== undefined) byId[typeId] = variant
  }
  return byId as { readonly [typeId: number]: V }
}

/** The parts of the primary network's X-Chain. */
export const primaryParts: XParts = xParts(primaryFxs)
export const xUtxo: XParts['utxo'] = primaryParts.utxo

export type XInputValue = ValueOf<XParts['transferableInput']>
export type XState = ValueOf<XParts['state']>
export type XOperation = ValueOf<XParts['operation']>
