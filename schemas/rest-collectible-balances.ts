import { type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { heldTokenColumns, tokenBalance } from './shared/token-balance.ts'
import { collectibleColumns, tokenNameColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const restCollectibleBalances = table({
  name: 'rest_collectible_balances',
  comment: 'One row per ERC-721 or ERC-1155 token that a watched wallet holds, of each time that the wallet was read.',
  ...tokenBalance,
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
    balance: t.decimal38('Amount held; null for ERC-721 and when over 38 digits.', nullable),
    balance_raw: t.text('Amount held as text, always exact; null for ERC-721.', nullable),
  },
})
export type RestCollectibleBalance = RowOf<typeof restCollectibleBalances>
