import { identity } from '../../src/define/index.ts'
import { observationColumns } from './service-columns.ts'
import { evmChainColumns, ownerColumn, tokenAddressColumns } from './token-columns.ts'

/** Parameters that select the balances of a wallet, with the column that holds the selected values. */
export const walletCoverage = { lists: null, 'contract-address': 'token_address', 'block-number': null } as const

/** Key, partition and coverage of tables of the tokens of a wallet. */
export const tokenBalance = {
  key: ['network', 'chain_id', 'owner', 'token_address', 'token_id', 'observation_id'],
  sortBy: ['chain_id', 'owner', 'token_address'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: walletCoverage },
} as const

/** First columns of these tables. */
export const heldTokenColumns = {
  ...evmChainColumns,
  ...ownerColumn,
  ...observationColumns,
  ...tokenAddressColumns,
}
