import type { utxoColumns } from '../../../schemas/shared/rest-utxo-columns.ts'
import type { RowOfColumns } from '../../define/index.ts'
import { type AssetAmount, assetAmount } from './asset-fields.ts'
import { bareAddress } from './bare-address.ts'
import { optionalBytes } from './byte-fields.ts'
import {
  count,
  ignore,
  optionalCount,
  optionalFlag,
  optionalHex,
  optionalObject,
  optionalObjects,
  optionalText,
  optionalTime,
  optionalWhole,
  type Reading,
  text,
  texts,
  time,
  whole,
} from './fields.ts'

/**
 * A UTXO of any chain (specification 2.2; OpenAPI PChainUtxo and Utxo), with the names of every shape. It is written as one object
 * on purpose: spreading parts of so many fields costs several times as much as reading them (measured).
 */
export function utxo(at: Reading): RowOfColumns<typeof utxoColumns> {
  const asset = assetOf(at)
  return {
    utxo_id: text(at, 'utxoId'),
    tx_id: text(at, 'txHash', 'creationTxHash'),
    output_index: count(at, 'outputIndex'),
    utxo_type: text(at, 'utxoType'),
    asset_id: asset.asset_id,
    amount: asset.amount,
    asset_name: asset.name,
    asset_symbol: asset.symbol,
    asset_denomination: asset.denomination,
    asset_type: asset.type,
    addresses: texts(at, 'addresses').map(bareAddress),
    threshold: optionalCount(at, 'threshold'),
    locktime: optionalWhole(at, 'platformLocktime', 'locktime'),
    created_on_chain_id: text(at, 'createdOnChainId'),
    consumed_on_chain_id: text(at, 'consumedOnChainId'),
    block_time: time(at, 'blockTimestamp', 'timestamp'),
    height: optionalCount(at, 'blockNumber', 'blockHeight'),
    consuming_tx_id: optionalText(at, 'consumingTxHash') || null,
    consuming_time: optionalTime(at, 'consumingBlockTimestamp', 'consumingTxTimestamp'),
    consuming_height: optionalCount(at, 'consumingBlockNumber'),
    utxo_bytes: optionalHex(at, 'utxoBytes'),
    staked: optionalFlag(at, 'staked'),
    stakeable_locktime: optionalWhole(at, 'stakeableLocktime'),
    reward_type: optionalText(at, 'rewardType'),
    utxo_start_time: optionalTime(at, 'utxoStartTimestamp'),
    utxo_end_time: optionalTime(at, 'utxoEndTimestamp'),
    credentials: optionalObjects(at, 'credentials', credential),
    group_id: optionalCount(at, 'groupId'),
    payload: optionalBytes(at, 'payload'),
  }
}

export function credential(at: Reading) {
  return { signature: optionalText(at, 'signature'), public_key: optionalText(at, 'publicKey') }
}

/** The asset of `asset`, or where an older answer lacks it of the fields beside it. */
function assetOf(at: Reading): AssetAmount {
  const asset = optionalObject(at, 'asset', assetAmount)
  if (asset === null)
    return {
      asset_id: text(at, 'assetId'),
      amount: whole(at, 'amount'),
      name: null,
      symbol: null,
      denomination: null,
      type: null,
    }
  ignore(at, 'assetId', 'amount')
  return asset
}
