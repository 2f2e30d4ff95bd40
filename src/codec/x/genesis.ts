import { sha256 } from '../hash.ts'
import { encode, list, type Schema, struct, text, type ValueOf, versioned } from '../linear/index.ts'
import { primaryTransactions, signedXTx } from './transactions.ts'

const asset = struct('GenesisAsset', { alias: text, ...primaryTransactions.createAssetTx.fields })
export type XGenesisAsset = ValueOf<typeof asset>

/** The assets that an X chain begins with: `genesisData` of the chain in the P genesis. The first one is native. */
export const xGenesis: Schema<readonly XGenesisAsset[]> = versioned(list(asset))

/** Id of an asset of the genesis: that of the CreateAssetTx it stands for, without credentials (wire-format.md 1.6). */
export function genesisAssetId({ alias: _, ...fields }: XGenesisAsset): Uint8Array {
  return sha256(encode(signedXTx, { unsignedTx: { type: 'CreateAssetTx', ...fields }, credentials: [] }))
}
