import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import type { RunEvent } from '../../../src/run/events.ts'
import { runs } from '../../runs.ts'
import { idsOf, itemAt, newestFirst, runOnChangingLists } from './changing-list.ts'
import { items, newItemLake, runStream } from './item-lake.ts'
import { createListService, listOf } from './list-service.ts'

const stream = (trailing = 5): StreamDeclaration => ({
  stream: { network: 'test', path: 'items', parameters: {} },
  tables: { items },
  walk: { kind: 'pageChain', list: listOf(), trailing },
})

async function stretchesOf(lake: string) {
  const { streams } = await (await openCatalog({ folder: lake }, [items])).status()
  return streams[0]?.stretches
}

const sorted = (ids: readonly string[]) => [...ids].sort()

describe('a list with the newest items first', () => {
  test('is read to its end; later runs read only its head', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(95), 10)
    expect((await runStream(lake, stream(), service.client)).tables[0]?.rows).toBe(95)
    const before = service.requests
    service.items.unshift(itemAt(96), itemAt(95))
    const second = await runStream(lake, stream(), service.client)
    expect(second.tables[0]?.rows).toBe(2)
    expect(service.requests - before).toBeLessThan(4)
    expect((await runStream(lake, stream(), service.client)).upToDate).toBe(true)
    expect(sorted(await idsOf(lake))).toEqual(sorted(service.items.map(({ id }) => id)))
  })

  test('says how far it is, in all rows of the job, and which of its streams is read', async () => {
    const service = createListService(newestFirst(20), 10)
    const { stream: first, ...declared } = stream()
    const seen: unknown[] = []
    const emit = (event: RunEvent) => {
      if (event.kind === 'progress') seen.push([event.pipeline, event.rows, event.pages, event.stream])
    }
    await runStream(newItemLake(), { stream: first, ...declared }, service.client, {
      emit,
      others: [{ stream: { ...first, path: 'others' }, ...declared }],
    })
    const of = 2
    expect(seen).toEqual([
      ['items', 10, 1, { number: 1, of }],
      ['items', 20, 2, { number: 1, of }],
      ['items', 30, 3, { number: 2, of }],
      ['items', 40, 4, { number: 2, of }],
    ])
  })

  test('yields late items within the trailing window', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(50), 5)
    await runStream(lake, stream(20), service.client)
    service.items.splice(12, 0, { id: 'late', time: 1037 })
    await runStream(lake, stream(20), service.client)
    expect(await idsOf(lake)).toContain('late')
  })

  test.each(['refuse', 'restart'] as const)('resumes after a stop if its page token expired (%s)', async (tokenEnd) => {
    const lake = newItemLake()
    const service = createListService(newestFirst(80), 4)
    service.tokenEnd = tokenEnd
    const stop = new AbortController()
    service.before = (requests) => {
      if (requests === 9) stop.abort(new Error('stopped'))
    }
    await runStream(lake, stream(), service.client, { stop: stop.signal })
    const half = await idsOf(lake)
    expect(half.length).toBeGreaterThan(20)
    expect(half.length).toBeLessThan(50)
    service.before = () => undefined
    service.killTokens()
    await runStream(lake, stream(), service.client)
    expect(sorted(await idsOf(lake))).toEqual(sorted(service.items.map(({ id }) => id)))
  })

  test('resumes from the page token of an earlier run while the token is valid', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(400), 4)
    const stop = new AbortController()
    service.before = (requests) => {
      if (requests === 50) stop.abort(new Error('stopped'))
    }
    await runStream(lake, stream(), service.client, { stop: stop.signal })
    service.before = () => undefined
    const before = service.requests
    await runStream(lake, stream(), service.client)
    expect(service.requests - before).toBeLessThan(60)
    expect(sorted(await idsOf(lake))).toEqual(sorted(service.items.map(({ id }) => id)))
  })

  test('is not read through again after a run that stopped within the trailing window', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(400), 4)
    await runStream(lake, stream(40), service.client)
    for (let position = 400; position < 420; position++) service.items.unshift(itemAt(position))
    const stop = new AbortController()
    let before = service.requests
    // Five pages are new, and five more are read again in the trailing window.
    service.before = (requests) => {
      if (requests === before + 10) stop.abort(new Error('stopped'))
    }
    await runStream(lake, stream(40), service.client, { stop: stop.signal })
    service.before = () => undefined
    for (let position = 420; position < 424; position++) service.items.unshift(itemAt(position))
    before = service.requests
    await runStream(lake, stream(40), service.client)
    expect(service.requests - before).toBeLessThan(40)
    expect(sorted(await idsOf(lake))).toEqual(sorted(service.items.map(({ id }) => id)))
    expect(await stretchesOf(lake)).toEqual({ count: 1, items: 424, complete: true })
  })

  test('has every item counted once, however often it is read', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(100), 7)
    for (let count = 100; count < 130; count += 10) {
      await runStream(lake, stream(20), service.client)
      for (let each = 0; each < 10; each++) service.items.unshift(itemAt(count + each))
    }
    const { upToDate } = await runStream(lake, stream(20), service.client)
    expect(upToDate).toBe(false)
    expect(await stretchesOf(lake)).toEqual({ count: 1, items: 130, complete: true })
  })

  test('has every item stored once, despite growth, stops and expired page tokens', async () => {
    await runOnChangingLists(stream(), runs(1), {
      atEnd: async (lake, service) => {
        expect(sorted(await idsOf(lake))).toEqual(sorted(service.items.map(({ id }) => id)))
      },
    })
  })
})
