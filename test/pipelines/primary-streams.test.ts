import { describe, expect, test } from 'vitest'
import { addressText } from '../../codec/ids.ts'
import { nodeBlocksPipeline } from '../../pipelines/node-blocks.ts'
import { pendingRewardsPipeline } from '../../pipelines/pending-rewards.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../pipelines/rest-utxos.ts'
import { restValidatorsPipeline } from '../../pipelines/rest-validators.ts'
import { rewardsPipeline } from '../../pipelines/rewards.ts'
import { verticesPipeline } from '../../pipelines/vertices.ts'
import type {
  Observation,
  PageChain,
  Pipeline,
  RangeWalk,
  ServiceSettings,
  StreamDeclaration,
} from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { streamId } from '../../src/model.ts'
import { ofService } from './of-service.ts'
import { streamsOf } from './streams-of.ts'

const aliases = { 'p-chain': 'P', 'x-chain': 'X', 'c-chain': 'C' } as const

const settings: ServiceSettings = {
  networkInPath: (network) => `path-of-${network}`,
  blockchain: (_, name) => {
    const alias = aliases[name as 'p-chain']
    return { alias, id: `id-of-${alias}`, pathName: name }
  },
  getAddresses: 2,
  postAddresses: 3,
  tpsPath: '/v1/avg_tps/{chainId}',
  signingSubnetFields: ['signingSubnetId'],
}

const bech32 = (byte: number) => addressText('fuji', new Uint8Array(20).fill(byte))
const [a, b, c, d] = [1, 2, 3, 4].map(bech32) as [string, string, string, string]

/** The streams of a job; parameters that are not given are undefined. */
function streams(pipeline: Pipeline, given: Record<string, unknown>): readonly StreamDeclaration[] {
  const absent = Object.fromEntries(Object.keys(pipeline.parameters).map((name) => [name, undefined]))
  return streamsOf(pipeline, { ...absent, network: 'testnet', ...given }, settings)
}

function idsOf(all: readonly StreamDeclaration[]): string[] {
  return all.map(({ stream }) => streamId(stream))
}

function refusal(pipeline: Pipeline, given: Record<string, unknown>): ConfigError {
  try {
    streams(pipeline, given)
  } catch (error) {
    if (error instanceof ConfigError) return error
  }
  throw new Error('The job was taken.')
}

