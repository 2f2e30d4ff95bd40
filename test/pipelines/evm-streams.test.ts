import { describe, expect, test } from 'vitest'
import { balancesPipeline } from '../../pipelines/balances.ts'
import { chainMetricsPipeline } from '../../pipelines/chain-metrics.ts'
import { holdersPipeline } from '../../pipelines/holders.ts'
import { restChainsPipeline } from '../../pipelines/rest-chains.ts'
import { restEvmBlocksPipeline } from '../../pipelines/rest-evm-blocks.ts'
import { restIcmMessagesPipeline } from '../../pipelines/rest-icm-messages.ts'
import { tokenTransfersPipeline } from '../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../pipelines/tps.ts'
import { walletTransfersPipeline } from '../../pipelines/wallet-transfers.ts'
import type {
  Observation,
  PageChain,
  Pipeline,
  RangeWalk,
  Series,
  ServiceRequest,
  ServiceSettings,
  StreamDeclaration,
} from '../../src/define/index.ts'
import { streamId } from '../../src/model.ts'
import { ofService } from './of-service.ts'
import { streamsOf } from './streams-of.ts'

const settings: ServiceSettings = {
  networkInPath: (network) => `path-of-${network}`,
  blockchain: () => {
    throw new Error('not for EVM chains')
  },
  getAddresses: 64,
  postAddresses: 64,
  tpsPath: '/v1/avg_tps/{chainId}',
  signingSubnetFields: ['signingSubnetId'],
}
const today = { ...settings, tpsPath: '/v2/chains/{chainId}/metrics/avgTps' }

const chain = { network: 'testnet', 'chain-id': '43113' }
const wallet = (n: number) => `0x${n.toString(16).padStart(40, 'A')}`
const addresses = (count: number) => Array.from({ length: count }, (_, n) => wallet(n))

/** Sets every parameter that is not given to undefined. */
function values<P extends { parameters: object }>(pipeline: P, given: Record<string, unknown>): any {
  const absent = Object.fromEntries(Object.keys(pipeline.parameters).map((name) => [name, undefined]))
  return { ...absent, ...given }
}

function code(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return (error as { code?: string }).code
  }
  return null
}

describe.each([
  [walletTransfersPipeline, 'wallets', 'wallet', '/v1/chains/43113/addresses/', '/transactions:listErc20'],
  [tokenTransfersPipeline, 'contracts', 'contract', '/v1/chains/43113/tokens/', '/transfers'],
] as const)('$name', (pipeline, list, name, before, after) => {
  const streams = (given: object) =>
    streamsOf(pipeline, values(pipeline, { ...chain, [list]: [wallet(1)], ...given }), settings)

  test('declares one stream for each distinct address, in lower case', () => {
    const ids = streams({ [list]: [wallet(1), wallet(1).toLowerCase(), wallet(2)] }).map(({ stream }) =>
      streamId(stream),
    )
    expect(ids).toEqual([1, 2].map((n) => `fuji/${pipeline.name}/43113?${name}=${wallet(n).toLowerCase()}`))
    expect(streams({ [list]: [] })).toEqual([])
  })

  test('requests a range of blocks with the page size and the page token', () => {
    const walk = streams({ 'page-size': 7 })[0]!.walk as RangeWalk
    const requested = walk.list({ from: 5, to: 9 }).request('token')
    expect(requested).toEqual({
      host: 'data',
      method: 'GET',
      path: `${before}${wallet(1).toLowerCase()}${after}`,
      query: { startBlock: 5, endBlock: 9, pageSize: 7, pageToken: 'token' },
      weight: 'medium',
    })
    expect(ofService(walk.list({ from: 5, to: 9 }).request(null)).query['pageToken']).toBeUndefined()
    expect(
      ofService((streams({})[0]!.walk as RangeWalk).list({ from: 0, to: 1 }).request(null)).query['pageSize'],
    ).toBe(100)
  })

  test('walks from the genesis block to the newest block, or over the range of the job', () => {
    const walk = streams({})[0]!.walk as RangeWalk
    expect(walk).toMatchObject({ kind: 'blockWindow', from: 0, to: null, trailing: 200 })
    expect('request' in walk.head && walk.head.request).toMatchObject({
      path: '/v1/chains/43113/blocks',
      query: { pageSize: 1 },
      weight: 'small',
    })
    const bounded = streams({ 'start-block': 5, 'end-block': 6, 'trailing-blocks': 0 })[0]!.walk
    expect(bounded).toMatchObject({ from: 5, to: 6, trailing: 0 })
    expect(streamId(streams({ 'start-block': 5 })[0]!.stream)).toBe(streamId(streams({})[0]!.stream))
  })

  test('refuses an empty range', () => {
    expect(code(() => streams({ 'start-block': 6, 'end-block': 6 }))).toBe('config.parameter')
    expect(code(() => streams({ 'end-block': 0 }))).toBe('config.parameter')
  })
})

