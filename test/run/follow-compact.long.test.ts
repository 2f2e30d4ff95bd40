import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { fanOut } from '../../src/run/upkeep/compact.ts'
import { openDoor } from './door.ts'
import { committedSlices, exportLake } from './export-lake.ts'
import { newLake, rowSets, strayFiles } from './lake-run.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The rounds in which something happens. */
const [restarted, away, replaced, wrong] = [20, 40, 60, 80]
const hour = 3_600_000

test('a following run compacts and expires through outages and a replaced node, and refuses another chain', async () => {
  const blocks = 10
  const [first, second, stranger] = await Promise.all([
    startDevnet({ seed: 41, blocks }),
    startDevnet({ seed: 41, blocks }),
    startDevnet({ seed: 42, blocks: 1_000 }),
  ])
  const behind = { url: first.url }
  let refusals = 0
  const door = await openDoor(
    {
      get url() {
        return behind.url
      },
    },
    () => (refusals-- > 0 ? { status: 503 } : null),
  )
  const lake = newLake()
  const events: RunEvent[] = []
  let rounds = 0
  const failure = await exportLake({
    node: door,
    lake,
    compact: true,
    expireMs: 12 * hour,
    tries: 1,
    follow: { maxLagMs: 5 },
    onEvent: (event) => {
      events.push(event)
      if (event.kind !== 'waiting') return
      rounds++
      // Several days pass.
      if (rounds % 10 === 5) vi.setSystemTime(Date.now() + 26 * hour)
      if (rounds === restarted) refusals = 2
      if (rounds === away) {
        vi.setSystemTime(Date.now() + hour)
        refusals = 4
      }
      if (rounds === replaced) behind.url = second.url
      if (rounds === wrong) behind.url = stranger.url
      void Promise.all([first.grow(1), second.grow(1)])
    },
  }).then(
    () => expect.fail('the run did not fail'),
    (error: Error) => error,
  )
  expect(failure).toMatchObject({ name: 'OtherSourceError', exitCode: 5 })
  expect(rounds).toBe(wrong)

  // The next run resumes with the right node.
  behind.url = second.url
  await exportLake({ node: door, lake, compact: true })
  const slices = committedSlices(events)
  for (const [position, [from]] of slices.entries()) expect(from).toBe(slices[position - 1]?.[1] ?? 1)
  expect(slices.length).toBeGreaterThan(3 * fanOut)
  const merged = events.filter(({ kind }) => kind === 'merged')
  expect(merged.length).toBeGreaterThan(3)
  // Merged files are removed with the snapshots that showed them, so the lake only grows by its rows.
  const expired = events.flatMap((event) => (event.kind === 'expired' ? [event] : []))
  expect(expired.length).toBeGreaterThan(5)
  const [forgotten, removed] = (['snapshots', 'removed'] as const).map((what) =>
    expired.reduce((sum, event) => sum + event[what], 0),
  )
  expect(forgotten).toBeGreaterThan(60)
  expect(removed).toBeGreaterThan(100)
  const { tables: known } = await (await openCatalog({ folder: lake }, tables)).files()
  for (const { name, files } of known) {
    const partitions = new Set(files.map(({ partition }) => JSON.stringify(partition))).size
    expect(files.length, name).toBeLessThan(partitions * 3 * fanOut)
  }
  const quiet = newLake()
  await exportLake({ node: second, lake: quiet })
  expect(await rowSets(lake)).toEqual(await rowSets(quiet))
  expect(await strayFiles(lake)).toEqual([])
  await Promise.all([door, first, second, stranger].map((server) => server.close()))
})
