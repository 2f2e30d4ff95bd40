import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RangeWalk, StreamDeclaration } from '../../../src/define/index.ts'
import { HttpError } from '../../../src/errors.ts'
import type { Slice } from '../../../src/model.ts'
import { runs } from '../../runs.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, type Item, type ListService, listOf } from './list-service.ts'

type Settings = { readonly trailing?: number; readonly first?: number; readonly from?: number; readonly to?: number }

/** A stream over ranges of times, up to the time of the newest item. */
function stream(
  service: ListService,
  { trailing = 10, first = 16, from = 1000, to }: Settings = {},
): StreamDeclaration {
  return {
    stream: { network: 'test', path: 'ranges', parameters: {} },
    tables: { items },
    walk: {
      kind: 'blockWindow',
      from,
      to: to ?? null,
      head: {
        request: listOf().request(null),
        decode: () => service.items.reduce((most, { time }) => Math.max(most, time), -1),
      },
      ahead: 0,
      list: (slice: Slice) => listOf(slice),
      trailing,
      first,
    },
  }
}

const itemAt = (position: number, time = 1000 + position): Item => ({ id: `item-${position}`, time })
const newestFirst = (count: number): Item[] => Array.from({ length: count }, (_, index) => itemAt(count - 1 - index))

async function idsOf(lake: string): Promise<string[]> {
  const rows = (await rowsOf(lake, items)) as { item_id: string }[]
  return rows.map(({ item_id }) => item_id).sort()
}

const idsIn = (service: ListService) => service.items.map(({ id }) => id).sort()

