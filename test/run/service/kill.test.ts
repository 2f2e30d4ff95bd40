import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balancesPipeline } from '../../../pipelines/balances.ts'
import { nodeBlocksPipeline } from '../../../pipelines/node-blocks.ts'
import { restChainsPipeline } from '../../../pipelines/rest-chains.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../../pipelines/rest-utxos.ts'
import { signaturesPipeline } from '../../../pipelines/signatures.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../../pipelines/tps.ts'
import { verticesPipeline } from '../../../pipelines/vertices.ts'
import type { Table } from '../../../src/define/index.ts'
import { type Devnet, startDevnet } from '../../../src/devnet/serve.ts'
import { command, newLake, strayFiles } from '../lake-run.ts'
import { type Asked, argumentsOf, listOf, runService, settledRows } from './devnet-jobs.ts'

const network = 'local'
const evm = { network, 'chain-id': '43112', 'unit-pages': 3, 'page-size': 20 }
const primary = { network, 'unit-pages': 3, 'page-size': 20 }

/** A job of each kind of walk, small enough that it commits several times. */
const jobs: Readonly<Record<string, (node: Devnet) => Promise<Asked>>> = {
  pageChain: async () => ({ pipeline: restTransactionsPipeline, values: { ...primary, blockchain: 'p-chain' } }),
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
  keyed: async () => ({
    pipeline: signaturesPipeline,
    values: { network, 'unit-pages': 3, messages: ['0x0001', '0x0002', '0x0003', '0x0004', '0x0005'] },
  }),
}
const scans = ['scan of versions', 'scan of observations']
/** Walks whose answer is one page. */
const short = ['snapshot', 'series']

const points = Object.keys(jobs).flatMap((kind) => {
  const reading = short.includes(kind) ? ['page.read'] : ['page.read#2', 'page.read#5']
  const staging = scans.includes(kind) ? ['stage.after-parts#2', 'stage.after-close'] : []
  const committing = ['commit.before-begin', 'commit.after-coverage', 'commit.after-close']
  return [...reading, 'write.after-fsync', ...staging, ...committing].map((point) => [kind, point] as const)
})

/** Two processes at a time, whatever the test runner starts. */
const queue = new PQueue({ concurrency: 2 })

describe('a run over a service that is killed and started again', () => {
  let node: Devnet
  const quiet = new Map<string, Promise<Record<string, unknown>>>()
  const tablesOf = ({ pipeline }: Asked) => Object.values<Table>(pipeline.tables)

  beforeAll(async () => {
    node = await startDevnet({ seed: 9, blocks: 250, legacy: true })
  })
  afterAll(() => node.close())

  const quietRows = (kind: string, asked: Asked): Promise<Record<string, unknown>> => {
    const known = quiet.get(kind)
    if (known !== undefined) return known
    const lake = newLake()
    const rows = runService(node, lake, [asked]).then(() => settledRows(lake, tablesOf(asked)))
    quiet.set(kind, rows)
    return rows
  }

  test.concurrent.each(points)('%s at %s leaves what a quiet run leaves', (kind, point) =>
    queue.add(async () => {
      const asked = await jobs[kind]!(node)
      const expected = await quietRows(kind, asked)
      expect(JSON.stringify(expected)).toMatch(/"rows":[1-9]/)
      const lake = newLake()
      const { signal, code, stderr } = await command(argumentsOf(asked, node, lake), { CHAINLAKE_DIE_AT: point })
      expect({ signal, code }, stderr).toEqual({ signal: 'SIGKILL', code: null })
      await runService(node, lake, [asked])
      expect(await settledRows(lake, tablesOf(asked))).toEqual(expected)
      expect(await strayFiles(lake)).toEqual([])
    }),
  )
})
