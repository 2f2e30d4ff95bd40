import { derivedView, viewColumn } from '../../src/define/index.ts'
import { evmTransactions } from '../evm-transactions.ts'

const transaction = evmTransactions.columns

export const evmContracts = derivedView({
  name: 'evm_contracts',
  comment:
    'One row per contract that a transaction of an EVM chain created. Contracts that contracts created, such as those of factories, are those of evm_contracts_created: of blocks that evm-traces has read.',
  dependsOn: ['evm_transactions', 'evm_contracts_created'],
  columns: {
    network: viewColumn(transaction.network),
    chain_id: viewColumn(transaction.chain_id),
    contract_address: viewColumn(transaction.contract_address, 'Address of the contract.'),
    creator_address: viewColumn(
      transaction.from_address,
      'Sender of the transaction, or the contract that created this one.',
    ),
    block_number: viewColumn(transaction.block_number),
    block_time: viewColumn(transaction.block_time),
    transaction_index: viewColumn(transaction.transaction_index),
    transaction_hash: viewColumn(transaction.transaction_hash),
    trace_index: {
      type: 'BIGINT',
      comment:
        'Position of the creation among the calls of the transaction; 0 if the transaction itself creates the contract.',
    },
    init_code_bytes: { type: 'BIGINT', comment: 'Size in bytes of the code that created the contract.' },
    gas_used: viewColumn(transaction.gas_used, 'Gas that the transaction used, or the creation within it.'),
  },
})
