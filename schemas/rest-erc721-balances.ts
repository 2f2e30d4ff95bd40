import type { RowOf } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { heldTokenColumns, tokenBalance } from './shared/token-balance.ts'
import { collectibleColumns, tokenNameColumns } from './shared/token-columns.ts'

export const restErc721Balances = table({
  name: 'rest_erc721_balances',
  comment: 'One row per ERC-721 token that a watched wallet holds, of each time that the wallet was read.',
  ...tokenBalance,
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
  },
})
export type RestErc721Balance = RowOf<typeof restErc721Balances>
