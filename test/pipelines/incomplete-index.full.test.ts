import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { planPipelines } from '../../src/run/jobs/plan-pipelines.ts'
import { gapsOf, lakeStatus } from '../../src/run/status/lake-status.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { chainlake } from '../cli/in-process.ts'
import { committedSlices, exportLake, warnings } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { lakeRows } from '../run/lake-rows.ts'
import { newLake } from '../run/lake-run.ts'

const seed = 41
const blocks = 120
/** The first height in the index of the node. */
const begins = 108

/** The network with its complete index, and the same network on a node that enabled its index late. */
let whole: Devnet
let late: Devnet
beforeAll(async () => {
  whole = await startDevnet({ seed, blocks })
  late = await startDevnet({ seed, blocks, indexFrom: begins })
})
afterAll(async () => {
  await whole.close()
  await late.close()
})

const message = (path: string) =>
  `The index ${path} of the node begins at height ${begins} (--index-allow-incomplete): it does not have blocks 1 to ${begins - 1}.`

/** The columns that do not depend on the source of the rows. */
const common = (table: string) =>
  `SELECT * EXCLUDE (container_id, container_index, accepted_at, accepted_at_ns, wrapper, wrapper_parent_id, wrapper_time,
     wrapper_p_height, proposer_node_id, epoch_number, epoch_start, epoch_p_height, byte_length) FROM ${table} ORDER BY height`

const gapsIn = async (lake: string) => gapsOf(await lakeStatus({ folder: lake }))
/** Raw containers come only from an index. */
const gapsOfRows = async (lake: string) => (await gapsIn(lake)).filter(({ table }) => table !== 'containers')

async function findings(lake: string, node?: Devnet): Promise<readonly object[]> {
  const source = node === undefined ? {} : { node: { nodeUrl: node.url, sample: 30 } }
  return (await verifyLake({ lake: { folder: lake }, fast: false, ...source })).findings
}

test('heights that the index of the node does not have are left out, and others are read', async () => {
  const lake = newLake()
  const range = `${begins - 3}:${begins + 5}`
  const ran = await chainlake(['run', 'p-blocks', '--node-url', late.url, '--lake', lake, '--range', range])
  expect(ran.code).toBe(0)
  expect(ran.stderr).toContain(message('P/block'))
  const rows = await lakeRows(lake, 'SELECT height FROM p_blocks ORDER BY height')
  expect(rows.map(({ height }) => Number(height))).toEqual([0, 1, 2, 3, 4].map((at) => begins + at))
})

