import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { latestView, type StreamDeclaration } from '../../src/define/index.ts'
import { openLookup } from '../../src/lookup/lookup.ts'
import { isYoung } from '../../src/run/lists/list-times.ts'
import { createLake } from '../catalog/lake.ts'
import { exportLake } from './export-lake.ts'
import { newLake } from './lake-run.ts'
import { newItemLake, rowsOf, runStream, versions } from './lists/item-lake.ts'
import { createListService, decodeVersions, type Item, listOf } from './lists/list-service.ts'

const hour = 3_600_000

/** Moves the calendar clock. Timers and the monotonic clock continue unchanged. */
function setClock(by: number): void {
  vi.setSystemTime(Date.now() + by)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

test('--follow continues when the clock is set back by an hour', async () => {
  const node = await startDevnet({ seed: 41, blocks: 60 })
  const stop = new AbortController()
  let rounds = 0
  const { summary } = await exportLake({
    node,
    lake: newLake(),
    follow: { maxLagMs: 100 },
    stop: stop.signal,
    onEvent: ({ kind }) => {
      if (kind !== 'waiting') return
      rounds++
      setClock(-hour)
      void node.grow(10)
      if (rounds === 4) stop.abort(new Error('stopped'))
    },
  })
  await node.close()
  const [job] = summary.jobs
  expect(job?.records).toBeGreaterThan(60)
  expect(job?.seconds).toBeGreaterThan(0)
  expect(job?.seconds).toBeLessThan(60)
})

describe('versions of a series', () => {
  const series: StreamDeclaration = {
    stream: { network: 'test', path: 'series', parameters: {} },
    tables: { versions },
    walk: { kind: 'series', list: listOf({}, decodeVersions), from: 0, interval: 10, again: 3 },
  }
  const points = (count: number, newest: number): Item[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `day-${count - 1 - index}`,
      time: 1000 + 10 * (count - 1 - index),
      value: index === 0 ? newest : 0,
    }))
  const decode: typeof decodeVersions = (answer, context) => {
    const page = decodeVersions(answer, context)
    const { items } = answer as { items: readonly { value: number }[] }
    const rows = page.rows['versions'] as unknown as readonly { item_time: number }[]
    // Adds the value of the point to its time.
    return {
      ...page,
      rows: { versions: rows.map((row, at) => ({ ...row, item_time: row.item_time + items[at]!.value })) },
    }
  }
  const stream = { ...series, walk: { ...series.walk, list: listOf({}, decode) } } as StreamDeclaration

  test('stay in the order of their commits and are stored once when the clock is set back', async () => {
    const lake = newItemLake()
    const service = createListService(points(5, 1), 10)
    await runStream(lake, stream, service.client)
    setClock(-48 * hour)
    service.items = points(5, 2)
    expect((await runStream(lake, stream, service.client)).tables[0]?.rows).toBe(1)
    for (let again = 0; again < 3; again++)
      expect(await runStream(lake, stream, service.client)).toMatchObject({ upToDate: true, tables: [{ rows: 0 }] })
    setClock(-48 * hour)
    service.items = points(5, 3)
    await runStream(lake, stream, service.client)

    const rows = (await rowsOf(lake, versions)) as { item_id: string; item_time: number; observed_at: bigint }[]
    const newest = rows.filter(({ item_id }) => item_id === 'day-4')
    expect(newest.map(({ item_time }) => item_time)).toEqual([1041, 1042, 1043])
    const times = newest.map(({ observed_at }) => observed_at)
    expect(times).toEqual([...new Set(times)].sort((a, b) => (a < b ? -1 : 1)))

    // The view shows the same version as the latest one that the lookup uses.
    expect(latestView(versions).query).toContain('ORDER BY observed_at DESC')
    const catalog = await createLake({ folder: lake }, [versions])
    const files = (await catalog.tableFiles(versions.name)).files.map(({ path }) => path)
    const lookup = openLookup(lake, 'reader')
    const [latest] = await lookup.findRows({ table: versions, files, rows: newest.slice(0, 1) })
    await lookup.close()
    expect(latest?.observedAt).toBe(times[2]! + 1n)
  })
})

test('the last run is the one that started last, even if the clock was set back', async () => {
  const catalog = await createLake({ folder: newLake() }, [])
  const streams = [{ network: 'test', path: 'P/block', parameters: {} }]
  const ids: string[] = []
  for (let count = 0; count < 3; count++) {
    const run = await catalog.startRun({ streams, command: 'run' })
    ids.push(run.id)
    await run.end('done')
    setClock(-hour)
  }
  expect(ids).toEqual([...ids].sort())
  expect((await catalog.status()).streams[0]?.lastRun?.id).toBe(ids[2])
})

test('a page token from the future counts as old, like one that is a day old', () => {
  const now = Date.now()
  expect([now, now - 22 * hour].map((at) => isYoung(at, now))).toEqual([true, true])
  expect([now + 1, now + hour, now - 24 * hour, null].map((at) => isYoung(at, now))).toEqual(Array(4).fill(false))
})
