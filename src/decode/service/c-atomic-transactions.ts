import type { RestCAtomicTransaction } from '../../../schemas/rest-c-atomic-transactions.ts'
import { asset, optionalAssets } from '../json/asset-fields.ts'
import { optionalMemo } from '../json/byte-fields.ts'
import { optionalObjects, type Reading } from '../json/fields.ts'
import { count, time } from '../json/number-fields.ts'
import { address, id, optionalChainId, word } from '../json/text-fields.ts'
import type { ListedChain } from './list-page.ts'
import { transactionList } from './transaction-list.ts'
import { credential, utxo } from './utxo.ts'

/** Atomic transactions of the C-Chain (specification 4.3, OpenAPI CChainExportTransaction and CChainImportTransaction). */
export const decodeCAtomicTransactions = transactionList('cAtomicTransactions', transactionRow)

function transactionRow(
  at: Reading,
  { network, blockchainId }: ListedChain,
  chainName: string | null,
): RestCAtomicTransaction {
  return {
    network,
    blockchain_id: blockchainId,
    block_number: count(at, 'blockHeight', 'blockNumber'),
    block_time: time(at, 'timestamp', 'blockTimestamp'),
    block_hash: id(at, 'blockHash'),
    tx_id: id(at, 'txHash'),
    tx_type: word(at, 'txType'),
    memo: optionalMemo(at, 'memo'),
    source_chain_id: optionalChainId(at, 'sourceChain'),
    destination_chain_id: optionalChainId(at, 'destinationChain'),
    amount_unlocked: optionalAssets(at, 'amountUnlocked'),
    amount_created: optionalAssets(at, 'amountCreated'),
    amounts: optionalAssets(at, 'value'),
    amount_burned: optionalAssets(at, 'amountBurned'),
    evm_inputs: optionalObjects(at, 'evmInputs', evmInput),
    evm_outputs: optionalObjects(at, 'evmOutputs', evmOutput),
    consumed_utxos: optionalObjects(at, 'consumedUtxos', utxo),
    emitted_utxos: optionalObjects(at, 'emittedUtxos', utxo),
    chain_name: chainName,
  }
}

function evmInput(at: Reading) {
  return {
    evm_address: address(at, 'fromAddress'),
    ...asset(at, 'asset'),
    credentials: optionalObjects(at, 'credentials', credential),
  }
}

function evmOutput(at: Reading) {
  return { evm_address: address(at, 'toAddress'), ...asset(at, 'asset') }
}
