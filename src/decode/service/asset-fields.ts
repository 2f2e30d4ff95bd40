import type { assetSums } from '../../../schemas/shared/rest-utxo-columns.ts'
import type { ValueOf } from '../../define/index.ts'
import { object, objects, optionalCount, optionalObjects, optionalText, type Reading, text, whole } from './fields.ts'

/** An amount of an asset; all but id and amount may be missing (real-service.md, b). */
export type AssetAmount = {
  asset_id: string
  name: string | null
  symbol: string | null
  denomination: number | null
  type: string | null
  amount: bigint
}

/** AssetAmount (specification 2.1). */
export function assetAmount(at: Reading): AssetAmount {
  return {
    asset_id: text(at, 'assetId'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    denomination: optionalCount(at, 'denomination'),
    type: optionalText(at, 'type'),
    amount: whole(at, 'amount'),
  }
}

export function asset(at: Reading, name: string): AssetAmount {
  return object(at, name, assetAmount)
}

type Sums = ValueOf<ReturnType<typeof assetSums>>

export function assets(at: Reading, name: string): Sums {
  return objects(at, name, assetAmount)
}

export function optionalAssets(at: Reading, name: string): Sums | null {
  return optionalObjects(at, name, assetAmount)
}

/** The same in columns of a row, where the asset is not a struct of its own. */
export function assetColumns({ asset_id, name, symbol, denomination, type, amount }: AssetAmount) {
  return {
    asset_id,
    amount,
    asset_name: name,
    asset_symbol: symbol,
    asset_denomination: denomination,
    asset_type: type,
  }
}