describe('rest-transactions', () => {
  const job = (given: Record<string, unknown>) => streams(restTransactionsPipeline, { blockchain: 'p-chain', ...given })
  const refused = (given: Record<string, unknown>) =>
    refusal(restTransactionsPipeline, { blockchain: 'p-chain', ...given })

  test('without filters read the list with the newest first, into the table of the chain', () => {
    for (const [name, alias, table] of [
      ['p-chain', 'P', 'rest_p_transactions'],
      ['x-chain', 'X', 'rest_x_transactions'],
      ['c-chain', 'C', 'rest_c_atomic_transactions'],
    ] as const) {
      const all = job({ blockchain: name, addresses: [] })
      expect(idsOf(all)).toEqual([`fuji/rest-transactions/${alias}`])
      expect(Object.values(all[0]!.tables).map((each) => each.name)).toEqual([table])
      const walk = all[0]!.walk as PageChain
      expect(walk).toMatchObject({ kind: 'pageChain', trailing: 3600 })
      expect(walk.list.request('t/1')).toEqual({
        host: 'data',
        method: 'GET',
        path: `/v1/networks/path-of-fuji/blockchains/${name}/transactions`,
        query: { pageSize: 100, sortOrder: 'desc', pageToken: 't/1' },
        weight: 'xl',
      })
    }
  })

  test('with addresses read time windows, in one stream for each chunk of addresses', () => {
    const all = job({ addresses: [`P-${a}`, b, a, `X-${c}`], 'tx-types': ['ExportTx', 'BaseTx'], 'page-size': 5 })
    expect(idsOf(all)).toEqual([
      `fuji/rest-transactions/P?addresses=${a},${b}&txTypes=ExportTx,BaseTx`,
      `fuji/rest-transactions/P?addresses=${c}&txTypes=ExportTx,BaseTx`,
    ])
    const walk = all[0]!.walk as RangeWalk
    expect(walk).toMatchObject({ kind: 'timeWindow', from: 1_599_696_000, to: null })
    expect(ofService(walk.list({ from: 100, to: 200 }).request(null)).query).toEqual({
      addresses: `${a},${b}`,
      txTypes: ['ExportTx', 'BaseTx'],
      startTimestamp: 99,
      endTimestamp: 201,
      pageSize: 5,
      sortOrder: 'asc',
      pageToken: undefined,
      l1ValidationId: undefined,
    })
    expect(ofService(walk.list({ from: 0, to: 1 }).request(null)).query['startTimestamp']).toBe(0)
  })

  test('use the time range and the trailing seconds of the job', () => {
    const given = { 'l1-validation-id': 'v', 'start-timestamp': 10, 'end-timestamp': 20, 'trailing-seconds': 7 }
    const [only] = job(given)
    expect(idsOf([only!])).toEqual(['fuji/rest-transactions/P?l1ValidationId=v'])
    expect(only!.walk).toMatchObject({ kind: 'timeWindow', from: 10, to: 20, trailing: 7 })
  })

  test.each([
    ['tx-types', { 'tx-types': ['BaseTx'] }],
    ['start-timestamp', { 'start-timestamp': 1 }],
    ['end-timestamp', { 'end-timestamp': 1, addresses: [] }],
    ['l1-validation-id', { 'l1-validation-id': 'v', blockchain: 'x-chain' }],
    ['C-Chain', { addresses: [`0x${'a'.repeat(40)}`], blockchain: 'x-chain' }],
    ['end-timestamp', { 'start-timestamp': 5, 'end-timestamp': 5, addresses: [a] }],
  ])('are refused over %s, with a hint', (about, given) => {
    const error = refused(given)
    expect(error.code).toBe('config.parameter')
    expect(error.message).toContain(about)
    expect(error.hint).toMatch(/\.$/)
  })

  test('accept 0x addresses on the C-Chain, write them in lower case, and accept a sort order within ranges', () => {
    const [only] = job({ addresses: [`0x${'A'.repeat(40)}`], blockchain: 'c-chain', 'sort-order': 'desc' })
    const { query } = ofService((only!.walk as RangeWalk).list({ from: 1, to: 2 }).request(null))
    expect(query).toMatchObject({ addresses: `0x${'a'.repeat(40)}`, sortOrder: 'desc' })
  })
})

describe('rest-utxos', () => {
  const job = (given: Record<string, unknown>) => streams(restUtxosPipeline, { blockchain: 'x-chain', ...given })
  const listOf = ({ walk }: StreamDeclaration) => ofService((walk as Observation).subjects[0]!.lists[0]!.request('t'))

  test('of few addresses use GET, include spent outputs and are sorted by time', () => {
    const given = { addresses: [a, `X-${b}`], 'asset-id': 'asset', 'min-utxo-amount': '5', method: 'get' }
    const [only, ...others] = job(given)
    expect(others).toEqual([])
    expect(streamId(only!.stream)).toBe(
      `fuji/rest-utxos/X?addresses=${a},${b}&assetId=asset&includeSpent=true&minUtxoAmount=5`,
    )
    expect(only!.walk).toMatchObject({
      kind: 'snapshot',
      subjects: [{ name: `X?addresses=${a},${b}&assetId=asset&includeSpent=true&minUtxoAmount=5` }],
    })
    expect(listOf(only!)).toEqual({
      host: 'data',
      method: 'GET',
      path: '/v1/networks/path-of-fuji/blockchains/x-chain/utxos',
      query: {
        addresses: `${a},${b}`,
        assetId: 'asset',
        minUtxoAmount: '5',
        includeSpent: true,
        sortBy: 'timestamp',
        sortOrder: 'asc',
        pageSize: 100,
        pageToken: 't',
      },
      weight: 'xl',
    })
  })

  test('of more addresses than a GET takes, or of C- addresses, use POST', () => {
    const all = job({ addresses: [a, b, c, d], 'include-spent': false })
    expect(idsOf(all)).toEqual([
      expect.stringMatching(/^fuji\/rest-utxos\/X\?addresses=.+\+2:[0-9a-f]{16}&includeSpent=false$/),
      `fuji/rest-utxos/X?addresses=${d}&includeSpent=false`,
    ])
    const requested = listOf(all[0]!)
    expect(requested).toMatchObject({ method: 'POST', body: { addresses: `${a},${b},${c}` } })
    expect(requested.query).toMatchObject({ includeSpent: false, pageSize: 1024 })
    expect(requested.query).not.toHaveProperty('addresses')
    expect(listOf(job({ addresses: [`C-${a}`] })[0]!)).toMatchObject({
      method: 'POST',
      body: { addresses: `C-${a}` },
    })
  })

  test('without addresses are one list', () => {
    const [only] = job({})
    expect(streamId(only!.stream)).toBe('fuji/rest-utxos/X?includeSpent=true')
    expect(listOf(only!).query).toMatchObject({ addresses: undefined })
  })

  test.each([
    [{ blockchain: 'p-chain', 'asset-id': 'asset' }, 'X-Chain'],
    [{ blockchain: 'p-chain', 'page-size': 101 }, 'page-size above 100'],
  ])('with %j are refused, with a hint', (given, about) => {
    const error = refusal(restUtxosPipeline, given)
    expect(error).toMatchObject({ code: 'config.parameter', hint: expect.stringMatching(/\.$/) })
    expect(error.message).toContain(about)
    expect(job({ addresses: [`C-${a}`], 'page-size': 1024 })).toHaveLength(1)
  })
})

