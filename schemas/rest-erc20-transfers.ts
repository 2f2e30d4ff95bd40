import { below, identity, month, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import {
  optionalPriceColumns,
  tokenAddressColumns,
  tokenAmountColumns,
  tokenLookColumns,
  tokenNameColumns,
  transferPartyColumns,
  transferPlaceColumns,
} from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const restErc20Transfers = table({
  name: 'rest_erc20_transfers',
  comment: 'One row per ERC-20 transfer of a watched wallet or contract, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number', 'log_index', 'transaction_hash', 'position'],
  sortBy: ['chain_id', 'block_number', 'log_index'],
  partitionBy: [identity('network'), month('block_time')],
  lasting: ['token_address', 'amount_raw', 'standard'],
  streamValues: [{ column: 'token_address', parameter: 'contract' }],
  unproven: {
    never: [
      'standard',
      'token_name',
      'token_symbol',
      'token_decimals',
      'token_logo_uri',

      'price_currency',
      'price',
    ],
    partly: ['amount', 'amount_raw', 'token_address'],
  },
  columns: {
    ...transferPlaceColumns,
    position: t
      .int64(
        'Position among the transfers of the transaction that have no log index; null for transfers that have one.',
        nullable,
      )
      .partlyUnproven(),
    ...transferPartyColumns,
    ...tokenAmountColumns,
    ...below('erc20Token', {
      ...tokenAddressColumns,
      ...tokenNameColumns,
      ...tokenLookColumns,
      ...optionalPriceColumns,
    }),
  },
})