test('rest-evm-blocks lists blocks with the newest first', () => {
  const given = values(restEvmBlocksPipeline, chain)
  const [only] = streamsOf(restEvmBlocksPipeline, given, settings)
  expect(streamId(only!.stream)).toBe('fuji/rest-evm-blocks/43113')
  const walk = only!.walk as PageChain
  expect(walk).toMatchObject({ kind: 'pageChain', trailing: 3600 })
  expect(walk.list.request('t')).toMatchObject({
    path: '/v1/chains/43113/blocks',
    query: { pageSize: 100, pageToken: 't' },
  })
})

test('rest-icm-messages lists messages with the newest first, and each filter is a stream whose rows must match', () => {
  const only = (given: object) => {
    const [{ stream, walk }] = streamsOf(
      restIcmMessagesPipeline,
      values(restIcmMessagesPipeline, { network: 'testnet', ...given }),
      settings,
    ) as [StreamDeclaration<PageChain>]
    return { id: streamId(stream), walk }
  }
  const all = only({})
  expect(all.id).toBe('fuji/rest-icm-messages')
  expect(all.walk).toMatchObject({ kind: 'pageChain', trailing: 3600, list: { requested: { values: [] } } })
  expect(all.walk.list.request('t')).toMatchObject({
    path: '/v1/icm/messages',
    query: { network: 'path-of-fuji', pageSize: 100, pageToken: 't' },
    weight: 'medium',
  })
  const some = only({ 'blockchain-id': 'B', 'from-address': wallet(1), 'to-address': wallet(2) })
  const [from, to] = [wallet(1).toLowerCase(), wallet(2).toLowerCase()]
  expect(some.id).toBe(`fuji/rest-icm-messages?blockchain-id=B&from-address=${from}&to-address=${to}`)
  expect(some.walk.list.request(null)).toMatchObject({ query: { blockchainId: 'B', from, to } })
  expect(some.walk.list.requested?.values).toEqual([
    { source_blockchain_id: ['B'], destination_blockchain_id: ['B'] },
    { from_address: [from] },
    { to_address: [to] },
  ])
})

test('rest-chains requests the network by its name in URLs', () => {
  const [all] = streamsOf(restChainsPipeline, values(restChainsPipeline, { network: 'fuji' }), settings)
  expect(streamId(all!.stream)).toBe('fuji/rest-chains')
  const [some] = streamsOf(
    restChainsPipeline,
    values(restChainsPipeline, { network: 'testnet', feature: 'webhooks' }),
    settings,
  )
  expect(streamId(some!.stream)).toBe('fuji/rest-chains?feature=webhooks')
  const [subject] = (some!.walk as Observation).subjects
  expect(subject!.name).toBe('chains?feature=webhooks')
  expect(subject!.lists[0]!.request(null)).toMatchObject({
    path: '/v1/chains',
    query: { network: 'path-of-fuji', feature: 'webhooks' },
    weight: 'free',
  })
})