describe('rewards', () => {
  test('are requested for every chunk of addresses with every chunk of nodes', () => {
    const all = streams(rewardsPipeline, { addresses: [a, b, c], 'node-ids': ['n', 'm', 'o'], currency: 'eur' })
    const requested = all.map(({ walk }) => ofService((walk as PageChain).list.request(null)).query)
    expect(requested.map((query) => [query['addresses'], query['nodeIds']])).toEqual([
      [`${a},${b}`, 'n,m'],
      [`${a},${b}`, 'o'],
      [c, 'n,m'],
      [c, 'o'],
    ])
    expect(requested[0]).toMatchObject({ currency: 'eur', sortOrder: 'desc', pageSize: 100 })
    expect(new Set(idsOf(all)).size).toBe(4)
    expect(idsOf(all)[3]).toBe(`fuji/rewards?addresses=${c}&currency=eur&nodeIds=o`)
  })

  test('of only addresses or only nodes are in USD by default', () => {
    expect(idsOf(streams(rewardsPipeline, { addresses: [`P-${a}`] }))).toEqual([
      `fuji/rewards?addresses=${a}&currency=usd`,
    ])
    expect(idsOf(streams(rewardsPipeline, { 'node-ids': ['n'] }))).toEqual(['fuji/rewards?currency=usd&nodeIds=n'])
  })

  test('without addresses and nodes are refused', () => {
    for (const pipeline of [rewardsPipeline, pendingRewardsPipeline])
      expect(refusal(pipeline, { addresses: [] }).message).toContain('addresses or nodes')
  })

  test('that are pending are observed for each chunk of addresses with each chunk of nodes', () => {
    const all = streams(pendingRewardsPipeline, { addresses: [a, b, `P-${c}`], 'node-ids': ['n'] })
    expect(idsOf(all)).toEqual([
      `fuji/pending-rewards?addresses=${a},${b}&nodeIds=n`,
      `fuji/pending-rewards?addresses=${c}&nodeIds=n`,
    ])
    const { kind, subjects } = all[1]!.walk as Observation
    expect([kind, subjects.map(({ name }) => name)]).toEqual(['snapshot', [`pending-rewards?addresses=${c}&nodeIds=n`]])
    expect(ofService(subjects[0]!.lists[0]!.request(null)).query).toMatchObject({ addresses: c, nodeIds: 'n' })
  })
})

