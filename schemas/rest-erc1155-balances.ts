import type { RowOf } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { heldTokenColumns, tokenBalance } from './shared/token-balance.ts'
import { collectibleColumns, tokenBalanceColumns } from './shared/token-columns.ts'

export const restErc1155Balances = table({
  name: 'rest_erc1155_balances',
  comment: 'One row per ERC-1155 token that a watched wallet holds, of each time that the wallet was read.',
  ...tokenBalance,
  columns: {
    ...heldTokenColumns,
    ...collectibleColumns,
    ...tokenBalanceColumns,
  },
})
export type RestErc1155Balance = RowOf<typeof restErc1155Balances>