describe('balances', () => {
  const streams = (given: object) =>
    streamsOf(balancesPipeline, values(balancesPipeline, { ...chain, ...given }), settings)

  test('are read in streams of 64 wallets, and each wallet is a subject', () => {
    const all = streams({ wallets: addresses(130) })
    expect(all.map(({ walk }) => (walk as Observation).subjects.length)).toEqual([64, 64, 2])
    expect(new Set(all.map(({ stream }) => streamId(stream))).size).toBe(3)
    expect((all[2]!.walk as Observation).subjects[1]!.name).toBe(`43113/${wallet(129).toLowerCase()}`)
  })

  test('request each list with its filters', () => {
    const [only] = streams({ wallets: [wallet(1)], 'contract-address': wallet(9), 'block-number': 12 })
    const [subject] = (only!.walk as Observation).subjects
    const contractAddress = wallet(9).toLowerCase()
    expect(subject!.name).toBe(`43113/${wallet(1).toLowerCase()}?contract-address=${contractAddress}&block-number=12`)
    expect(
      subject!.lists
        .map((list) => ofService(list.request(null)))
        .map(({ path, query }) => [path.split('/').at(-1), query]),
    ).toEqual([
      [
        'balances:listErc20',
        {
          contractAddresses: contractAddress,
          filterSpamTokens: false,
          blockNumber: 12,
          pageSize: 500,
          pageToken: undefined,
        },
      ],
      ['balances:listErc1155', { contractAddress, blockNumber: 12, pageSize: 500, pageToken: undefined }],
      ['balances:listErc721', { contractAddress, blockNumber: undefined, pageSize: 500, pageToken: undefined }],
      ['balances:listCollectibles', { contractAddress, blockNumber: undefined, pageSize: 500, pageToken: undefined }],
    ])
  })

  test('of some lists have another subject and another stream than balances of all lists', () => {
    const [some] = streams({ wallets: [wallet(1)], lists: ['collectibles', 'erc721'] })
    const [all] = streams({ wallets: [wallet(1)], lists: ['collectibles', 'erc721', 'erc1155', 'native', 'erc20'] })
    expect((some!.walk as Observation).subjects[0]!.lists).toHaveLength(2)
    expect((some!.walk as Observation).subjects[0]!.name).toContain('?lists=erc721,collectibles')
    expect(streamId(some!.stream)).not.toBe(streamId(all!.stream))
    expect(streamId(all!.stream)).toBe(streamId(streams({ wallets: [wallet(1)] })[0]!.stream))
  })

  test('refuse a block number for lists that take none, and an empty choice of lists', () => {
    const wallets = [wallet(1)]
    expect(code(() => streams({ wallets, lists: ['erc721'], 'block-number': 1 }))).toBe('config.parameter')
    expect(code(() => streams({ wallets, lists: [] }))).toBe('config.parameter')
    expect(code(() => streams({ wallets, lists: ['erc721'], 'filter-spam-tokens': true }))).toBe('config.parameter')
  })

  test('request the native balance alone only if no other list has it at the same block', () => {
    const routes = (given: object) => {
      const [only] = streams({ wallets: [wallet(1)], ...given })
      const [subject] = (only!.walk as Observation).subjects
      return subject!.lists.map((list) => ofService(list.request(null)).path.split(':').at(-1))
    }
    expect(routes({ lists: ['native'] })).toEqual(['getNative'])
    expect(routes({ lists: ['native', 'collectibles'] })).toEqual(['getNative', 'listCollectibles'])
    expect(routes({ lists: ['native', 'erc721'] })).toEqual(['listErc721'])
    expect(routes({ lists: ['native', 'erc721'], 'block-number': 12 })).toEqual(['getNative', 'listErc721'])
    expect(routes({})).toEqual(['listErc20', 'listErc1155', 'listErc721', 'listCollectibles'])
  })
})

describe('holders', () => {
  const streams = (given: object) =>
    streamsOf(
      holdersPipeline,
      values(holdersPipeline, { ...chain, contracts: [wallet(1)], threshold: '0010', ...given }),
      settings,
    )

  test('are requested from the metrics host with a threshold and a window', () => {
    const [only] = streams({ 'start-timestamp': 100, 'end-timestamp': 200 })
    const [subject] = (only!.walk as Observation).subjects
    const contract = wallet(1).toLowerCase()
    expect(subject!.name).toBe(`43113/${contract}?threshold=10&start-timestamp=100&end-timestamp=200`)
    expect(subject!.lists[0]!.request('t')).toEqual({
      host: 'metrics',
      method: 'GET',
      path: `/v2/chains/43113/contracts/${contract}/balances`,
      query: { threshold: '10', startTimestamp: 100, endTimestamp: 200, pageSize: 5000, pageToken: 't' },
      weight: 'xl',
      gone: expect.stringContaining('no longer has this route'),
    })
    expect(streamId(streams({ threshold: '10' })[0]!.stream)).toBe(streamId(streams({})[0]!.stream))
  })

  test('refuse an empty window', () => {
    expect(code(() => streams({ 'start-timestamp': 200, 'end-timestamp': 200 }))).toBe('config.parameter')
  })
})

