import { describe, expect, test } from 'vitest'
import { addressText } from '../../codec/ids.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { rewardsPipeline } from '../../pipelines/rewards.ts'
import { verticesPipeline } from '../../pipelines/vertices.ts'
import type { OldestFirst, PageChain, Pipeline } from '../../src/define/index.ts'
import { streamId } from '../../src/model.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { profileAt } from '../sources/service-profile-at.ts'
import { ofService } from './of-service.ts'
import { streamsOf } from './streams-of.ts'

const settings = serviceSettings(profileAt('http://data', 'http://metrics'))
const address = addressText('fuji', new Uint8Array(20).fill(7))

function only(pipeline: Pipeline, given: object) {
  const absent = Object.fromEntries(Object.keys(pipeline.parameters).map((name) => [name, undefined]))
  const [stream, ...others] = streamsOf(pipeline, { ...absent, network: 'fuji', ...given }, settings)
  expect(others).toEqual([])
  return { id: streamId(stream!.stream), walk: stream!.walk }
}

describe('sort-order: asc', () => {
  test.each([
    [restTransactionsPipeline, { blockchain: 'p-chain' }, 'fuji/rest-transactions/P?sortOrder=asc', 3600],
    [
      rewardsPipeline,
      { addresses: [address], 'trailing-seconds': 5 },
      `fuji/rewards?addresses=${address}&currency=usd&sortOrder=asc`,
      5,
    ],
  ])('makes $name begin with the oldest item, in a stream with its own progress', (pipeline, given, name, trailing) => {
    const { id, walk } = only(pipeline, { ...given, 'sort-order': 'asc' })
    expect(id).toBe(name)
    expect(walk).toMatchObject({ kind: 'oldestFirst', trailing })
    const { list, newestFirst } = walk as Required<OldestFirst>
    expect(ofService(list.request('t')).query).toMatchObject({ sortOrder: 'asc', pageSize: 100, pageToken: 't' })
    expect({ ...newestFirst.request('t'), query: {} }).toEqual({ ...list.request('t'), query: {} })
    expect(ofService(newestFirst.request('t')).query).toEqual({
      ...ofService(list.request('t')).query,
      sortOrder: 'desc',
    })
  })

  test.each([undefined, 'desc'])('does not change a stream with the order %s', (order) => {
    const { id, walk } = only(restTransactionsPipeline, { blockchain: 'p-chain', 'sort-order': order })
    expect(id).toBe('fuji/rest-transactions/P')
    expect(walk.kind).toBe('pageChain')
    expect(ofService((walk as PageChain).list.request(null)).query['sortOrder']).toBe('desc')
  })

  test('is no part of the stream name when the job has a time range', () => {
    const given = { blockchain: 'p-chain', addresses: [address], 'sort-order': 'asc' }
    const { id, walk } = only(restTransactionsPipeline, given)
    expect(id).toBe(`fuji/rest-transactions/P?addresses=${address}`)
    expect(walk.kind).toBe('timeWindow')
  })

  test('is refused when the route takes no order', () => {
    expect(() => only(verticesPipeline, { blockchain: 'x-chain', 'sort-order': 'asc' })).toThrow(
      'sort-order must be desc here: the service lists vertices without heights with the newest first only.',
    )
  })
})
