import { identity, type RowOf, table } from '../src/define/index.ts'
import { observationColumns } from './shared/service-columns.ts'
import {
  collectibleColumns,
  evmChainColumns,
  ownerColumn,
  tokenAddressColumns,
  tokenNameColumns,
} from './shared/token-columns.ts'

export const restErc721Balances = table({
  name: 'rest_erc721_balances',
  comment: 'One row per ERC-721 token that a watched wallet holds, of each time that the wallet was read.',
  key: ['network', 'chain_id', 'owner', 'token_address', 'token_id', 'observation_id'],
  sortBy: ['chain_id', 'owner', 'token_address'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  columns: {
    ...evmChainColumns,
    ...ownerColumn,
    ...observationColumns,
    ...tokenAddressColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
  },
})
export type RestErc721Balance = RowOf<typeof restErc721Balances>
