import { identity, t } from '../src/define/index.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import {
  balanceValueColumns,
  evmChainColumns,
  optionalPriceColumns,
  tokenBalanceColumns,
  tokenLookColumns,
  tokenNameColumns,
} from './shared/token-columns.ts'

export const restNativeBalances = table({
  name: 'rest_native_balances',
  comment: 'Native token balance of a watched wallet. One row per wallet and observation.',
  key: ['network', 'chain_id', 'address', 'observation_id'],
  sortBy: ['chain_id', 'address'],
  partitionBy: [identity('network')],
  history: 'observations',
  unproven: {
    never: [
      'token_name',
      'token_symbol',
      'token_decimals',
      'token_logo_uri',
      'balance_value_currency',
      'balance_value',
      'price_currency',
      'price',
    ],
    partly: ['balance', 'balance_raw'],
  },
  columns: {
    ...evmChainColumns,
    address: t.address('Address of the wallet.'),
    ...observationColumns,
    ...tokenNameColumns,
    ...tokenLookColumns,
    ...tokenBalanceColumns,
    ...optionalPriceColumns,
    ...balanceValueColumns,
  },
})
