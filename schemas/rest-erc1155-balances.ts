import { table } from './shared/table.ts'
import { heldTokenColumns, tokenBalance } from './shared/token-balance.ts'
import { collectibleColumns, tokenBalanceColumns } from './shared/token-columns.ts'

export const restErc1155Balances = table({
  name: 'rest_erc1155_balances',
  comment: 'ERC-1155 tokens that a watched wallet holds. One row per token and observation.',
  ...tokenBalance,
  lasting: ['standard'],
  unproven: {
    never: ['token_address', 'standard', 'token_id', 'token_uri', 'metadata'],
    partly: ['balance', 'balance_raw'],
  },
  columns: {
    ...heldTokenColumns,
    ...collectibleColumns,
    ...tokenBalanceColumns,
  },
})
