import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { lakeState } from '../catalog/lake-state.ts'
import { committedSlices, exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { command, contents, newLake, query, rowSets, strayFiles, wholeLake } from './lake-run.ts'

const blocks = 4_300
const unit = 512

let node: Devnet
let quiet: Awaited<ReturnType<typeof wholeLake>>
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks, slowMs: 100 })
  const lake = newLake()
  await exportLake({ node, lake, unit, threads: 1 })
  quiet = await wholeLake(lake)
})
afterAll(() => node.close())

const run = (lake: string, environment: Record<string, string>, ...more: string[]) =>
  command(
    ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', String(unit), '--threads', '2', ...more],
    environment,
  )

describe('every job over a range', () => {
  const jobs: [string, Pipeline, Record<string, unknown>][] = [
    ['p-blocks', pBlocksPipeline, { raw: true }],
    ['p-blocks by height', pBlocksPipeline, { source: 'rpc' }],
    ['x-blocks', xBlocksPipeline, { raw: true }],
    ['c-blocks with senders', cBlocksPipeline, { raw: true, senders: true }],
    ['evm-blocks', evmBlocksPipeline, { chain: 'C' }],
    ['evm-blocks, each second', evmBlocksPipeline, { chain: 'C', step: 2 }],
  ]
  test.each(jobs)('gives the same rows in one thread and in two: %s', async (_, pipeline, values) => {
    const lakes = [1, 2].map((threads) => ({ threads, lake: newLake() }))
    for (const { threads, lake } of lakes) {
      const { summary } = await exportLake({ node, lake, threads, jobs: [jobOf(pipeline, { ...values, unit: 1_000 })] })
      expect(summary.jobs[0]!.units).toBeGreaterThan(2)
    }
    const [one, two] = lakes
    expect(await contents(two!.lake)).toEqual(await contents(one!.lake))
    expect(await strayFiles(two!.lake)).toEqual([])
  })
})

describe('two threads', () => {
  test('commit parts of a unit when a commit is due, and continue', async () => {
    const lake = newLake()
    const stop = new AbortController()
    const { events } = await exportLake({
      node,
      lake,
      unit: 2_048,
      threads: 2,
      // Each window arrives when a commit is already due.
      follow: { maxLagMs: 1 },
      stop: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === 'waiting') stop.abort(new Error('stopped'))
      },
    })
    expect(committedSlices(events).length).toBeGreaterThan(3)
    expect(await slicesOf(lake)).toEqual([{ from: 1, to: blocks + 1 }])
    expect(await rowSets(lake)).toEqual(await rowSets(await quietLake()))
  })

  test('write the same lake despite temporary failures of the source', async () => {
    const before = node.requests().faults
    node.setFaults({ every: 4, kinds: transientFaults, seed: 8, pathPrefix: '/ext/index/' })
    const lake = newLake()
    await exportLake({ node, lake, unit, threads: 2 })
    node.setFaults(null)
    expect(node.requests().faults - before).toBeGreaterThan(2)
    expect(await wholeLake(lake)).toEqual(quiet)
  })

  test('end the run with exit code 7 when the source demands a pause of a day; the next run completes the lake', async () => {
    const lake = newLake()
    node.setFaults({ every: 4, kinds: ['rate-limit-day'], pathPrefix: '/ext/index/' })
    const { code, stderr } = await run(lake, {}, '--max-wait', '2s')
    node.setFaults(null)
    expect(code, stderr).toBe(7)
    expect((await run(lake, {})).code).toBe(0)
    await wholeLake(lake)
    expect(await slicesOf(lake)).toEqual(await slicesOf(await quietLake()))
    expect(await rowSets(lake)).toEqual(await rowSets(await quietLake()))
  })
})

/** The coverage of the first table of the stream. Files that were cut differently differ in their bytes. */
async function slicesOf(lake: string) {
  return (await lakeState(lake)).streams.find(({ stream }) => stream === 'local/P/block')!.tables[0]!.slices
}

async function quietLake(): Promise<string> {
  const lake = newLake()
  await exportLake({ node, lake, unit, threads: 1 })
  return lake
}

describe('a run of two threads that is killed', () => {
  // The number of files of the undisturbed run. Each thread alone writes about half of them.
  const files = (): number => quiet.files.reduce((sum, table) => sum + table.files.length, 0)

  const steps: [step: string, count: () => number][] = [
    ['fetch.before', () => 9],
    ['write.before-open', files],
    ['write.after-batch', files],
    ['write.after-fsync', files],
    ['commit.before-begin', () => 6],
    ['commit.after-commit', () => 6],
  ]
  test.each(steps)('at step %s, counted over all threads, is resumed by the next run', async (step, count) => {
    const lake = newLake()
    const { signal, stderr } = await run(lake, { CHAINLAKE_DIE_AT: `${step}#${count()}` })
    expect(signal, stderr).toBe('SIGKILL')
    const { code, stderr: second } = await run(lake, {})
    expect(code, second).toBe(0)
    const { rows, stray, leftovers } = await wholeLake(lake)
    expect({ rows, stray, leftovers }).toEqual({ rows: quiet.rows, stray: [], leftovers: [] })
  })
})

test('a thread that dies ends the run with its cause; complete parts are committed, and the next run resumes', async () => {
  const lake = newLake()
  // Ends a thread that executes units, and no other thread, when its first file is open.
  const killer = `
    import { parentPort, workerData } from 'node:worker_threads'
    if (workerData?.partCount !== undefined) {
      const parts = new Int32Array(workerData.partCount)
      setInterval(() => { if (Atomics.load(parts, 0) > 20) throw new Error('struck by a test') }, 5).unref()
    }`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(killer)}` }
  const { code, stderr } = await run(lake, env)
  expect(code, stderr).toBe(1)
  expect(stderr).toContain('A worker thread of a range crashed: struck by a test')
  const held = await query(lake, 'select count(*)::int as n from p_blocks')
  expect(held[0]?.['n']).toBeGreaterThan(0)
  expect(held[0]?.['n']).toBeLessThan(blocks)
  expect((await run(lake, {})).code).toBe(0)
  expect((await lakeState(lake)).streams).toEqual(quiet.streams)
  expect(await strayFiles(lake)).toEqual([])
  expect(await rowSets(lake)).toEqual(await rowSets(await quietLake()))
})

test('a run with a key in a URL does not print the key', async () => {
  const key = 's3cret-of-a-test'
  const lake = newLake()
  const chain = `${node.url}/ext/bc/C/rpc?key=${key}`
  const args = ['run', 'evm-blocks', '--chain', chain, '--node-url', node.url, '--lake', lake, '--threads', '2']
  node.setFaults({ every: 5, kinds: transientFaults, pathPrefix: '/ext/bc/' })
  const { code, stdout, stderr } = await command([...args, '--log-level', 'debug'])
  node.setFaults(null)
  expect(code, stderr).toBe(0)
  expect(stdout + stderr).not.toContain(key)
})
