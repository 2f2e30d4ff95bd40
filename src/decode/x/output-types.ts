import type { XState } from '../../codec/x/parts.ts'

/** The column `output_type`. */
export const outputTypes = {
  'secp256k1fx.TransferOutput': 'transfer',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.MintOutput': 'nft_mint',
  'nftfx.TransferOutput': 'nft_transfer',
  'propertyfx.MintOutput': 'property_mint',
  'propertyfx.OwnedOutput': 'property_owned',
} as const satisfies Record<XState['type'], string>