describe.each([
  ['P/block', 'p_blocks', pBlocksPipeline],
  ['X/block', 'x_blocks', xBlocksPipeline],
] as const)('%s', (path, table, pipeline) => {
  const lake = newLake()
  const full = newLake()

  test('is stored by height, and one warning names the first height of the index', async () => {
    const { events } = await exportLake({ node: late, lake, jobs: [jobOf(pipeline, { unit: 5, raw: true })] })
    expect(warnings(events)).toEqual([
      `${message(path)} Fill the gap with --source rpc, or from a node with a complete index.`,
    ])
    expect(committedSlices(events)[0]?.[0]).toBe(begins)
    const [ends] = await lakeRows(
      lake,
      `SELECT min(height) AS low, max(height) AS high, bool_and(container_index = height - 1) AS same FROM ${table}`,
    )
    expect(ends).toEqual({ low: begins, high: ends!['high'], same: true })
    const raw = await lakeRows(lake, `SELECT min(container_index) AS low FROM containers`)
    expect(raw).toEqual([{ low: begins - 1 }])
    expect(await findings(lake)).toEqual([])
    expect(await findings(lake, late)).toEqual([])
    expect(await findings(lake, whole)).toEqual([])
  })

  test('has a gap below the index, which gaps and status show', async () => {
    const gaps = await gapsIn(lake)
    expect(gaps).toContainEqual({ stream: `local/${path}`, table, unit: 'heights', from: 1, to: begins })
    const { stdout } = await chainlake(['gaps', '--lake', lake])
    expect(stdout).toMatch(new RegExp(`${table} +1 +108 `))
    const [planned] = await planPipelines({ nodeUrl: late.url, lake: { folder: lake }, jobs: [jobOf(pipeline)] })
    expect(planned).toMatchObject({ records: 0 })
  })

  test('has its gap filled by height, and the rows equal those of a complete index', async () => {
    const { events } = await exportLake({ node: late, lake, jobs: [jobOf(pipeline, { source: 'rpc', unit: 50 })] })
    expect(committedSlices(events)).toEqual([
      [1, 50],
      [50, 100],
      [100, begins],
    ])
    await exportLake({ node: whole, lake: full, jobs: [jobOf(pipeline)] })
    expect(await gapsOfRows(lake)).toEqual([])
    const timeless = (rows: Record<string, unknown>[]) => rows.map(({ block_time: _, ...row }) => row)
    expect(timeless(await lakeRows(lake, common(table)))).toEqual(timeless(await lakeRows(full, common(table))))
    for (const node of [undefined, late, whole]) expect(await findings(lake, node)).toEqual([])
  })

  test('resumes at its end from either source', async () => {
    for (const [node, source] of [
      [late, 'index'],
      [late, 'rpc'],
      [whole, 'index'],
    ] as const) {
      await Promise.all([whole.grow(3), late.grow(3)])
      await exportLake({ node, lake, jobs: [jobOf(pipeline, { source })] })
      expect(await gapsOfRows(lake)).toEqual([])
      expect(await findings(lake, late)).toEqual([])
    }
  })

  test('has its gap filled by a complete index, including raw containers', async () => {
    const other = newLake()
    await exportLake({ node: late, lake: other, jobs: [jobOf(pipeline, { raw: true })] })
    await exportLake({ node: whole, lake: other, jobs: [jobOf(pipeline, { raw: true })] })
    expect(await gapsIn(other)).toEqual([])
    const complete = newLake()
    await exportLake({ node: whole, lake: complete, jobs: [jobOf(pipeline, { raw: true })] })
    const sql = `SELECT * FROM ${table} ORDER BY height`
    expect(await lakeRows(other, sql)).toEqual(await lakeRows(complete, sql))
    expect(await findings(other, whole)).toEqual([])
  })
})

test('the gap of the C-Chain index is filled only by a complete index', async () => {
  const lake = newLake()
  const { events } = await exportLake({ node: late, lake, jobs: [jobOf(cBlocksPipeline)] })
  expect(warnings(events)).toEqual([`${message('C/block')} Read them from a node with a complete index.`])
  expect(await findings(lake, late)).toEqual([])
  await exportLake({ node: whole, lake, jobs: [jobOf(cBlocksPipeline)] })
  expect(await gapsIn(lake)).toEqual([])
  expect(await findings(lake, whole)).toEqual([])
})

test('a run with follow warns once about the first height of the index', async () => {
  const lake = newLake()
  const stopping = new AbortController()
  let rounds = 0
  const { events } = await exportLake({
    node: late,
    lake,
    jobs: [jobOf(pBlocksPipeline)],
    follow: { maxLagMs: 20 },
    stop: stopping.signal,
    onEvent: (event) => {
      if (event.kind !== 'committed') return
      if (rounds++ === 3) stopping.abort()
      else void late.grow(1)
    },
  })
  expect(rounds).toBeGreaterThan(3)
  expect(warnings(events).filter((text) => text.includes('begins at height'))).toHaveLength(1)
  await whole.grow(4)
})

test('a run with two threads reads an incomplete index like a run with one', async () => {
  const [here, there] = [newLake(), newLake()]
  const many = await startDevnet({ seed, blocks: 9_000, indexFrom: 3_000 })
  try {
    await exportLake({ node: many, lake: here, threads: 1, unit: 1_024 })
    await exportLake({ node: many, lake: there, threads: 2, unit: 1_024 })
    const sql = 'SELECT * FROM p_blocks ORDER BY height'
    const rows = await lakeRows(there, sql)
    expect(rows).toHaveLength(9_000 - 2_999)
    expect(rows).toEqual(await lakeRows(here, sql))
  } finally {
    await many.close()
  }
})

test('a complete or incomplete index costs two requests: one for the head and one for a window', async () => {
  for (const node of [whole, late]) {
    const requested = () => node.requests().paths['/ext/index/P/block'] ?? 0
    const before = requested()
    await exportLake({ node, lake: newLake(), threads: 1 })
    expect(requested() - before).toBe(2)
  }
})
