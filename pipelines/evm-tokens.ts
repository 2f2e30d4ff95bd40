import { evmTokens } from '../schemas/evm-contracts.ts'
import { nativeLogs } from '../src/decode/evm/token-transfers.ts'
import { p } from '../src/define/index.ts'
import { evmAddresses, evmAddressRule } from './shared/parameters.ts'
import { statePipeline, tokenSubject } from './shared/state-pipeline.ts'

/** Every token with a transfer or a balance in the lake. */
const lakeTokens = [
  'evm_token_transfers',
  ...['rest_erc20_transfers', 'rest_erc721_transfers', 'rest_erc1155_transfers'],
  ...['rest_erc20_balances', 'rest_erc721_balances', 'rest_erc1155_balances'],
]
  .map((table) => `SELECT token_address FROM ${table} WHERE token_address NOT IN ('${nativeLogs}')`)
  .join(' UNION ')

export const evmTokensPipeline = statePipeline({
  name: 'evm-tokens',
  comment:
    'Names, symbols, decimals and supplies of tokens of an EVM chain, from its JSON-RPC: of each new token once, or at listed blocks or every n-th block.',
  parameters: {
    tokens: p.list(
      '0x addresses of tokens; inline, from a file or a query (default: every token already in the lake).',
      { ...evmAddressRule, query: `SELECT * FROM (${lakeTokens}) ORDER BY 1` },
    ),
    'known-tokens': p.list(
      'Tokens to leave out in a job without blocks and range, which reads the others at the last final block (default: those with a row).',
      { ...evmAddressRule, query: 'SELECT DISTINCT token_address FROM evm_tokens ORDER BY 1' },
    ),
  },
  table: evmTokens,
  subjects: ({ tokens = [] }) => evmAddresses(tokens).map(tokenSubject),
  newSubjects(subjects, { 'known-tokens': known = [] }) {
    const left = new Set(evmAddresses(known))
    return subjects.filter(({ key }) => !left.has(key['token_address']!))
  },
})
