import type { utxoColumns } from '../../../schemas/shared/rest-utxo-columns.ts'
import type { RowOfColumns } from '../../define/index.ts'
import { type AssetAmount, assetAmount } from '../json/asset-fields.ts'
import { optionalBytes } from '../json/byte-fields.ts'
import { contradiction, optionalFlag, optionalObject, optionalObjects, type Reading } from '../json/fields.ts'
import { optionalCount, optionalTime, optionalU32, optionalU64, time, u32, u64 } from '../json/number-fields.ts'
import {
  chainId,
  id,
  optionalEncoded,
  optionalHex,
  optionalId,
  optionalWord,
  owners,
  word,
} from '../json/text-fields.ts'

/**
 * Reads a UTXO of any chain (specification 2.2; OpenAPI PChainUtxo and Utxo), with the field names of all versions. It is one object
 * literal: spreading so many fields takes several times as long as reading them (measured).
 */
export function utxo(at: Reading): RowOfColumns<typeof utxoColumns> {
  const asset = assetOf(at)
  return {
    utxo_id: id(at, 'utxoId'),
    tx_id: id(at, 'txHash', 'creationTxHash'),
    output_index: u32(at, 'outputIndex'),
    utxo_type: word(at, 'utxoType'),
    asset_id: asset.asset_id,
    amount: asset.amount,
    asset_name: asset.asset_name,
    asset_symbol: asset.asset_symbol,
    asset_denomination: asset.asset_denomination,
    asset_type: asset.asset_type,
    addresses: owners(at, 'addresses'),
    threshold: optionalU32(at, 'threshold'),
    locktime: optionalU64(at, 'platformLocktime', 'locktime'),
    created_on_chain_id: chainId(at, 'createdOnChainId'),
    consumed_on_chain_id: chainId(at, 'consumedOnChainId'),
    block_time: time(at, 'blockTimestamp', 'timestamp'),
    height: optionalCount(at, 'blockNumber', 'blockHeight'),
    consuming_tx_id: optionalId(at, 'consumingTxHash'),
    consuming_block_time: optionalTime(at, 'consumingBlockTimestamp', 'consumingTxTimestamp'),
    consuming_height: optionalCount(at, 'consumingBlockNumber'),
    utxo_bytes: optionalHex(at, 'utxoBytes'),
    staked: optionalFlag(at, 'staked'),
    stakeable_locktime: optionalU64(at, 'stakeableLocktime'),
    reward_type: optionalWord(at, 'rewardType'),
    start_time: optionalTime(at, 'utxoStartTimestamp'),
    end_time: optionalTime(at, 'utxoEndTimestamp'),
    credentials: optionalObjects(at, 'credentials', credential),
    group_id: optionalU32(at, 'groupId'),
    payload: optionalBytes(at, 'payload'),
  }
}

export function credential(at: Reading) {
  return { signature_base64: optionalEncoded(at, 'signature'), public_key_base64: optionalEncoded(at, 'publicKey') }
}

/** Reads the asset from `asset`. Older answers have `assetId` and `amount` instead. */
function assetOf(at: Reading): AssetAmount {
  const asset = optionalObject(at, 'asset', assetAmount)
  if (asset === null)
    return {
      asset_id: id(at, 'assetId'),
      amount: u64(at, 'amount'),
      asset_name: null,
      asset_symbol: null,
      asset_denomination: null,
      asset_type: null,
    }
  const [stated, amount] = [optionalId(at, 'assetId'), optionalU64(at, 'amount')]
  if (stated !== null && stated !== asset.asset_id)
    throw contradiction(at, 'assetId', stated, 'asset.assetId', asset.asset_id)
  if (amount !== null && amount !== asset.amount)
    throw contradiction(at, 'amount', amount, 'asset.amount', asset.amount)
  return asset
}
