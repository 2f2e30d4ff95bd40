import { identity, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { heldTokenColumns, walletCoverage } from './shared/token-balance.ts'
import {
  balanceValueColumns,
  optionalPriceColumns,
  tokenBalanceColumns,
  tokenLookColumns,
  tokenNameColumns,
} from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const restErc20Balances = table({
  name: 'rest_erc20_balances',
  comment: 'ERC-20 tokens that a watched wallet holds. One row per token and observation.',
  key: ['network', 'chain_id', 'owner', 'token_address', 'observation_id'],
  sortBy: ['chain_id', 'owner', 'token_address'],
  partitionBy: [identity('network')],
  history: 'observations',
  coverage: { filters: { ...walletCoverage, 'filter-spam-tokens': null } },
  lasting: ['standard'],
  unproven: {
    never: [
      'token_address',
      'standard',
      'token_name',
      'token_symbol',
      'token_decimals',
      'token_logo_uri',
      'price_currency',
      'price',
      'balance_value_currency',
      'balance_value',
    ],
    partly: ['balance', 'balance_raw'],
  },
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...tokenLookColumns,
    ...tokenBalanceColumns,
    ...optionalPriceColumns,
    ...balanceValueColumns,
    token_reputation: t
      .text('What the service thinks of the token: Malicious or Benign.', nullable)
      .at('tokenReputation', 'word')
      .unproven(),
  },
})
