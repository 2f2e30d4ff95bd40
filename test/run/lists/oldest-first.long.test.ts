import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import { runs } from '../../runs.ts'
import { idsOf, itemAt, newestFirst, runOnChangingLists } from './changing-list.ts'
import { items, newItemLake, runStream } from './item-lake.ts'
import { createListService, type ListService, listOf } from './list-service.ts'

const stream = (trailing = 5): StreamDeclaration => ({
  stream: { network: 'test', path: 'items', parameters: { sortOrder: 'asc' } },
  tables: { items },
  walk: { kind: 'oldestFirst', list: listOf({ order: 'asc' }), newestFirst: listOf(), trailing },
})
const descending: StreamDeclaration = {
  stream: { network: 'test', path: 'items', parameters: {} },
  tables: { items },
  walk: { kind: 'pageChain', list: listOf(), trailing: 5 },
}

async function stretchesOf(lake: string) {
  const { streams } = await (await openCatalog({ folder: lake }, [items])).status()
  return streams.find((one) => one.stream.includes('sortOrder'))?.stretches
}

const sorted = (ids: readonly string[]) => [...ids].sort()
const allOf = (service: ListService) => sorted(service.items.map(({ id }) => id))

/** Stops a run after this number of requests. */
async function runUntil(lake: string, service: ListService, requested: number, of = stream()): Promise<void> {
  const stop = new AbortController()
  const first = service.requests
  service.before = (requests) => {
    if (requests - first === requested) stop.abort(new Error('stopped'))
  }
  await runStream(lake, of, service.client, { stop: stop.signal })
  service.before = () => undefined
}

/** Checks that the stored items are older than all others; returns their number. */
async function expectOldest(lake: string, service: ListService): Promise<number> {
  const ids = await idsOf(lake)
  const oldest = service.items.slice(service.items.length - ids.length).map(({ id }) => id)
  expect(sorted(ids)).toEqual(sorted(oldest))
  return ids.length
}

describe('a list with the oldest items first', () => {
  test('is read from its beginning and resumes after a stop; later runs read only its end', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(400), 4)
    await runUntil(lake, service, 50)
    expect(await expectOldest(lake, service)).toBeGreaterThan(150)
    let before = service.requests
    await runStream(lake, stream(), service.client)
    expect(service.requests - before).toBeLessThan(60)
    expect(sorted(await idsOf(lake))).toEqual(allOf(service))
    expect(await stretchesOf(lake)).toEqual({ count: 1, items: 400, complete: true })
    for (let position = 400; position < 410; position++) service.items.unshift(itemAt(position))
    before = service.requests
    expect((await runStream(lake, stream(), service.client)).tables[0]?.rows).toBe(10)
    expect((await runStream(lake, stream(), service.client)).upToDate).toBe(true)
    expect(service.requests - before).toBeLessThan(14)
    expect(sorted(await idsOf(lake))).toEqual(allOf(service))
    expect(await stretchesOf(lake)).toEqual({ count: 1, items: 410, complete: true })
  })

  test.each(['refuse', 'restart'] as const)(
    'is read again from the beginning when its page tokens expired midway, without duplicate rows (%s)',
    async (tokenEnd) => {
      const lake = newItemLake()
      const service = createListService(newestFirst(80), 4)
      service.tokenEnd = tokenEnd
      await runUntil(lake, service, 12)
      const half = await expectOldest(lake, service)
      service.killTokens()
      await runUntil(lake, service, 10)
      expect(await expectOldest(lake, service)).toBeGreaterThanOrEqual(half)
      await runStream(lake, stream(), service.client)
      expect(sorted(await idsOf(lake))).toEqual(allOf(service))
      expect(await stretchesOf(lake)).toEqual({ count: 1, items: 80, complete: true })
    },
  )

  test.each(['refuse', 'restart'] as const)(
    'is read only for new items when its page tokens expired after a complete read (%s)',
    async (tokenEnd) => {
      const lake = newItemLake()
      const service = createListService(newestFirst(400), 4)
      service.tokenEnd = tokenEnd
      await runStream(lake, stream(), service.client)
      service.killTokens()
      for (let position = 400; position < 420; position++) service.items.unshift(itemAt(position))
      // New items are stored only when all of them have been read.
      await runUntil(lake, service, 6)
      expect(await expectOldest(lake, service)).toBe(400)
      const before = service.requests
      expect((await runStream(lake, stream(), service.client)).tables[0]?.rows).toBe(20)
      expect(service.requests - before).toBeLessThan(20)
      expect((await runStream(lake, stream(), service.client)).upToDate).toBe(true)
      expect(sorted(await idsOf(lake))).toEqual(allOf(service))
      expect(await stretchesOf(lake)).toEqual({ count: 1, items: 420, complete: true })
    },
  )

  test.each([false, true])('yields late items within the trailing window, page tokens expired: %s', async (dead) => {
    const lake = newItemLake()
    const service = createListService(newestFirst(100), 5)
    await runStream(lake, stream(20), service.client)
    service.items.splice(12, 0, { id: 'late', time: 1087 })
    if (dead) service.killTokens()
    await runStream(lake, stream(20), service.client)
    expect(sorted(await idsOf(lake))).toEqual(allOf(service))
  })

  test('is stored once and without gaps when a newest-first read has stored a part of it', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(200), 5)
    await runUntil(lake, service, 12)
    await runUntil(lake, service, 12, descending)
    for (let position = 200; position < 207; position++) service.items.unshift(itemAt(position))
    await runStream(lake, stream(), service.client)
    expect(sorted(await idsOf(lake))).toEqual(allOf(service))
    await runStream(lake, descending, service.client)
    expect(sorted(await idsOf(lake))).toEqual(allOf(service))
  })

  test('leaves no rows while it is empty, and is read as soon as it has items', async () => {
    const lake = newItemLake()
    const service = createListService([], 5)
    expect((await runStream(lake, stream(), service.client)).upToDate).toBe(true)
    service.items.push(itemAt(0))
    await runStream(lake, stream(), service.client)
    service.items.shift()
    service.items.push(itemAt(2), itemAt(1))
    // The item that the lake has is gone, so the list may have lost others: the run says so, and keeps both parts.
    await expect(runStream(lake, stream(), service.client)).rejects.toMatchObject({ code: 'transport.early-end' })
    expect(sorted(await idsOf(lake))).toEqual(['item-0', 'item-1', 'item-2'])
  })

  test('has every item stored once, despite growth, stops and expired page tokens', async () => {
    await runOnChangingLists(stream(), runs(2), {
      afterRun: expectOldest,
      atEnd: async (lake, service) => expect(sorted(await idsOf(lake))).toEqual(allOf(service)),
    })
  })
})
