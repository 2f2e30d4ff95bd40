import type { Table } from '../src/define/index.ts'
import { cChainTables } from './c-chain.ts'
import { evmBlocksTables } from './evm-blocks.ts'
import { evmContractsTables } from './evm-contracts.ts'
import { evmStateTables } from './evm-state.ts'
import { lakeTables } from './lake.ts'
import { metricsTables } from './metrics.ts'
import { nodeStateTables } from './node-state.ts'
import { pChainTables } from './p-chain.ts'
import { restNetworksTables } from './rest-networks.ts'
import { restTokensTables } from './rest-tokens.ts'
import { restTransactionsTables } from './rest-transactions.ts'
import { xChainTables } from './x-chain.ts'

/** Every table of the lake, in the order of the documentation. */
export const tables: readonly Table[] = [
  ...lakeTables,
  ...pChainTables,
  ...xChainTables,
  ...cChainTables,
  ...evmBlocksTables,
  ...evmContractsTables,
  ...evmStateTables,
  ...nodeStateTables,
  ...restTransactionsTables,
  ...restNetworksTables,
  ...restTokensTables,
  ...metricsTables,
]