describe('vertices', () => {
  const job = (given: Record<string, unknown>) => streams(verticesPipeline, { blockchain: 'x-chain', ...given })[0]!

  test('are read with the newest first', () => {
    const { stream, walk } = job({})
    expect(streamId(stream)).toBe('fuji/vertices/X')
    expect((walk as PageChain).list.request(null)).toMatchObject({
      path: '/v1/networks/path-of-fuji/blockchains/x-chain/vertices',
      query: { pageSize: 100 },
      weight: 'medium',
    })
  })

  test('with a height range are read height by height, up to the height of the newest one', () => {
    const { stream, walk } = job({ 'from-height': 5, 'sort-order': 'asc' })
    expect(streamId(stream)).toBe('fuji/vertices/X/height')
    const range = walk as RangeWalk
    expect(range).toMatchObject({ kind: 'heightRange', from: 5, to: null, trailing: 0 })
    expect(range.list({ from: 7, to: 8 }).request('t')).toMatchObject({
      path: '/v1/networks/path-of-fuji/blockchains/x-chain/vertices:listByHeight',
      query: { vertexHeight: 7, pageSize: 100, sortOrder: 'asc', pageToken: 't' },
    })
    expect(range.head).toMatchObject({ request: { query: { pageSize: 1 } } })
    expect(job({ 'to-height': 9 }).walk).toMatchObject({ from: 0, to: 9 })
  })

  test('of other chains, of an empty range or with the oldest first are refused', () => {
    expect(refusal(verticesPipeline, { blockchain: 'p-chain' }).message).toContain('X-Chain')
    const empty = { blockchain: 'x-chain', 'from-height': 5, 'to-height': 5 }
    expect(refusal(verticesPipeline, empty).message).toContain('to-height')
    expect(refusal(verticesPipeline, { blockchain: 'x-chain', 'sort-order': 'asc' }).message).toContain('newest')
  })
})

describe('node-blocks', () => {
  test('have one stream for each node', () => {
    const all = streams(nodeBlocksPipeline, {
      blockchain: 'p-chain',
      'node-ids': ['NodeID-a', 'NodeID-b'],
      'start-timestamp': 50,
    })
    expect(idsOf(all)).toEqual(['fuji/node-blocks/P?nodeId=NodeID-a', 'fuji/node-blocks/P?nodeId=NodeID-b'])
    const walk = all[1]!.walk as RangeWalk
    expect(walk).toMatchObject({ kind: 'timeWindow', from: 50, to: null, trailing: 3600 })
    expect(walk.list({ from: 60, to: 90 }).request(null)).toMatchObject({
      path: '/v1/networks/path-of-fuji/blockchains/p-chain/nodes/NodeID-b/blocks',
      query: { startTimestamp: 59, endTimestamp: 91, pageSize: 100 },
    })
  })
})

describe('rest-validators', () => {
  const job = (given: Record<string, unknown>) => streams(restValidatorsPipeline, given)
  const only = (given: Record<string, unknown>) => {
    const { stream, walk } = job(given)[0]!
    const [subject] = (walk as Observation).subjects
    return { id: streamId(stream), subject: subject!.name, list: subject!.lists[0]! }
  }

  test('lists all validators in the order of their transactions', () => {
    const { id, subject, list } = only({})
    expect([id, subject]).toEqual(['fuji/rest-validators', 'validators'])
    expect(ofService(list.request('t'))).toMatchObject({
      host: 'data',
      path: '/v1/networks/path-of-fuji/validators',
      query: { sortBy: 'blockIndex', sortOrder: 'asc', pageSize: 100, pageToken: 't' },
      weight: 'medium',
    })
    expect(list.requested).toEqual({ values: [] })
  })

  test('observes each filter as a subject of its own, which rows must match', () => {
    const { subject, list } = only({ status: 'active', 'subnet-id': 'S', 'node-ids': ['n1'] })
    expect(subject).toBe('validators?status=active&subnet-id=S&node-ids=n1')
    expect(list.requested).toEqual({
      values: [{ validation_status: ['active'] }, { subnet_id: ['S'] }, { node_id: ['n1'] }],
    })
    expect(ofService(list.request(null)).query).toMatchObject({
      validationStatus: 'active',
      subnetId: 'S',
      nodeIds: 'n1',
    })
  })

  test('requests as many nodes at once as the service accepts', () => {
    const all = job({ 'node-ids': ['n1', 'n2', 'n3'] })
    expect(idsOf(all)).toEqual(['fuji/rest-validators?node-ids=n1,n2', 'fuji/rest-validators?node-ids=n3'])
  })
})
