import { derivedView, t, viewColumn } from '../../src/define/index.ts'
import { evmBlocks } from '../evm-blocks.ts'
import { dayColumn } from '../shared/day-column.ts'

const block = evmBlocks.columns
const fees = t.decimal38('Fees.')

export const evmDaily = derivedView({
  name: 'evm_daily',
  comment:
    'Blocks, transactions, addresses, gas and fees of EVM chains by UTC day. A day that the lake has read in part shows that part: see coverage (evm-blocks).',
  dependsOn: ['evm_blocks', 'evm_transactions'],
  columns: {
    network: viewColumn(block.network),
    chain_id: viewColumn(block.chain_id),
    day: dayColumn,
    block_count: { type: 'BIGINT', comment: 'Number of blocks.' },
    transaction_count: { type: 'BIGINT', comment: 'Number of transactions.' },
    failed_count: { type: 'BIGINT', comment: 'Number of transactions that failed (status 0).' },
    sender_count: { type: 'BIGINT', comment: 'Number of addresses that sent a transaction.' },
    receiver_count: { type: 'BIGINT', comment: 'Number of addresses that transactions were sent to.' },
    contract_count: {
      type: 'BIGINT',
      comment:
        'Number of contracts that transactions created. Contracts that contracts created are in evm_contracts_created.',
    },
    gas_used: { type: 'BIGINT', comment: 'Gas that the transactions used.' },
    fees: viewColumn(
      fees,
      'Gas used times effective gas price, in wei, and the fee for L1 where a receipt states one (OP stack, Scroll); fees for blobs are not included. Null where the node returned no price for a transaction, or one above 10^19 wei.',
    ),
    fees_in_tokens: { type: 'DECIMAL(38,18)', comment: 'The same in whole native tokens (10^18 wei), exact.' },
  },
})
