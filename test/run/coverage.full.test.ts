import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { planPipelines } from '../../src/run/jobs/plan-pipelines.ts'
import { lakeState } from '../catalog/lake-state.ts'
import { committedSlices, type ExportOptions, exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, rowSets, strayFiles } from './lake-run.ts'

const blocks = 1_300
/** Number of requests of a run before it fetches: the head, and the two ends of the coverage. */
const head = 1
const ends = 2
/** Number of requests for the container before the first one that is fetched. */
const before = 1

describe('coverage per table', () => {
  let node: Devnet
  let sameNetwork: Devnet
  let whole: Record<string, string>
  let withoutRaw: Record<string, string>

  beforeAll(async () => {
    node = await startDevnet({ seed: 11, blocks })
    sameNetwork = await startDevnet({ seed: 11, blocks })
    const lake = newLake()
    await exportLake({ node, lake, raw: true })
    whole = await rowSets(lake)
    withoutRaw = {
      ...whole,
      containers: (await rowSets(await lakeOf({ node, lake: newLake(), to: 2 })))['containers']!,
    }
  })
  afterAll(async () => {
    await node.close()
    await sameNetwork.close()
  })

  async function lakeOf(options: ExportOptions): Promise<string> {
    await exportLake(options)
    return options.lake
  }

  /** The output of an export, and the number of its requests to the index. */
  async function counted(options: ExportOptions) {
    const requested = () => (options.node as Devnet).requests().paths['/ext/index/P/block'] ?? 0
    const earlier = requested()
    const { summary, events } = await exportLake(options)
    const job = summary.jobs[0]!
    return {
      requests: requested() - earlier,
      slices: committedSlices(events),
      tables: job.tables.filter(({ rows }) => rows > 0).map(({ name }) => name),
      upToDate: job.upToDate,
    }
  }

  test('a run without new records requests no range and commits nothing', async () => {
    const lake = newLake()
    const first = await counted({ node, lake })
    expect(first.requests).toBe(head + Math.ceil(blocks / 200))
    const state = await lakeState(lake)
    expect(await counted({ node, lake })).toEqual({ requests: head + ends, slices: [], tables: [], upToDate: true })
    expect(await lakeState(lake)).toEqual(state)
  })

  test('a later run with --raw fetches the covered range again and writes only containers', async () => {
    const lake = newLake()
    await exportLake({ node, lake, to: 900 })
    expect(await rowSets(lake)).not.toEqual(withoutRaw)
    const raw = await counted({ node, lake, to: 700, raw: true })
    expect(raw).toMatchObject({ requests: head + ends + 4, tables: ['containers'] })
    expect(raw.slices.at(-1)).toEqual([600, 700])
    // The remaining range has no raw containers up to 900, and nothing after that.
    const rest = await counted({ node, lake, raw: true })
    expect(rest.requests).toBe(head + ends + before + 5)
    expect(rest.slices).toEqual([
      [700, 800],
      [800, 900],
      [900, 1000],
      [1000, 1200],
      [1200, blocks + 1],
    ])
    expect(await rowSets(lake)).toEqual(whole)
    expect(await strayFiles(lake)).toEqual([])
    expect(await counted({ node, lake, raw: true })).toMatchObject({ requests: head + ends, upToDate: true })
    expect(await counted({ node, lake })).toMatchObject({ requests: head + ends, upToDate: true })
  })

  test('overlapping ranges, other unit sizes and other URLs cause no duplicate rows', async () => {
    const lake = newLake()
    await exportLake({ node, lake, from: 1, to: 1000 })
    const second = await counted({ node: sameNetwork, lake, from: 500, to: 1100, unit: 64 })
    expect(second.slices).toEqual([
      [1000, 1024],
      [1024, 1088],
      [1088, 1100],
    ])
    const third = await counted({ node: sameNetwork, lake, from: 500 })
    expect(third.slices).toEqual([
      [1100, 1200],
      [1200, blocks + 1],
    ])
    expect(await counted({ node, lake })).toMatchObject({ requests: head + ends, upToDate: true })
    expect(await rowSets(lake)).toEqual(withoutRaw)
    expect(await strayFiles(lake)).toEqual([])
  })

  test('a run fetches only the gaps between covered ranges', async () => {
    const lake = newLake()
    await exportLake({ node, lake, from: 500, to: 600 })
    await exportLake({ node, lake, from: 900, to: 950 })
    expect(await counted({ node, lake })).toMatchObject({
      slices: [
        [1, 200],
        [200, 400],
        [400, 500],
        [600, 800],
        [800, 900],
        [950, 1000],
        [1000, 1200],
        [1200, blocks + 1],
      ],
    })
    expect(await rowSets(lake)).toEqual(withoutRaw)
  })

  test('a plan has the same units and requests as the run, and writes nothing', async () => {
    const lake = newLake()
    await exportLake({ node, lake, to: 300 })
    const state = await lakeState(lake)
    const jobs = [jobOf(pBlocksPipeline, { raw: true, from: 100, to: 700, unit: 200 })]
    const [plan] = await planPipelines({ nodeUrl: node.url, lake: { folder: lake }, jobs })
    expect(await lakeState(lake)).toEqual(state)
    const done = await counted({ node, lake, raw: true, from: 100, to: 700 })
    expect(plan).toMatchObject({ head: blocks, units: done.slices.length, records: 600 })
    expect(plan!.requests).toBe(done.requests - head - ends - before)
    expect(Object.fromEntries(plan!.missing.map(({ table, records }) => [table, records]))).toEqual({
      p_blocks: 400,
      p_transactions: 400,
      p_inputs: 400,
      p_outputs: 400,
      p_validations: 400,
      containers: 600,
    })
  })
})
