import { fxIdOfType } from '../../../codec/x/fxs.ts'
import type { XState } from '../../../codec/x/parts.ts'

/** Values of the column `output_type`. */
export const outputTypes = {
  'secp256k1fx.TransferOutput': 'transfer',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.MintOutput': 'nft_mint',
  'nftfx.TransferOutput': 'nft_transfer',
  'propertyfx.MintOutput': 'property_mint',
  'propertyfx.OwnedOutput': 'property_owned',
} as const satisfies Record<XState['type'], string>

/** Values of the column `fx_id` by the type of the output. */
export const outputFxIds = Object.fromEntries(
  Object.keys(outputTypes).map((type) => [type, fxIdOfType(type)]),
) as Readonly<Record<XState['type'], string>>
