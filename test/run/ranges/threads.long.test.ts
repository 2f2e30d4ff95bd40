import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { lakeState } from '../../catalog/lake-state.ts'
import { committedSlices, exportLake } from '../export-lake.ts'
import { contents, newLake, rowSets, strayFiles } from '../lake-run.ts'

const blocks = 4_300
const unit = 512

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 2, blocks, slowMs: 300 })
})
afterAll(() => node.close())

const slicesOf = async (lake: string) =>
  (await lakeState(lake)).streams.find(({ stream }) => stream === 'local/P/block')!.tables[0]!.slices

describe('units in threads', () => {
  let here = ''
  beforeAll(async () => {
    here = newLake()
    await exportLake({ node, lake: here, unit, threads: 1 })
  })

  test('write the same lake as units in the main process: the same rows in the same order, committed in order', async () => {
    const lake = newLake()
    const { events, summary } = await exportLake({ node, lake, unit, threads: 2 })
    expect(summary.jobs).toMatchObject([{ records: blocks, units: 9 }])
    const slices = committedSlices(events)
    expect(slices).toEqual(
      Array.from({ length: 9 }, (_, at) => [Math.max(1, at * unit), Math.min(blocks + 1, (at + 1) * unit)]),
    )
    expect(await contents(lake)).toEqual(await contents(here))
    expect(await lakeState(lake)).toEqual(await lakeState(here))
    const progress = events.flatMap((event) => (event.kind === 'progress' ? [event] : []))
    expect(progress.at(-1)).toMatchObject({ done: blocks, total: blocks })
  })

  test('commit the prefixes that they have read at a stop, and the next run fills the gaps between them', async () => {
    const lake = newLake()
    const stop = new AbortController()
    // Both threads are in the middle of a unit.
    let windows = 0
    node.setFaults({ every: 3, kinds: ['slow'], pathPrefix: '/ext/index/' })
    const { summary, events } = await exportLake({
      node,
      lake,
      unit: 2_048,
      threads: 2,
      stop: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === 'progress' && ++windows === 3) stop.abort(new Error('stopped'))
      },
    })
    node.setFaults(null)
    expect(summary.stopped).toBe(true)
    const committed = committedSlices(events)
    expect(committed.length).toBeGreaterThan(1)
    expect(committed).toEqual([...committed].sort(([a], [b]) => a - b))
    const covered = (await slicesOf(lake)).reduce((sum, { from, to }) => sum + to - from, 0)
    expect(covered).toBe(committed.reduce((sum, [from, to]) => sum + to - from, 0))
    expect(covered).toBeLessThan(blocks)
    expect(await strayFiles(lake)).toEqual([])
    await exportLake({ node, lake, unit })
    expect(await slicesOf(lake)).toEqual([{ from: 1, to: blocks + 1 }])
    expect(await rowSets(lake)).toEqual(await rowSets(here))
  })

  test('do not start after a stop', async () => {
    const stop = new AbortController()
    const { summary } = await exportLake({
      node,
      lake: newLake(),
      unit,
      threads: 2,
      stop: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === 'planned') stop.abort(new Error('stopped'))
      },
    })
    expect(summary).toMatchObject({ stopped: true, jobs: [{ units: 0, records: 0 }] })
  })
})
