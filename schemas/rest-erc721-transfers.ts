import { below, identity, month, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import {
  collectibleColumns,
  tokenAddressColumns,
  tokenNameColumns,
  transferPartyColumns,
  transferPlaceColumns,
} from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const restErc721Transfers = table({
  name: 'rest_erc721_transfers',
  comment: 'One row per ERC-721 transfer of a watched contract, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number', 'log_index', 'transaction_hash', 'position'],
  sortBy: ['chain_id', 'block_number', 'log_index'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['token_address', 'token_id', 'standard'],
  streamValues: [{ column: 'token_address', parameter: 'contract' }],
  unproven: {
    never: ['standard', 'token_name', 'token_symbol', 'token_uri', 'metadata'],
    partly: ['token_id', 'token_address'],
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
    ...below('erc721Token', {
      ...tokenAddressColumns,
      ...tokenNameColumns,
      ...collectibleColumns,
      token_owner_address: t
        .address('Owner of the token when the service answered; null where the service leaves it out.', nullable)
        .at('ownerAddress')
        .unproven(),
    }),
  },
})
