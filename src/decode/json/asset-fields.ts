import type { assetSums } from '../../../schemas/shared/rest-utxo-columns.ts'
import type { ValueOf } from '../../define/index.ts'
import { object, objects, optionalObjects, optionalText, type Reading } from './fields.ts'
import { optionalU8, sum, u64 } from './number-fields.ts'
import { id, optionalWord } from './text-fields.ts'

/** An amount in the least unit of its asset. All fields except id and amount may be missing (real-service.md, b). */
export type AssetAmount = {
  asset_id: string
  asset_name: string | null
  asset_symbol: string | null
  asset_denomination: number | null
  asset_type: string | null
  amount: bigint
}

/** Reads an AssetAmount (specification 2.1). */
export function assetAmount(at: Reading): AssetAmount {
  return amountOf(at, u64(at, 'amount'))
}

/** Like `assetAmount`, for a sum, which may exceed the 64 bits of its parts. */
function assetSum(at: Reading): AssetAmount {
  return amountOf(at, sum(at, 'amount'))
}

function amountOf(at: Reading, amount: bigint): AssetAmount {
  return {
    asset_id: id(at, 'assetId'),
    asset_name: optionalText(at, 'name'),
    asset_symbol: optionalText(at, 'symbol'),
    asset_denomination: optionalU8(at, 'denomination'),
    asset_type: optionalWord(at, 'type'),
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
