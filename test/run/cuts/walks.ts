import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmLogsPipeline } from '../../../pipelines/evm-logs.ts'
import { nodeBlocksPipeline } from '../../../pipelines/node-blocks.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { restChainsPipeline } from '../../../pipelines/rest-chains.ts'
import { restEvmBlocksPipeline } from '../../../pipelines/rest-evm-blocks.ts'
import { restIcmMessagesPipeline } from '../../../pipelines/rest-icm-messages.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../../pipelines/rest-utxos.ts'
import { signaturesPipeline } from '../../../pipelines/signatures.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../../pipelines/tps.ts'
import { utxoSetPipeline } from '../../../pipelines/utxo-set.ts'
import { verticesPipeline } from '../../../pipelines/vertices.ts'
import { walletTransfersPipeline } from '../../../pipelines/wallet-transfers.ts'
import type { Devnet } from '../../../src/devnet/serve.ts'
import { listOf, type Requested } from '../lists/devnet-jobs.ts'

/** The network that all walks read. */
export const devnetOptions = { seed: 9, blocks: 250, legacy: true } as const

type Jobs = (node: Devnet) => Promise<readonly Requested[]>

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
  'range of EVM logs, some of them known from blocks': async (node) => [
    { pipeline: evmBlocksPipeline, values: { from: 40, to: 120, finality: 0 } },
    { pipeline: evmLogsPipeline, values: { contracts: await listOf(node, 'contracts'), finality: 0 } },
  ],
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
  'scan of versions': async (node) => {
    const addresses = await listOf(node, 'p')
    return [{ pipeline: restUtxosPipeline, values: { ...lists, blockchain: 'p-chain', addresses, 'page-size': 20 } }]
  },
  'scan with rows that never change': async (node) => {
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
