import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../../pipelines/x-blocks.ts'
import { wrapperColumns } from '../../../schemas/shared/block-columns.ts'
import { planPipelines } from '../../../src/run/jobs/plan-pipelines.ts'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import { jobOf } from '../job-of.ts'
import { lakeRows } from '../lake-rows.ts'
import { newLake } from '../lake-run.ts'

let node: Devnet
let other: Devnet
beforeAll(async () => {
  node = await startDevnet({ port: 0, blocks: 160 })
  other = await startDevnet({ port: 0, blocks: 160, seed: 7 })
})
afterAll(() => Promise.all([node.close(), other.close()]))

const pipelines = { P: pBlocksPipeline, X: xBlocksPipeline } as const

function run(lake: string, chain: 'P' | 'X', values: object, url = node.url) {
  return runPipelines({
    nodeUrl: url,
    lake: { folder: lake },
    jobs: [jobOf(pipelines[chain], { unit: 20, ...values })],
    stop: new AbortController().signal,
    emit: () => undefined,
  })
}

/** The rows of each table without the columns that only a container fills. */
async function rowsOf(lake: string, chain: 'P' | 'X') {
  const found: Record<string, object[]> = {}
  for (const { name } of Object.values(pipelines[chain].tables)) {
    const rows = await lakeRows(lake, `select * from ${name} order by all`)
    const hidden = Object.keys(wrapperColumns).filter((column) => name.endsWith('_blocks') || column !== 'wrapper')
    found[name] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !hidden.includes(column))),
    )
  }
  for (const rows of Object.values(found)) rows.sort((a, b) => (text(a) < text(b) ? -1 : 1))
  return found
}

function text(row: object): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

describe.each(['P', 'X'] as const)('%s blocks read by height', (chain) => {
  test('share coverage with blocks from the index in any order, and give the same rows', async () => {
    const [indexed, mixed] = [newLake(), newLake()]
    await run(indexed, chain, {})
    await run(mixed, chain, { source: 'rpc', from: 31, to: 61 })
    await run(mixed, chain, { to: 101 })
    await run(mixed, chain, { source: 'rpc' })
    const again = await run(mixed, chain, {})
    expect(again.jobs[0]).toMatchObject({ upToDate: true })
    const blocks = `${chain.toLowerCase()}_blocks`
    const [first] = await lakeRows(
      mixed,
      `select count(*)::int as n, count(container_id)::int as by_index, min(height)::int as low, max(height)::int as high from ${blocks}`,
    )
    const [{ n } = {}] = await lakeRows(indexed, `select count(*)::int as n from ${blocks}`)
    expect(first).toEqual({ n, by_index: 70, low: 1, high: n })
    const [left, right] = [await rowsOf(indexed, chain), await rowsOf(mixed, chain)]
    // Blocks between Apricot 4 and Banff have their time only in the wrapper.
    for (const [name, rows] of Object.entries(left))
      expect(comparable(right[name]!, chain)).toEqual(comparable(rows, chain))
  })

  test('are refused from another chain, whichever source filled the lake first', async () => {
    for (const [first, second] of [
      [{}, { source: 'rpc' }],
      [{ source: 'rpc' }, {}],
      [{ source: 'rpc' }, { source: 'rpc' }],
    ] as const) {
      const lake = newLake()
      await run(lake, chain, { ...first, to: 40 })
      await expect(run(lake, chain, { ...second, to: 80 }, other.url)).rejects.toMatchObject({
        code: 'catalog.other-source',
      })
    }
  })

  test('are planned with one request per block, and have no raw containers', async () => {
    const job = jobOf(pipelines[chain], { source: 'rpc', to: 101 })
    const [plan] = await planPipelines({ nodeUrl: node.url, lake: { folder: newLake() }, jobs: [job] })
    expect(plan).toMatchObject({ requests: 100, records: 100, stream: `${chain}/block` })
    await expect(run(newLake(), chain, { source: 'rpc', raw: true })).rejects.toThrow('raw has nothing to write')
  })
})

test('a following run by height warns only once about data that is missing in the blocks', async () => {
  const growing = await startDevnet({ port: 0, blocks: 20 })
  const stop = new AbortController()
  const told: string[] = []
  let rounds = 0
  await runPipelines({
    nodeUrl: growing.url,
    lake: { folder: newLake() },
    jobs: [jobOf(pBlocksPipeline, { source: 'rpc', unit: 20 })],
    follow: { maxLagMs: 50 },
    stop: stop.signal,
    emit: (event) => {
      if (event.kind === 'warning' || event.kind === 'notice') told.push(event.message)
      if (event.kind !== 'waiting') return
      rounds++
      if (rounds < 4) void growing.grow(5)
      else stop.abort(new Error('stopped'))
    },
  })
  await growing.close()
  expect(told.filter((message) => message.includes('Apricot'))).toHaveLength(1)
})

function comparable(rows: readonly object[], chain: 'P' | 'X'): object[] {
  return chain === 'X' ? [...rows] : rows.map((row) => ({ ...row, block_time: undefined }))
}
