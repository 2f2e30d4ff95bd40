import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { balancesPipeline } from '../../../pipelines/balances.ts'
import { nodeBlocksPipeline } from '../../../pipelines/node-blocks.ts'
import { restChainsPipeline } from '../../../pipelines/rest-chains.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../../pipelines/rest-utxos.ts'
import { rewardsPipeline } from '../../../pipelines/rewards.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { utxoSetPipeline } from '../../../pipelines/utxo-set.ts'
import { validatorsPipeline } from '../../../pipelines/validators.ts'
import { verticesPipeline } from '../../../pipelines/vertices.ts'
import { walletTransfersPipeline } from '../../../pipelines/wallet-transfers.ts'
import type { Pipeline, Table } from '../../../src/define/index.ts'
import { type LocalServer, startServer } from '../../fetch/local-server.ts'
import { newLake, query } from '../lake-run.ts'
import { listOf, runService } from './devnet-jobs.ts'

type Json = any

/** Changes an answer in place on its way to the client. */
type Lie = (answer: Json, path: string) => void

let node: Devnet
let liar: LocalServer
let lie: Lie
let validating: string[]
let known: Record<'evm' | 'contracts' | 'p' | 'nodes', string[]>

beforeAll(async () => {
  node = await startDevnet({ seed: 9, blocks: 250, legacy: true })
  liar = await startServer(async ({ method, path, body }) => {
    const sent = method === 'POST' ? { method, body, headers: { 'content-type': 'application/json' } } : {}
    const response = await fetch(`${node.url}${path}`, sent)
    const answer = (await response.json()) as Json
    if (response.ok) lie(answer.result ?? answer, path)
    return { status: response.status, body: JSON.stringify(answer), headers: { 'content-type': 'application/json' } }
  })
  const names = ['evm', 'contracts', 'p', 'nodes'] as const
  const lists = await Promise.all(names.map((of) => listOf(node, of)))
  const { validators } = await askNode('platform.getCurrentValidators', {})
  validating = validators.map(({ nodeID }: Json) => nodeID)
  known = Object.fromEntries(names.map((name, at) => [name, lists[at]])) as typeof known
})
afterAll(async () => {
  await liar.close()
  await node.close()
})

