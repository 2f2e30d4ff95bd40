import type { assetSums } from '../../../schemas/shared/rest-utxo-columns.ts'
import type { ValueOf } from '../../define/index.ts'
import { object, objects, optionalObjects, optionalText, type Reading } from './fields.ts'
import { optionalU8, sum, u64 } from './number-fields.ts'
import { id, optionalWord } from './text-fields.ts'

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
  return amountOf(at, u64(at, 'amount'))
}

/** The same of a sum, which may pass the 64 bits of its parts. */
function assetSum(at: Reading): AssetAmount {
  return amountOf(at, sum(at, 'amount'))
}

function amountOf(at: Reading, amount: bigint): AssetAmount {
  return {
    asset_id: id(at, 'assetId'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    denomination: optionalU8(at, 'denomination'),
    type: optionalWord(at, 'type'),
    amount,
  }
}

export function asset(at: Reading, name: string): AssetAmount {
  return object(at, name, assetAmount)
}

type Sums = ValueOf<ReturnType<typeof assetSums>>

export function assets(at: Reading, name: string): Sums {
  return objects(at, name, assetSum)
}

export function optionalAssets(at: Reading, name: string): Sums | null {
  return optionalObjects(at, name, assetSum)
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
