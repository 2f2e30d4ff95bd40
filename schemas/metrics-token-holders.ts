import { identity, type RowOf, t } from '../src/define/index.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { evmChainColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const metricsTokenHolders = table({
  name: 'metrics_token_holders',
  comment:
    'One row per address that held more than a threshold of a token in a window of time, of each time that the list was read.',
  key: [
    'network',
    'chain_id',
    'token_address',
    'balance_threshold',
    'window_start',
    'window_end',
    'observation_id',
    'address',
  ],
  sortBy: ['chain_id', 'token_address', 'address'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...evmChainColumns,
    token_address: t.address('Contract of the token.'),
    balance_threshold: t.text('The balance that the address held more of, in the least unit of the token.'),
    window_start: t.timestamp('Begin of the window (UTC); null: not bounded.', nullable),
    window_end: t.timestamp('End of the window (UTC); null: not bounded.', nullable),
    ...observationColumns,
    address: t.address('The holder.'),
    balance: t.decimal38(
      'The latest balance, which the service sorts by, in the least unit of the token; null when over 38 digits.',
      nullable,
    ),
    balance_raw: t.text('The same as the service wrote it, always exact.'),
  },
})
export type MetricsTokenHolder = RowOf<typeof metricsTokenHolders>