describe('a source that is read by range', () => {
  test('is covered up to its head; later runs read only the new items', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(300), 10)
    expect((await runStream(lake, stream(service), service.client)).tables[0]?.rows).toBe(300)
    const before = service.requests
    service.items.unshift(itemAt(301), itemAt(300))
    expect((await runStream(lake, stream(service), service.client)).tables[0]?.rows).toBe(2)
    expect(service.requests - before).toBeLessThan(6)
    expect((await runStream(lake, stream(service), service.client)).upToDate).toBe(true)
    expect(await idsOf(lake)).toEqual(idsIn(service))
  })

  test('that refuses short ranges, or single coordinates, is named with the range', async () => {
    const service = createListService(newestFirst(100), 10)
    service.longest = 0
    const refused = (from: number, to: number) => ({ status: 400, details: { path: '/items', from, to } })
    await expect(runStream(newItemLake(), stream(service), service.client)).rejects.toMatchObject(refused(1000, 1016))
    const crowd = createListService(
      Array.from({ length: 30 }, (_, index) => itemAt(index, 1005)),
      10,
    )
    // Pages without a token show that answers are cut off.
    crowd.lie = ({ items }, _, { from, to }) => {
      if (Number(to) - Number(from) === 1) throw new HttpError('The range is too short.', 400)
      return { items }
    }
    await expect(runStream(newItemLake(), stream(crowd), crowd.client)).rejects.toMatchObject(refused(1005, 1006))
  })

  test('delivers late items below its head to a run that also finds new items', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(100), 10)
    await runStream(lake, stream(service), service.client)
    service.items = [itemAt(100), ...service.items.slice(0, 4), { id: 'late', time: 1094 }, ...service.items.slice(4)]
    await runStream(lake, stream(service), service.client)
    expect(await idsOf(lake)).toEqual(idsIn(service))
  })

  test('is read in smaller windows where it has more rows at one time than a window holds', async () => {
    const lake = newItemLake()
    const crowd = Array.from({ length: 900 }, (_, index) => ({ id: `crowd-${index}`, time: 1700 + (index % 4) }))
    const list = [...newestFirst(800).slice(0, 96), ...crowd, ...newestFirst(704)]
    const service = createListService(
      list.sort((a, b) => b.time - a.time),
      1,
    )
    await runStream(lake, stream(service, { first: 800 }), service.client)
    expect(await idsOf(lake)).toEqual(idsIn(service))
  })

  test.each(['refuse', 'restart'] as const)(
    'loses no rows when it is read height by height and a page token expires (%s)',
    async (tokenEnd) => {
      const lake = newItemLake()
      const crowd = Array.from({ length: 240 }, (_, index) => ({
        id: `item-${index}`,
        time: 1040 - Math.floor(index / 6),
      }))
      const service = createListService(crowd, 4)
      service.tokenEnd = tokenEnd
      service.before = (requests) => {
        if (requests === 9 || requests === 30) service.killTokens()
      }
      const { walk, ...others } = stream(service, { first: 20 })
      await runStream(lake, { ...others, walk: { ...walk, kind: 'heightRange' } as RangeWalk }, service.client)
      expect(await idsOf(lake)).toEqual(idsIn(service))
    },
  )

  test('is not read again in a part that an earlier run has covered', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(200), 10)
    await runStream(lake, stream(service, { from: 1050, to: 1100 }), service.client)
    expect(await idsOf(lake)).toHaveLength(50)
    await runStream(lake, stream(service), service.client)
    expect(await idsOf(lake)).toEqual(idsIn(service))
  })

  test('costs one request and two for its head when it has no items, however long the range is', async () => {
    const lake = newItemLake()
    const service = createListService([itemAt(70_000_000)], 10)
    await runStream(lake, stream(service, { from: 0, to: 70_000_000, first: 10_000 }), service.client)
    expect(service.requests).toBe(3)
  })

  test('costs one request per page when it has few pages, even if the items are far apart', async () => {
    const lake = newItemLake()
    const list = Array.from({ length: 300 }, (_, index) => itemAt(index, 70_000_000 - index * 200_000))
    const service = createListService(list, 10)
    await runStream(lake, stream(service, { from: 0, first: 10_000 }), service.client)
    expect(service.requests).toBeLessThanOrEqual(33)
    expect(await idsOf(lake)).toEqual(idsIn(service))
  })

  test.each([
    ['all over', (index: number) => index * 14_000],
    ['at its end', (index: number) => 69_990_000 + index],
    ['at its beginning', (index: number) => index],
  ])('is split and read in parallel when it has many pages %s', async (_, timeOf) => {
    const lake = newItemLake()
    const list = Array.from({ length: 5_000 }, (_, index) => itemAt(index, timeOf(index))).reverse()
    const service = createListService([itemAt(-1, 70_000_000), ...list], 10)
    await runStream(lake, stream(service, { from: 0, first: 10_000 }), service.client)
    expect(service.busiest).toBeGreaterThan(3)
    expect(service.requests).toBeLessThan(650)
    expect(await idsOf(lake)).toEqual(idsIn(service))
  })

  test('is read in shorter ranges when the service refuses a long one; refusal of the shortest fails the run', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(300), 10)
    service.longest = 100
    await runStream(lake, stream(service, { from: 0, first: 16 }), service.client)
    expect(await idsOf(lake)).toEqual(idsIn(service))
    service.longest = 8
    await expect(runStream(newItemLake(), stream(service, { first: 16 }), service.client)).rejects.toMatchObject({
      status: 400,
    })
  })

  test('has every row stored once, whenever runs stop and page tokens expire', async () => {
    const tries = fc.array(
      fc.record({
        grow: fc.nat(20),
        stopAfter: fc.integer({ min: 1, max: 40 }),
        killAt: fc.nat(20),
        tokenEnd: fc.constantFrom('refuse' as const, 'restart' as const),
      }),
      { minLength: 1, maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(tries, fc.integer({ min: 1, max: 6 }), async (events, pageSize) => {
        const lake = newItemLake()
        let count = 60
        const service = createListService(newestFirst(count), pageSize)
        for (const { grow, stopAfter, killAt, tokenEnd } of events) {
          for (let each = 0; each < grow; each++) service.items.unshift(itemAt(count++))
          service.tokenEnd = tokenEnd
          const stop = new AbortController()
          const first = service.requests
          service.before = (requests) => {
            if (requests - first === killAt) service.killTokens()
            if (requests - first === stopAfter) stop.abort(new Error('stopped'))
          }
          await runStream(lake, stream(service), service.client, { stop: stop.signal })
        }
        service.before = () => undefined
        await runStream(lake, stream(service), service.client)
        expect(await idsOf(lake)).toEqual(idsIn(service))
      }),
      { numRuns: runs(3) },
    )
  })
})
