import { t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { heldTokenColumns, tokenBalance } from './shared/token-balance.ts'
import { collectibleColumns, tokenNameColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const restCollectibleBalances = table({
  name: 'rest_collectible_balances',
  comment: 'ERC-721 and ERC-1155 tokens that a watched wallet holds. One row per token and observation.',
  ...tokenBalance,
  lasting: ['standard'],
  unproven: {
    never: ['token_address', 'standard', 'token_name', 'token_symbol', 'token_id', 'token_uri', 'metadata'],
  },
  columns: {
    ...heldTokenColumns,
    ...tokenNameColumns,
    ...collectibleColumns,
    balance: t
      .decimal38('Number of tokens held; null for ERC-721, and when it has more than 38 digits.', nullable)
      .at('balance', 'digits')
      .partlyUnproven(),
    balance_raw: t.text('Number of tokens held, as text with all digits; null for ERC-721.', nullable).partlyUnproven(),
  },
})
