import { derivedView, viewColumn } from '../../src/define/index.ts'
import { evmTransactions } from '../evm-transactions.ts'

const transaction = evmTransactions.columns

export const evmContracts = derivedView({
  name: 'evm_contracts',
  comment:
    'One row per contract that a transaction of an EVM chain created. Contracts that contracts created, such as those of factories, are in no table.',
  dependsOn: ['evm_transactions'],
  columns: {
    network: viewColumn(transaction.network),
    chain_id: viewColumn(transaction.chain_id),
    contract_address: viewColumn(transaction.contract_address, 'Address of the contract.'),
    creator_address: viewColumn(transaction.from_address, 'Sender of the transaction.'),
    block_number: viewColumn(transaction.block_number),
    block_time: viewColumn(transaction.block_time),
    transaction_index: viewColumn(transaction.transaction_index),
    transaction_hash: viewColumn(transaction.transaction_hash),
    init_code_bytes: { type: 'BIGINT', comment: 'Size in bytes of the code that created the contract.' },
    gas_used: viewColumn(transaction.gas_used, 'Gas that the transaction used.'),
  },
})
