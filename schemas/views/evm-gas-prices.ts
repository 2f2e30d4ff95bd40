import { derivedView, viewColumn } from '../../src/define/index.ts'
import { evmTransactions } from '../evm-transactions.ts'
import { dayColumn } from '../shared/day-column.ts'

const transaction = evmTransactions.columns
const price = (comment: string) => viewColumn(transaction.effective_gas_price, `${comment}, in wei per gas.`)

export const evmGasPrices = derivedView({
  name: 'evm_gas_prices',
  comment:
    'Gas prices that transactions of EVM chains paid, by UTC day: the prices that a share of the transactions did not exceed. A day that the lake has read in part shows that part: see coverage (evm-blocks).',
  dependsOn: ['evm_transactions'],
  columns: {
    network: viewColumn(transaction.network),
    chain_id: viewColumn(transaction.chain_id),
    day: dayColumn,
    transaction_count: { type: 'BIGINT', comment: 'Number of transactions with a known price.' },
    lowest: price('Lowest price'),
    p10: price('Price that a tenth of the transactions did not exceed'),
    p25: price('Price that a quarter of the transactions did not exceed'),
    median: price('Price that half of the transactions did not exceed'),
    p75: price('Price that three quarters of the transactions did not exceed'),
    p90: price('Price that nine tenths of the transactions did not exceed'),
    highest: price('Highest price'),
  },
})
