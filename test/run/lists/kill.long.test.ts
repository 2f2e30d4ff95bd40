import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balancesPipeline } from '../../../pipelines/balances.ts'
import { blockchainsPipeline } from '../../../pipelines/blockchains.ts'
import { cBlocksPipeline } from '../../../pipelines/c-blocks.ts'
import { chainMetricsPipeline } from '../../../pipelines/chain-metrics.ts'
import { nodeBlocksPipeline } from '../../../pipelines/node-blocks.ts'
import { restChainsPipeline } from '../../../pipelines/rest-chains.ts'
import { restIcmMessagesPipeline } from '../../../pipelines/rest-icm-messages.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../../pipelines/rest-utxos.ts'
import { signaturesPipeline } from '../../../pipelines/signatures.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../../pipelines/tps.ts'
import { transactionsByIdPipeline } from '../../../pipelines/transactions-by-id.ts'
import { verticesPipeline } from '../../../pipelines/vertices.ts'
import type { Table } from '../../../src/define/index.ts'
import { type Devnet, startDevnet } from '../../../src/devnet/serve.ts'
import { command, newLake, query, strayFiles } from '../lake-run.ts'
import { argumentsOf, listOf, type Requested, runService, settledRows } from './devnet-jobs.ts'

const network = 'local'
const evm = { network, 'chain-id': '43112', 'unit-pages': 3, 'page-size': 20 }
const primary = { network, 'unit-pages': 3, 'page-size': 20 }

/** A job of each kind of walk. Each is small but commits several times. */
const jobs: Readonly<Record<string, (node: Devnet) => Promise<Requested>>> = {
  pageChain: async () => ({ pipeline: restTransactionsPipeline, values: { ...primary, blockchain: 'p-chain' } }),
  'pageChain of versions': async () => ({ pipeline: restIcmMessagesPipeline, values: { ...primary, 'page-size': 5 } }),
  oldestFirst: async () => {
    const values = { ...primary, blockchain: 'p-chain', 'sort-order': 'asc' }
    return { pipeline: restTransactionsPipeline, values }
  },
  blockWindow: async (node) => {
    const contracts = await listOf(node, 'contracts')
    return { pipeline: tokenTransfersPipeline, values: { ...evm, contracts } }
  },
  timeWindow: async (node) => {
    const nodeIds = (await listOf(node, 'nodes')).slice(0, 6)
    const values = { ...primary, blockchain: 'p-chain', 'node-ids': nodeIds, 'start-timestamp': 1761955200 }
    return { pipeline: nodeBlocksPipeline, values }
  },
  heightRange: async () => {
    const values = { ...primary, blockchain: 'x-chain', 'from-height': 0, 'to-height': 60 }
    return { pipeline: verticesPipeline, values }
  },
  'scan of versions': async (node) => {
    const addresses = await listOf(node, 'p')
    return { pipeline: restUtxosPipeline, values: { ...primary, blockchain: 'p-chain', addresses } }
  },
  'scan of observations': async (node) => {
    const wallets = (await listOf(node, 'evm')).slice(0, 10)
    return { pipeline: balancesPipeline, values: { ...evm, wallets } }
  },
  snapshot: async () => ({ pipeline: restChainsPipeline, values: { network } }),
  series: async () => ({ pipeline: tpsPipeline, values: { network, 'chain-id': '43112' } }),
  'series by month': async () => ({
    pipeline: chainMetricsPipeline,
    values: { network, 'chain-id': '43112', interval: 'month', 'page-size': 1 },
  }),
  keyed: async () => ({
    pipeline: signaturesPipeline,
    values: { network, 'unit-pages': 3, messages: ['0x0001', '0x0002', '0x0003', '0x0004', '0x0005'] },
  }),
  'list whose items are asked for': async () => ({ pipeline: blockchainsPipeline, values: { 'unit-pages': 2 } }),
  'keyed in several calls': async (node) => {
    const lake = newLake()
    await runService(node, lake, [{ pipeline: cBlocksPipeline, values: { to: 60 } }])
    const rows = await query(lake, 'select distinct tx_id from c_atomic_transactions order by 1 limit 9')
    const ids = rows.map((row) => String(row['tx_id']))
    return { pipeline: transactionsByIdPipeline, values: { 'tx-ids': ids, chain: 'C', 'unit-pages': 3 } }
  },
}
/**
 * Steps in the first unit or observation while another unit is in progress: when the files are complete, during the commit, and when the commit
 * is durable.
 */
const commits = ['commit.before-begin', 'commit.after-coverage', 'commit.after-close']
const ranges = ['page.read#5', 'write.after-fsync', ...commits.slice(1)]
const scans = ['page.read#5', 'stage.after-parts#2', 'stage.after-close', ...commits]

/**
 * The steps at which processes die, one after another on the same lake. Each process resumes the work of the previous ones. The tests of
 * the catalog cover kills inside of the catalog.
 */
const chains: Readonly<Record<string, readonly string[]>> = {
  pageChain: ['page.read#2', 'page.read#5', 'write.after-fsync', ...commits],
  'pageChain of versions': ['page.read#2', 'page.read#5', 'write.after-fsync', ...commits],
  oldestFirst: ['page.read#2', 'page.read#5', 'write.after-fsync', ...commits],
  blockWindow: ['page.read#2', ...ranges],
  timeWindow: ranges,
  heightRange: ranges,
  'scan of versions': scans,
  'scan of observations': scans,
  snapshot: ['page.read', ...commits.slice(1)],
  series: ['page.read', ...commits.slice(1)],
  'series by month': ['page.read#3', ...commits.slice(1)],
  keyed: ['page.read#2', ...commits.slice(1)],
  'list whose items are asked for': [
    'page.read#2',
    'page.read#4',
    'stage.after-parts',
    'stage.after-close',
    ...commits,
  ],
  'keyed in several calls': ['page.read#2', 'page.read#8', ...commits.slice(1)],
}

/** Two processes at a time, regardless of the concurrency of the test runner. */
const queue = new PQueue({ concurrency: 2 })

describe('a run over lists that is killed repeatedly', () => {
  let node: Devnet
  const tablesOf = ({ pipeline }: Requested) => Object.values<Table>(pipeline.tables)

  beforeAll(async () => {
    node = await startDevnet({ seed: 9, blocks: 250, legacy: true })
  })
  afterAll(() => node.close())

  test('is tested with every kind of walk', () => {
    expect(Object.keys(chains)).toEqual(Object.keys(jobs))
  })

  test.concurrent.each(Object.entries(jobs))('%s leaves the same rows as a run that is never killed', (kind, job) =>
    queue.add(async () => {
      const requested = await job(node)
      const quiet = newLake()
      await runService(node, quiet, [requested])
      const expected = await settledRows(quiet, tablesOf(requested))
      expect(JSON.stringify(expected)).toMatch(/"rows":[1-9]/)
      const lake = newLake()
      for (const point of chains[kind]!) {
        const { signal, code, stderr } = await command(argumentsOf(requested, node, lake), {
          CHAINLAKE_DIE_AT: point,
        })
        expect({ point, signal, code }, stderr).toEqual({ point, signal: 'SIGKILL', code: null })
      }
      await runService(node, lake, [requested])
      expect(await settledRows(lake, tablesOf(requested))).toEqual(expected)
      expect(await strayFiles(lake)).toEqual([])
    }),
  )
})
