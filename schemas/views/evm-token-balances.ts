import { derivedView, t, viewColumn } from '../../src/define/index.ts'
import { evmTokenTransfers } from '../evm-token-transfers.ts'
import { dayColumn } from '../shared/day-column.ts'
import { tokenBalanceColumns } from '../shared/token-columns.ts'

const transfer = evmTokenTransfers.columns
const change = t.decimal38('Change.')

export const evmTokenBalances = derivedView({
  name: 'evm_token_balances',
  comment:
    'Balances of tokens by UTC day, from evm_token_transfers: one row per token, address and day with a transfer. A balance is right only if the lake has all transfers of the token from its first block on (see coverage); otherwise it misses what came before, and may be negative. Changes without a Transfer event are missing, such as those of rebasing tokens and of tokens that mint without one. The zero address is left out, because transfers from it mint and transfers to it burn: the sum over all addresses is the supply.',
  dependsOn: ['evm_token_transfers'],
  columns: {
    network: viewColumn(transfer.network),
    chain_id: viewColumn(transfer.chain_id),
    standard: viewColumn(transfer.standard),
    token_address: viewColumn(transfer.token_address),
    token_id: viewColumn(transfer.token_id),
    address: { type: 'VARCHAR', comment: 'Address that holds the tokens.' },
    day: dayColumn,
    next_day: {
      type: 'DATE',
      comment:
        'Next day with a transfer of the token from or to the address: the balance holds until that day begins. Null in the last row, which has the newest balance.',
    },
    transfer_count: {
      type: 'BIGINT',
      comment: 'Number of transfers from and to the address on that day; one to itself counts twice.',
    },
    balance_change: viewColumn(
      change,
      'What the address received minus what it sent on that day, in the least unit of the token; null when it has more than 38 digits.',
    ),
    balance_change_raw: {
      type: 'VARCHAR',
      comment: 'The same change in the least unit of the token, as text with all digits.',
    },
    balance: viewColumn(
      tokenBalanceColumns.balance,
      'Balance at the end of that day in the least unit of the token; null when it has more than 38 digits.',
    ),
    balance_raw: {
      type: 'VARCHAR',
      comment: 'The same balance in the least unit of the token, as text with all digits.',
    },
  },
})
