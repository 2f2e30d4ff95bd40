import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pBlocks } from '../p-blocks.ts'
import { pTransactions } from '../p-transactions.ts'

const transaction = pTransactions.columns

export const pProposals = derivedView({
  name: 'p_proposals',
  comment:
    'One row per proposal block of the P-Chain: its transaction, and whether the option block after it committed or aborted it. An aborted AddValidatorTx or AddDelegatorTx adds no staker, and its stake is released at once.',
  dependsOn: ['p_blocks', 'p_transactions', 'p_validations'],
  columns: {
    network: viewColumn(transaction.network),
    height: viewColumn(transaction.height, 'Height of the proposal block.'),
    block_time: viewColumn(transaction.block_time),
    block_id: viewColumn(transaction.block_id, 'Id of the proposal block.'),
    tx_index: viewColumn(transaction.tx_index, 'Position of the proposed transaction in its block: the last.'),
    tx_id: viewColumn(transaction.tx_id, 'Id of the proposed transaction.'),
    tx_type: viewColumn(transaction.tx_type, 'Kind of the proposed transaction.'),
    staked_tx_id: viewColumn(transaction.staked_tx_id, 'The staking transaction that the proposal ends.'),
    chain_time: viewColumn(transaction.chain_time),
    option_height: viewColumn(pBlocks.columns.height, 'Height of the option block; null until it exists.'),
    option_block_id: viewColumn(pBlocks.columns.block_id, 'Id of the option block; null until it exists.'),
    outcome: viewColumn(pBlocks.columns.block_type, 'committed or aborted; null until the option block exists.'),
    stake_ended: {
      type: 'BOOLEAN',
      comment:
        'For reward transactions: whether the stake was released. False where an auto-renewed validator continues. Null until the option block exists, and where the transactions that set the period of an auto-renewed validator are missing in the lake.',
    },
  },
})
