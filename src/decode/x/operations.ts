import { fxIdOfType } from '../../../codec/x/fxs.ts'
import type { XOperation, XState } from '../../../codec/x/parts.ts'

/** Values of the column `operation_type`. */
export const operationTypes = {
  'secp256k1fx.MintOperation': 'mint',
  'nftfx.MintOperation': 'nft_mint',
  'nftfx.TransferOperation': 'nft_transfer',
  'propertyfx.MintOperation': 'property_mint',
  'propertyfx.BurnOperation': 'property_burn',
} as const satisfies Record<XOperation['type'], string>

/** Values of the column `fx_id` by the type of the operation. */
export const operationFxIds = Object.fromEntries(
  Object.keys(operationTypes).map((type) => [type, fxIdOfType(type)]),
) as Readonly<Record<XOperation['type'], string>>

/** Returns the UTXOs that an operation produces, in the order of their indices (wire-format.md 1.6). */
export function producedBy(operation: XOperation): readonly XState[] {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
      return [
        { type: 'secp256k1fx.MintOutput', ...operation.mintOutput },
        { type: 'secp256k1fx.TransferOutput', ...operation.transferOutput },
      ]
    case 'nftfx.MintOperation': {
      const { groupID, payload } = operation
      return operation.outputs.map((owners) => ({ type: 'nftfx.TransferOutput', groupID, payload, ...owners }))
    }
    case 'nftfx.TransferOperation':
      return [{ type: 'nftfx.TransferOutput', ...operation.output }]
    case 'propertyfx.MintOperation':
      return [
        { type: 'propertyfx.MintOutput', ...operation.mintOutput },
        { type: 'propertyfx.OwnedOutput', ...operation.ownedOutput },
      ]
    case 'propertyfx.BurnOperation':
      return []
  }
}

/** Returns the indices of the owners of the consumed UTXO that sign an operation. */
export function signersOf(operation: XOperation): readonly number[] {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
    case 'nftfx.MintOperation':
    case 'propertyfx.MintOperation':
      return operation.mintInput.signatureIndices
    case 'nftfx.TransferOperation':
      return operation.input.signatureIndices
    case 'propertyfx.BurnOperation':
      return operation.signatureIndices
  }
}
