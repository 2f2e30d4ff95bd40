import { expect, test } from 'vitest'
import type { Range, Series, StreamDeclaration } from '../../../src/define/index.ts'
import { items, newItemLake, rowsOf, runStream, versions } from './item-lake.ts'
import { createListService, decodeVersions, type Item, listOf } from './list-service.ts'

const day = 10
const seriesOf = (range: { from?: number; to?: number }): StreamDeclaration => ({
  stream: { network: 'test', path: 'series', parameters: {} },
  tables: { versions },
  walk: { kind: 'series', list: listOf(range, decodeVersions), from: range.from ?? 0, interval: day, again: 3 },
})
const series = seriesOf({})

/** Points by day. The name of a point is its day, so a point that changes keeps its name. */
const newestFirst = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `day-${count - 1 - index}`,
    time: 1000 + day * (count - 1 - index),
  }))

test('a series is read back to its newest committed points, and a point that changed there becomes a new version', async () => {
  const lake = newItemLake()
  const service = createListService(newestFirst(100), 10)
  await runStream(lake, series, service.client)
  expect(await rowsOf(lake, versions)).toHaveLength(100)
  const before = service.requests
  expect((await runStream(lake, series, service.client)).upToDate).toBe(true)
  expect(service.requests - before).toBe(1)

  // One more day, and new values for the two days before it.
  const [newest, second, ...others] = newestFirst(101)
  service.items = [newest!, { ...second!, id: 'day-99-again' }, ...others]
  await runStream(lake, series, service.client)
  expect(await rowsOf(lake, versions)).toHaveLength(102)
})

test('points that have an earlier value again become new versions, also where the table is sorted by that value', async () => {
  const sorted = { ...versions, sortBy: ['item_time'] } as const
  /** The key of a row is its day; all points have one value. */
  const valued = (value: number): StreamDeclaration => ({
    ...series,
    tables: { versions: sorted },
    walk: {
      ...(series.walk as Series),
      list: listOf({}, (answer, context) => {
        const page = decodeVersions(answer, context)
        const rows = (page.rows['versions'] as object[]).map((row) => ({ ...row, item_time: value }))
        return { ...page, rows: { versions: rows } }
      }),
    },
  })
  const lake = newItemLake()
  const service = createListService(newestFirst(3), 10)
  for (const value of [3, 5, 3]) await runStream(lake, valued(value), service.client)
  expect(await rowsOf(lake, sorted)).toHaveLength(9)
  expect((await runStream(lake, valued(3), service.client)).upToDate).toBe(true)
})

test('a stopped read of a series stores nothing, and the next run reads the whole series', async () => {
  const lake = newItemLake()
  const service = createListService(newestFirst(100), 10)
  const stop = new AbortController()
  service.before = (requests) => {
    if (requests === 5) stop.abort(new Error('stopped'))
  }
  await runStream(lake, series, service.client, { stop: stop.signal })
  expect(await rowsOf(lake, versions)).toHaveLength(0)
  service.before = () => undefined
  await runStream(lake, series, service.client)
  expect(await rowsOf(lake, versions)).toHaveLength(100)
})

test('missing points of a series are stored as soon as they exist, however old they are', async () => {
  const lake = newItemLake()
  const all = newestFirst(100)
  const service = createListService(
    all.filter(({ id }) => id !== 'day-40'),
    10,
  )
  await runStream(lake, series, service.client)
  expect((await runStream(lake, series, service.client)).upToDate).toBe(true)
  service.items = all
  expect((await runStream(lake, series, service.client)).tables[0]?.rows).toBe(1)
  const before = service.requests
  expect((await runStream(lake, series, service.client)).upToDate).toBe(true)
  expect(service.requests - before).toBe(1)
})

test('a series is read completely after runs that requested only parts of it', async () => {
  const lake = newItemLake()
  const service = createListService(newestFirst(100), 10)
  const at = (position: number) => 1000 + day * position
  await runStream(lake, seriesOf({ from: at(30), to: at(40) }), service.client)
  await runStream(lake, seriesOf({ from: at(60), to: at(70) }), service.client)
  expect(await rowsOf(lake, versions)).toHaveLength(20)
  await runStream(lake, series, service.client)
  expect(await rowsOf(lake, versions)).toHaveLength(100)
  expect((await runStream(lake, series, service.client)).upToDate).toBe(true)
})

test('the seconds of a series next to a range do not count as records', async () => {
  const walk: Range<Item> = {
    kind: 'range',
    record: 'item',
    what: 'the items',
    endpoint: { url: 'http://127.0.0.1:1' },
    source: async () => ({
      head: async () => 4,
      windowSize: () => 10,
      window: async (from, to) => newestFirst(to).slice(0, to - from),
      at: ({ time }) => (time - 1000) / day,
    }),
    from: 0,
    to: null,
    unit: 10,
    order: 'chain',
    outputs: [
      { tables: { items }, read: ({ id, time }) => ({ items: [{ network: 'test', item_id: id, item_time: time }] }) },
    ],
    context: null,
    linkOf: null,
    notice: null,
  }
  const range: StreamDeclaration = {
    stream: { network: 'test', path: 'range', parameters: {} },
    tables: { items },
    walk,
  }
  const result = await runStream(newItemLake(), range, createListService(newestFirst(100), 10).client, {
    others: [series],
  })
  expect(result).toMatchObject({ kind: 'range', records: 5, units: 1, tables: [{ rows: 5 }, { rows: 100 }] })
})
