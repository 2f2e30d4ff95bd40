import { join } from 'node:path'
import type { Devnet } from '../../../devnet/serve.ts'
import { evmBalancesPipeline } from '../../../pipelines/evm-balances.ts'
import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmEventsPipeline } from '../../../pipelines/evm-events.ts'
import { evmLogsPipeline } from '../../../pipelines/evm-logs.ts'
import { evmStateDiffsPipeline } from '../../../pipelines/evm-state-diffs.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import { nodeBlocksPipeline } from '../../../pipelines/node-blocks.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { restChainsPipeline } from '../../../pipelines/rest-chains.ts'
import { restEvmBlocksPipeline } from '../../../pipelines/rest-evm-blocks.ts'
import { restIcmMessagesPipeline } from '../../../pipelines/rest-icm-messages.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../../pipelines/rest-utxos.ts'
import { eventTables } from '../../../pipelines/shared/contract-abi.ts'
import { signaturesPipeline } from '../../../pipelines/signatures.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../../pipelines/tps.ts'
import { utxoSetPipeline } from '../../../pipelines/utxo-set.ts'
import { verticesPipeline } from '../../../pipelines/vertices.ts'
import { walletTransfersPipeline } from '../../../pipelines/wallet-transfers.ts'
import { loadPipelines } from '../../../src/cli/jobs/known-pipelines.ts'
import { serviceHosts } from '../../../src/cli/service-settings.ts'
import type { Pipeline, Range, Table } from '../../../src/define/index.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import type { ServiceHost } from '../../../src/sources/service-profile.ts'
import { listOf, type Requested } from '../lists/devnet-jobs.ts'

/** The network that all walks read. */
export const devnetOptions = { seed: 9, blocks: 250, legacy: true } as const

/** A job. `tables`: those that depend on its values; default: those of its pipeline. `services`: those of its list. */
export type CutJob = Requested & { readonly tables?: readonly Table[]; readonly services?: readonly ServiceHost[] }
type Jobs = (node: Devnet) => Promise<readonly CutJob[]>

/** A pipeline of the configuration of an example. */
async function exampleOf(folder: string, name: string): Promise<Pipeline> {
  const config = join(packageRoot(), 'examples', folder, 'chainlake.yaml')
  return (await loadPipelines({ config })).find((each) => each.name === name)!
}

const lists = { network: 'local', 'unit-pages': 3 }
const evm = { ...lists, 'chain-id': '43112' }

const transactions =
  (blockchain: string, pageSize: number, more: object = {}): Jobs =>
  async () => {
    const values = { ...lists, blockchain, 'page-size': pageSize, ...more }
    return [{ pipeline: restTransactionsPipeline, values }]
  }