describe('tps', () => {
  const streams = (given: object, of = settings) =>
    streamsOf(tpsPipeline, values(tpsPipeline, { ...chain, ...given }), of)

  test('requests the path of the specification without further parameters', () => {
    const [only] = streams({})
    expect(streamId(only!.stream)).toBe('fuji/tps/43113?interval=day')
    expect(only!.walk).toMatchObject({ kind: 'series', from: 1_599_696_000, interval: 86_400, again: 3 })
    expect((only!.walk as Series).list.request('t')).toEqual({
      host: 'metrics',
      method: 'GET',
      path: '/v1/avg_tps/43113',
      query: { pageToken: 't' },
      weight: 'medium',
    })
  })

  test("requests today's path with bounds, interval and page size", () => {
    const [only] = streams({ 'start-timestamp': 1, 'end-timestamp': 2, again: 5 }, today)
    expect(only!.walk).toMatchObject({ again: 5 })
    expect((only!.walk as Series).list.request(null)).toMatchObject({
      path: '/v2/chains/43113/metrics/avgTps',
      query: { startTimestamp: 1, endTimestamp: 2, timeInterval: 'day', pageSize: 2160 },
    })
  })

  test('refuses parameters that the path of the profile does not take, and an empty window', () => {
    for (const name of ['start-timestamp', 'end-timestamp', 'page-size'])
      expect(code(() => streams({ [name]: 1 }))).toBe('config.parameter')
    expect(code(() => streams({ 'start-timestamp': 2, 'end-timestamp': 2 }, today))).toBe('config.parameter')
  })
})

describe('chain-metrics', () => {
  const job = (given: object) =>
    streamsOf(chainMetricsPipeline, values(chainMetricsPipeline, { ...chain, ...given }), settings)

  test('reads each metric as a series of its own', () => {
    const all = job({})
    expect(all).toHaveLength(17)
    expect(streamId(all[0]!.stream)).toContain('/chain-metrics/43113?interval=day&metric=activeAddresses')
    const { list, interval } = all[0]!.walk as Series
    expect(interval).toBe(86_400)
    expect(ofService(list.request(null))).toMatchObject({
      host: 'metrics',
      path: '/v2/chains/43113/metrics/activeAddresses',
      query: { timeInterval: 'day', pageSize: 2160 },
    })
  })

  test('has months of the calendar, for metrics that the service has by month', () => {
    const all = job({ interval: 'month' })
    expect(all.map(({ walk }) => (walk as Series).interval)).toEqual(Array(7).fill('month'))
    expect(all.map(({ stream }) => stream.parameters['metric'])).not.toContain('avgTps')
    expect(code(() => job({ interval: 'hour', metrics: ['maxGps'] }))).toBe('config.parameter')
    expect(code(() => job({ metrics: [] }))).toBe('config.parameter')
  })
})

describe('an EVM chain by its blockchain id', () => {
  const listed = '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'
  const ofMainnet = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'
  const given = {
    contracts: [wallet(1)],
    wallets: [wallet(1)],
    threshold: '1',
    'start-timestamp': 86_400,
    'end-timestamp': 172_800,
  }
  const ofChains = [
    balancesPipeline,
    chainMetricsPipeline,
    holdersPipeline,
    restEvmBlocksPipeline,
    tokenTransfersPipeline,
    tpsPipeline,
    walletTransfersPipeline,
  ]
  const asked: string[] = []
  const facts = {
    service: today,
    node: () => Promise.reject(new Error('not asked')),
    ask: () => Promise.reject(new Error('not asked')),
    askService: async <T>({ path, query }: ServiceRequest, parse: (answer: unknown) => T) => {
      asked.push(`${path}?network=${query['network']}`)
      return parse({ chains: [{ chainId: '43112', platformChainId: listed, more: 1 }, { chainId: '7' }] })
    },
  }
  const idsOf = async (pipeline: Pipeline, chainId: string) =>
    (
      await pipeline.streams(
        values(pipeline, { ...given, network: 'fuji', 'chain-id': chainId, 'end-timestamp': 172_800 }),
        facts,
      )
    ).map(({ stream }) => streamId(stream))

  test.each(ofChains)('$name reads it under its chain id, as the service states it', async (pipeline) => {
    asked.length = 0
    const byNumber = await idsOf(pipeline, '43112')
    expect(asked).toEqual([])
    expect(await idsOf(pipeline, listed)).toEqual(byNumber)
    expect(asked).toEqual(['/v1/chains?network=path-of-fuji'])
    expect(await idsOf(pipeline, ofMainnet)).toEqual(await idsOf(pipeline, '43114'))
    expect(asked).toHaveLength(1)
  })

  test('is refused where the service does not list it', async () => {
    await expect(idsOf(tokenTransfersPipeline, `${listed.slice(0, -1)}D`)).rejects.toMatchObject({
      code: 'config.blockchain',
      exitCode: 2,
    })
  })
})
