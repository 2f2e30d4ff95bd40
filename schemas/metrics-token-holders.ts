import { identity, t } from '../src/define/index.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { evmChainColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const metricsTokenHolders = table({
  name: 'metrics_token_holders',
  comment:
    'Addresses that held more than a threshold of a token within a time window. One row per address and observation.',
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
    balance_threshold: t.text('Threshold that the balance exceeds, in the least unit of the token.'),
    window_start: t.timestamp('Start of the window (UTC); null: unbounded.', nullable).unproven(),
    window_end: t.timestamp('End of the window (UTC); null: unbounded.', nullable).unproven(),
    ...observationColumns,
    address: t.address('Address of the holder.').at('address').unproven(),
    balance: t
      .decimal38('Latest balance in the least unit of the token; null when it has more than 38 digits.', nullable)
      .at('sortKey', 'digits')
      .partlyUnproven(),
    balance_raw: t
      .text('Latest balance in the least unit of the token, as text with all digits, as the service returned it.')
      .partlyUnproven(),
  },
})
