import type { RestXTransaction } from '../../../schemas/rest-x-transactions.ts'
import { optionalAssets } from '../json/asset-fields.ts'
import { optionalMemo } from '../json/byte-fields.ts'
import { objects, optionalObject, optionalObjects, optionalText, type Reading } from '../json/fields.ts'
import { optionalCount, optionalTime, optionalU8, time } from '../json/number-fields.ts'
import { id, optionalChainId, optionalId, optionalWord, word } from '../json/text-fields.ts'
import type { ListedChain } from './list-page.ts'
import { transactionList } from './transaction-list.ts'
import { utxo } from './utxo.ts'

/** X-Chain transactions (specification 4.3, OpenAPI XChainLinearTransaction and XChainNonLinearTransaction). */
export const decodeXTransactions = transactionList('xTransactions', transactionRow)

function transactionRow(
  at: Reading,
  { network, blockchainId }: ListedChain,
  chainName: string | null,
): RestXTransaction {
  return {
    network,
    blockchain_id: blockchainId,
    height: optionalCount(at, 'blockHeight', 'blockNumber'),
    block_time: time(at, 'timestamp', 'blockTimestamp'),
    block_id: optionalId(at, 'blockHash'),
    tx_id: id(at, 'txHash'),
    tx_type: word(at, 'txType'),
    chain_format: optionalWord(at, 'chainFormat'),
    memo: optionalMemo(at, 'memo'),
    source_chain_id: optionalChainId(at, 'sourceChain'),
    destination_chain_id: optionalChainId(at, 'destinationChain'),
    amount_unlocked: optionalAssets(at, 'amountUnlocked'),
    amount_created: optionalAssets(at, 'amountCreated'),
    amounts: optionalAssets(at, 'value'),
    amount_burned: optionalAssets(at, 'amountBurned'),
    asset_created: optionalObject(at, 'assetCreated', createdAsset),
    vertices: optionalObjects(at, 'vertices', vertex),
    consumed_utxos: objects(at, 'consumedUtxos', utxo),
    emitted_utxos: objects(at, 'emittedUtxos', utxo),
    chain_name: chainName,
  }
}

function createdAsset(at: Reading) {
  return {
    asset_id: id(at, 'assetId'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    denomination: optionalU8(at, 'denomination'),
    type: optionalWord(at, 'type'),
    created_time: optionalTime(at, 'createdAtTimestamp'),
    cap: optionalWord(at, 'cap'),
  }
}

function vertex(at: Reading) {
  return {
    vertex_hash: id(at, 'hash'),
    height: optionalCount(at, 'height'),
    block_time: optionalTime(at, 'timestamp'),
  }
}
