import { below, identity, month, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import {
  collectibleColumns,
  tokenAddressColumns,
  tokenAmountColumns,
  transferPartyColumns,
  transferPlaceColumns,
} from './shared/token-columns.ts'

export const restErc1155Transfers = table({
  name: 'rest_erc1155_transfers',
  comment: 'One row per token id of an ERC-1155 transfer of a watched contract, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number', 'log_index', 'transaction_hash', 'position'],
  sortBy: ['chain_id', 'block_number', 'log_index', 'position'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['token_address', 'token_id', 'amount_raw', 'standard'],
  streamValues: [{ column: 'token_address', parameter: 'contract' }],
  unproven: {
    never: ['standard', 'token_uri', 'metadata'],
    partly: ['token_id', 'amount', 'amount_raw', 'token_address'],
  },
  columns: {
    ...transferPlaceColumns,
    position: t
      .int64(
        'Position among the transfers of the event, in the order of the list (a batch has several); without a log index, among those of the transaction.',
      )
      .partlyUnproven(),
    ...transferPartyColumns,
    ...tokenAmountColumns,
    ...below('erc1155Token', {
      ...tokenAddressColumns,
      ...collectibleColumns,
    }),
  },
})