async function askNode(method: string, params: object): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${node.url}/ext/bc/P`, { method: 'POST', body, headers })
  return ((await response.json()) as Json).result
}

const run = (lake: string, pipeline: Pipeline, values: object) =>
  runService(liar, lake, [{ pipeline, values: values as Record<string, unknown> }])

/** Number of rows that the job stores in a new lake. */
async function rowsOf(pipeline: Pipeline, values: object, lake = newLake()): Promise<number> {
  await run(lake, pipeline, values)
  const tables = Object.values<Table>(pipeline.tables)
  const counts = await Promise.all(tables.map(({ name }) => query(lake, `SELECT count(*)::INT AS rows FROM ${name}`)))
  return counts.flat().reduce<number>((sum, row) => sum + Number((row as { rows: number }).rows), 0)
}

const foreign = `0x${'de'.repeat(20)}`
const list =
  (...names: readonly string[]) =>
  (answer: Json): Json[] =>
    names.flatMap((name) => answer[name] ?? [])
const chain = { network: 'local', 'chain-id': '43112' }
const primary = { network: 'local', blockchain: 'p-chain' }

type Case = {
  readonly pipeline: Pipeline
  readonly values: () => object
  /** The items of an answer that the case changes. */
  readonly items: (answer: Json) => Json[]
  readonly change: (item: Json) => void
}

const cases: Record<string, Case> = {
  'transfers with neither the wallet': {
    pipeline: walletTransfersPipeline,
    values: () => ({ ...chain, wallets: known.evm.slice(0, 3) }),
    items: list('transactions'),
    change: (item) => Object.assign(item, { from: { address: foreign }, to: { address: foreign } }),
  },
  'transfers of another contract': {
    pipeline: tokenTransfersPipeline,
    values: () => ({ ...chain, contracts: known.contracts }),
    items: list('transfers'),
    change: (item) => {
      for (const token of ['erc20Token', 'erc721Token', 'erc1155Token']) if (item[token]) item[token].address = foreign
    },
  },
  'transfers of a block far outside': {
    pipeline: walletTransfersPipeline,
    values: () => ({ ...chain, wallets: known.evm.slice(0, 3), 'end-block': 100 }),
    items: list('transactions'),
    change: (item) => {
      item.blockNumber = '102'
    },
  },
  'rewards of another node': {
    pipeline: rewardsPipeline,
    values: () => ({ network: 'local', 'node-ids': known.nodes }),
    items: list('historicalRewards'),
    change: (item) => {
      item.nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
    },
  },
  'rewards of neither the address nor the node': {
    pipeline: rewardsPipeline,
    values: () => ({ network: 'local', 'node-ids': known.nodes, addresses: known.p.slice(0, 60) }),
    items: list('historicalRewards'),
    change: (item) => Object.assign(item, { nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', addresses: [foreign] }),
  },
  'blocks of another proposer': {
    pipeline: nodeBlocksPipeline,
    values: () => ({ ...primary, 'node-ids': known.nodes.slice(0, 2) }),
    items: (answer) => list('blocks')(answer).filter((item) => item.proposerDetails?.proposerNodeId),
    change: (item) => {
      item.proposerDetails.proposerNodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
    },
  },
  'blocks of another time': {
    pipeline: nodeBlocksPipeline,
    values: () => ({ ...primary, 'node-ids': known.nodes.slice(0, 2) }),
    items: list('blocks'),
    change: (item) => {
      item.blockTimestamp -= 400_000_000
    },
  },
  'NFTs of another owner': {
    pipeline: balancesPipeline,
    values: () => ({ ...chain, wallets: known.evm }),
    items: (answer) => list('erc721TokenBalances')(answer).filter((item) => item.ownerAddress),
    change: (item) => {
      item.ownerAddress = foreign
    },
  },
  'UTXOs of other owners': {
    pipeline: restUtxosPipeline,
    values: () => ({ ...primary, addresses: known.p.slice(0, 60) }),
    items: list('utxos'),
    change: (item) => {
      item.addresses = ['fuji1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmafyxut']
    },
  },
  'transactions of another time': {
    pipeline: restTransactionsPipeline,
    values: () => ({ ...primary, addresses: known.p.slice(0, 60), 'start-timestamp': 1_600_000_000 }),
    items: (answer) => list('transactions')(answer).slice(1),
    change: (item) => {
      item.blockTimestamp = 1_500_000_000
    },
  },
  'vertices of another height': {
    pipeline: verticesPipeline,
    values: () => ({ network: 'local', blockchain: 'x-chain', 'from-height': 0, 'to-height': 4 }),
    items: list('vertices'),
    change: (item) => {
      item.vertexHeight += 1
    },
  },
  'chains of another network': {
    pipeline: restChainsPipeline,
    values: () => ({ network: 'local' }),
    items: list('chains'),
    change: (item) => {
      item.isTestnet = false
    },
  },
  'validators that were not named': {
    pipeline: validatorsPipeline,
    values: () => ({ 'node-ids': validating.slice(0, 2) }),
    items: list('validators'),
    change: (item) => {
      item.nodeID = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
    },
  },
}

describe('an answer with items that were not requested is refused, and none of its items is stored:', () => {
  test.each(Object.entries(cases))('%s', async (_, { pipeline, values, items, change }) => {
    let told = false
    const isHead = (path: string) => path.includes('pageSize=1') && !path.includes('pageSize=10')
    lie = (answer, path) => {
      const last = isHead(path) ? undefined : items(answer).at(-1)
      if (last === undefined || told) return
      told = true
      change(last)
    }
    const lake = newLake()
    await expect(run(lake, pipeline, values())).rejects.toMatchObject({
      code: 'decode.not-asked',
      exitCode: 4,
      details: { path: expect.stringMatching(/^\//), 'asked for': expect.any(String), item: expect.any(String) },
    })
    expect(told).toBe(true)
    expect(existsSync(lake)).toBe(true)
    lie = () => undefined
    const whole = await rowsOf(pipeline, values())
    expect(whole).toBeGreaterThan(0)
    expect(await rowsOf(pipeline, values(), lake)).toBe(whole)
  })
})

test('an answer of a node with UTXOs of addresses that were not requested is refused', async () => {
  lie = () => undefined
  const [own, other] = [known.p.slice(0, 5), known.p.slice(5, 60)]
  expect(await rowsOf(utxoSetPipeline, { addresses: own })).toBeGreaterThan(0)
  const params = { addresses: other.map((address) => `P-${address}`), limit: 1, encoding: 'hex' }
  const foreign = (await askNode('platform.getUTXOs', params)).utxos[0]
  lie = (answer) => {
    if (Array.isArray(answer.utxos) && answer.utxos.length > 0) answer.utxos[0] = foreign
  }
  await expect(run(newLake(), utxoSetPipeline, { addresses: own })).rejects.toMatchObject({ code: 'decode.not-asked' })
})
