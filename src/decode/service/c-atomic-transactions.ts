import type { RestCAtomicTransaction } from '../../../schemas/rest-c-atomic-transactions.ts'
import { asset, optionalAssets } from './asset-fields.ts'
import { optionalMemo } from './byte-fields.ts'
import { count, optionalObjects, optionalText, type Reading, text, time } from './fields.ts'
import type { ListedChain } from './list-page.ts'
import { transactionList } from './transaction-list.ts'
import { credential, utxo } from './utxo.ts'

/** Atomic transactions of the C chain (specification 4.3, OpenAPI CChainExportTransaction and CChainImportTransaction). */
export const decodeCAtomicTransactions = transactionList('cAtomicTransactions', transactionRow)

function transactionRow(at: Reading, { network, blockchainId }: ListedChain): RestCAtomicTransaction {
  return {
    network,
    blockchain_id: blockchainId,
    block_number: count(at, 'blockHeight', 'blockNumber'),
    block_time: time(at, 'timestamp', 'blockTimestamp'),
    block_hash: lowerHex(text(at, 'blockHash')),
    tx_id: text(at, 'txHash'),
    tx_type: text(at, 'txType'),
    memo: optionalMemo(at, 'memo'),
    source_chain_id: optionalText(at, 'sourceChain') || null,
    destination_chain_id: optionalText(at, 'destinationChain') || null,
    amount_unlocked: optionalAssets(at, 'amountUnlocked'),
    amount_created: optionalAssets(at, 'amountCreated'),
    amounts: optionalAssets(at, 'value'),
    amount_burned: optionalAssets(at, 'amountBurned'),
    evm_inputs: optionalObjects(at, 'evmInputs', evmInput),
    evm_outputs: optionalObjects(at, 'evmOutputs', evmOutput),
    consumed_utxos: optionalObjects(at, 'consumedUtxos', utxo),
    emitted_utxos: optionalObjects(at, 'emittedUtxos', utxo),
  }
}

/** Hex in lower case; another text, such as an id, as it is. */
function lowerHex(hash: string): string {
  return hash.startsWith('0x') ? hash.toLowerCase() : hash
}

function evmInput(at: Reading) {
  return {
    evm_address: text(at, 'fromAddress').toLowerCase(),
    ...asset(at, 'asset'),
    credentials: optionalObjects(at, 'credentials', credential),
  }
}

function evmOutput(at: Reading) {
  return { evm_address: text(at, 'toAddress').toLowerCase(), ...asset(at, 'asset') }
}
