import { table } from './shared/table.ts'
import { heldTokenColumns, tokenBalance } from './shared/token-balance.ts'
import { collectibleColumns, tokenNameColumns } from './shared/token-columns.ts'

export const restErc721Balances = table({
  name: 'rest_erc721_balances',
  comment: 'ERC-721 tokens that a watched wallet holds. One row per token and observation.',
  ...tokenBalance,
  lasting: ['standard'],
  unproven: {
    never: ['token_address', 'standard', 'token_name', 'token_symbol', 'token_id', 'token_uri', 'metadata'],
  },
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
  },
})
