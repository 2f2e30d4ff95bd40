import type { Table } from '../src/define/index.ts'
import * as cChain from './c-chain.ts'
import * as evmBlocks from './evm-blocks.ts'
import * as evmContracts from './evm-contracts.ts'
import * as evmState from './evm-state.ts'
import ids from './ids.json' with { type: 'json' }
import * as lake from './lake.ts'
import * as metrics from './metrics.ts'
import * as nodeState from './node-state.ts'
import * as pChain from './p-chain.ts'
import * as restNetworks from './rest-networks.ts'
import * as restTokens from './rest-tokens.ts'
import * as restTransactions from './rest-transactions.ts'
import * as xChain from './x-chain.ts'

/** Each exports its tables, and nothing else but types. */
const pages = [
  ...[lake, pChain, xChain, cChain, evmBlocks, evmContracts, evmState, nodeState],
  ...[restTransactions, restNetworks, restTokens, metrics],
]
const order = new Map(Object.keys(ids).map((name, at) => [name, at]))

/** Every table of the lake, in the order of `ids.json`, which is that of the documentation. `npm run ids` adds a new table at its end. */
export const tables: readonly Table[] = pages
  .flatMap((page) => Object.values<Table>(page))
  .sort((a, b) => rank(a) - rank(b))

function rank({ name }: Table): number {
  return order.get(name) ?? order.size
}
