import { identity, type RowOf, t } from '../src/define/index.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { evmChainColumns, optionalPriceColumns, tokenBalanceColumns, tokenNameColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

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
    token_decimals: t.int64('Decimal places of the token.', nullable),
    token_logo_uri: t.text('URL of the token logo.', nullable),
    ...tokenBalanceColumns,
    ...optionalPriceColumns,
    balance_value_currency: t.text('Currency of balance_value, such as usd.', nullable),
    balance_value: t.double('Value of the balance in that currency when the service answered.', nullable),
  },
})
export type RestNativeBalance = RowOf<typeof restNativeBalances>