/** Jobs of each kind of walk. They are small, but divided into units so that each commits a few times. */
export const walks: Readonly<Record<string, Jobs>> = {
  'range of containers': async () => [{ pipeline: pBlocksPipeline, values: { raw: true, unit: 100 } }],
  'range of EVM blocks': async () => [{ pipeline: evmBlocksPipeline, values: { unit: 80, finality: 0 } }],
  'range of EVM traces': async () => [{ pipeline: evmTracesPipeline, values: { unit: 80, finality: 0 } }],
  'range of EVM state changes': async () => [
    { pipeline: evmStateDiffsPipeline, values: { unit: 80, finality: 0, reads: true } },
  ],
  'range of EVM logs, some of them known from blocks': async (node) => [
    { pipeline: evmBlocksPipeline, values: { from: 40, to: 120, finality: 0 } },
    { pipeline: evmLogsPipeline, values: { contracts: await listOf(node, 'contracts'), finality: 0 } },
  ],
  'decoded events': async (node) => {
    const events = [
      'event Transfer(address indexed from, address indexed to, uint256 value)',
      'event Approval(address indexed owner, address indexed spender, uint256 value)',
    ]
    const tables = (await eventTables({ events, abi: undefined, table: undefined })).map(({ table }) => table)
    const values = { events, contracts: await listOf(node, 'contracts'), finality: 0 }
    return [{ pipeline: evmEventsPipeline, values, tables }]
  },
  'state of an EVM chain': async (node) => {
    const addresses = (await listOf(node, 'evm')).slice(0, 8)
    return [
      { pipeline: evmBalancesPipeline, values: { addresses, blocks: ['3', '80', '200'], 'unit-pages': 8 } },
      { pipeline: evmBalancesPipeline, values: { addresses, step: 10, finality: 0 } },
    ]
  },
  'own pipeline': async () => {
    const own = await exampleOf('pipelines/gas-by-block', 'gas-by-block')
    const streams: Pipeline['streams'] = async (values, facts) =>
      (await own.streams(values, facts)).map((each) => ({ ...each, walk: { ...(each.walk as Range), unit: 80 } }))
    return [{ pipeline: { ...own, streams }, values: {} }]
  },
  'own list': async (node) => {
    const pipeline = await exampleOf('lists', 'block-heads')
    const services = serviceHosts({ explorer: { url: `${node.url}/v1` } }, [pipeline])
    return [{ pipeline, values: { 'chain-id': '43112', 'page-size': 30, 'unit-pages': 3 }, services }]
  },
  'pageChain of the P chain': transactions('p-chain', 50),
  'pageChain of the X chain': transactions('x-chain', 50),
  'pageChain of the C chain': transactions('c-chain', 20),
  'pageChain of EVM blocks': async () => [{ pipeline: restEvmBlocksPipeline, values: { ...evm, 'page-size': 30 } }],
  'pageChain of versions': async () => [{ pipeline: restIcmMessagesPipeline, values: { ...lists, 'page-size': 5 } }],
  'oldestFirst of the P chain': transactions('p-chain', 50, { 'sort-order': 'asc' }),
  'oldestFirst of the X chain': transactions('x-chain', 50, { 'sort-order': 'asc' }),
  'blockWindow of contracts': async (node) => {
    const contracts = await listOf(node, 'contracts')
    return [{ pipeline: tokenTransfersPipeline, values: { ...evm, contracts, 'page-size': 20 } }]
  },
  'blockWindow of wallets': async (node) => {
    const wallets = (await listOf(node, 'evm')).slice(0, 8)
    return [{ pipeline: walletTransfersPipeline, values: { ...evm, wallets, 'page-size': 20 } }]
  },
  timeWindow: async (node) => {
    const nodeIds = (await listOf(node, 'nodes')).slice(0, 6)
    const values = {
      ...lists,
      blockchain: 'p-chain',
      'node-ids': nodeIds,
      'start-timestamp': 1761955200,
      'page-size': 20,
    }
    return [{ pipeline: nodeBlocksPipeline, values }]
  },
  heightRange: async () => {
    const values = { ...lists, blockchain: 'x-chain', 'from-height': 0, 'to-height': 60, 'unit-pages': 20 }
    return [{ pipeline: verticesPipeline, values }]
  },
  'snapshot of versions': async (node) => {
    const addresses = await listOf(node, 'p')
    return [{ pipeline: restUtxosPipeline, values: { ...lists, blockchain: 'p-chain', addresses, 'page-size': 20 } }]
  },
  'snapshot with rows that never change': async (node) => {
    const addresses = (await listOf(node, 'p')).slice(0, 30)
    return [{ pipeline: utxoSetPipeline, values: { addresses, limit: 20 } }]
  },
  snapshot: async () => [{ pipeline: restChainsPipeline, values: { network: 'local' } }],
  series: async () => [{ pipeline: tpsPipeline, values: { network: 'local', 'chain-id': '43112' } }],
  keyed: async () => {
    const messages = ['0x0001', '0x0002', '0x0003', '0x0004', '0x0005', '0x0006', '0x0007']
    return [{ pipeline: signaturesPipeline, values: { ...lists, messages } }]
  },
}
