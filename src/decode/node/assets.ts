import type { nodeAssets } from '../../../schemas/node-assets.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { answerObject, finish } from '../json/fields.ts'
import { id, text, u8 } from '../json/value-fields.ts'
import { isNotFound } from './refusals.ts'

type AssetPage = Page<{ assets: typeof nodeAssets }>

/** A requested asset: its id, and the chain of the asset VM. */
type RequestedAsset = { readonly network: string; readonly blockchainId: string; readonly assetId: string }

/** Reads the description of an asset (xvm.getAssetDescription, specification 2.4). Throws `DecodeError` for another asset. */
export function decodeAsset({ network, blockchainId, assetId }: RequestedAsset) {
  return (answer: unknown, context: ReadingContext): AssetPage => {
    const at = answerObject(answer, 'answer', context)
    const row = {
      network,
      asset_id: id(at, 'assetID', 'assetId'),
      blockchain_id: blockchainId,
      name: text(at, 'name'),
      symbol: text(at, 'symbol'),
      denomination: u8(at, 'denomination'),
    }
    finish(at)
    if (row.asset_id !== assetId)
      throw new DecodeError('The node describes another asset than the requested one.', {
        code: 'decode.field',
        details: { field: 'assetID', value: row.asset_id, requested: assetId },
        hint: 'Nothing of this unit was written. Try another node.',
      })
    return { rows: { assets: [row] }, items: [], next: null }
  }
}

/** Returns an empty page if the chain does not know the asset yet. The next run requests it again. */
export function assetRefused(refusal: Refusal): AssetPage | null {
  return isNotFound(refusal) ? { rows: { assets: [] }, items: [], next: null } : null
}
