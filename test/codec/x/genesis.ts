import { sha256 } from '../../../codec/hash.ts'
import { encode, list, type Schema, struct, text, type ValueOf, versioned } from '../../../codec/linear.ts'
import { primaryTransactions, signedXTx } from '../../../codec/x.ts'

const asset = struct('GenesisAsset', { alias: text, ...primaryTransactions.createAssetTx.fields })
export type XGenesisAsset = ValueOf<typeof asset>

/** The assets in the genesis of an X-Chain: `genesisData` of the chain in the P-Chain genesis. The first asset is native. */
export const xGenesis: Schema<readonly XGenesisAsset[]> = versioned(list(asset))

/** Returns the id of a genesis asset: the id of the equivalent CreateAssetTx without credentials (wire-format.md 1.6). */
export function genesisAssetId({ alias: _, ...fields }: XGenesisAsset): Uint8Array {
  return sha256(encode(signedXTx, { unsignedTx: { type: 'CreateAssetTx', ...fields }, credentials: [] }))
}
