import { identity, type RowOf, table } from '../src/define/index.ts'
import { observationColumns } from './shared/service-columns.ts'
import {
  collectibleColumns,
  evmChainColumns,
  ownerColumn,
  tokenAddressColumns,
  tokenBalanceColumns,
} from './shared/token-columns.ts'

export const restErc1155Balances = table({
  name: 'rest_erc1155_balances',
  comment: 'One row per ERC-1155 token that a watched wallet holds, of each time that the wallet was read.',
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
    ...collectibleColumns,
    ...tokenBalanceColumns,
  },
})
export type RestErc1155Balance = RowOf<typeof restErc1155Balances>
