import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../../pipelines/x-blocks.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { Pipeline } from '../../../src/define/index.ts'
import type { RunEvent } from '../../../src/run/events.ts'
import { type GroupEnd, groupJobs, runGroups } from '../../../src/run/jobs/run-groups.ts'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import { warnings } from '../export-lake.ts'
import { newLake, query } from '../lake-run.ts'

type WaitingJob = Parameters<typeof groupJobs>[0][number]

function jobOf(name: string, pipeline: Pipeline): WaitingJob {
  return { name, isWrong: false, queriesLake: false, resolve: async () => ({ name, pipeline, values: {} }) }
}

const quiet = { runJobs: runPipelines, hasRoom: false, begin: () => undefined, end: async () => undefined }

test('the last round before --follow survives an outage, and the jobs that depend on its lists stay', async () => {
  const node = await startDevnet({ seed: 41, blocks: 60 })
  // A port that was closed could be taken by another test.
  let isUp = false
  const gate = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    if (!isUp) return void socket.destroy()
    const upstream = connect(node.port, '127.0.0.1')
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  const nodeUrl = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`
  const lakeDir = newLake()
  const stop = new AbortController()
  const events: RunEvent[] = []
  const emit = (event: RunEvent): void => {
    events.push(event)
    if (event.kind === 'warning')
      setTimeout(() => {
        isUp = true
      }, 300)
    if (event.kind === 'waiting') stop.abort(new Error('stopped'))
  }
  const job = jobOf('blocks', pBlocksPipeline)
  const groups = [
    { jobs: [job], follow: false },
    { jobs: [job], follow: true },
  ]
  const run = { nodeUrl, lake: { folder: lakeDir }, tries: 1, follow: { maxLagMs: 100 }, stop: stop.signal, emit }
  const outcome = await runGroups(groups, { ...quiet, run, wait: false, deadline: null }).finally(async () => {
    gate.close()
    await node.close()
  })
  expect(outcome).toMatchObject({ count: 1, busy: [], left: [], outage: null })
  expect(outcome.ends.map(recordsOf)).toEqual([[60], [0]])
  expect(warnings(events)).toEqual([
    expect.stringMatching(/^blocks: No answer from .* chainlake retries until it succeeds\.$/),
  ])
  expect(await query(lakeDir, 'select count(*)::int as n from p_blocks')).toEqual([{ n: 60 }])
})

test('a job that waited for its stream has begun: nothing is left for it at the deadline', async () => {
  const node = await startDevnet({ seed: 41, blocks: 20 })
  const lake = { folder: newLake() }
  const jobs = [jobOf('p', pBlocksPipeline), jobOf('x', xBlocksPipeline)]
  const deadline = new AbortController()
  let release: (() => Promise<void>) | null = null
  const emit = (event: RunEvent): void => {
    if (event.kind !== 'waiting') return
    if (event.pipeline === 'x') void release?.()
    else deadline.abort(new Error('deadline'))
  }
  const run = { nodeUrl: node.url, lake, tries: 1, stop: deadline.signal, emit }
  try {
    const first = { ...quiet, run, wait: false, deadline: null }
    expect(await runGroups([{ jobs: jobs.slice(1), follow: false }], first)).toMatchObject({ busy: [], left: [] })
    const catalog = await openCatalog(lake, tables)
    const held = { network: 'local', path: 'P/block', parameters: {} }
    const other = await catalog.startRun({ streams: [held], command: 'test' })
    release = () => other.end('done')
    // With a long lag, no round is open at the deadline.
    const follow = { ...run, follow: { maxLagMs: 60_000 } }
    const outcome = await runGroups([{ jobs, follow: true }], {
      ...quiet,
      run: follow,
      wait: true,
      deadline: deadline.signal,
    })
    expect(outcome).toMatchObject({ count: 2, busy: [], left: [] })
    expect(outcome.ends.map(({ is }) => is)).not.toContain('failed')
  } finally {
    await node.close()
  }
  expect(await query(lake.folder, 'select count(*)::int as n from p_blocks')).toEqual([{ n: 20 }])
})

test('jobs run one by one where one may fail, or fills the list of a later one; those with a mistake come first', () => {
  const [a, b] = [jobOf('a', pBlocksPipeline), jobOf('b', xBlocksPipeline)]
  const wrong = { ...jobOf('wrong', pBlocksPipeline), isWrong: true }
  const reading = { ...jobOf('reading', pBlocksPipeline), queriesLake: true }
  const shape = (jobs: readonly WaitingJob[], how: Parameters<typeof groupJobs>[1]) =>
    groupJobs(jobs, how).map((group) => `${group.jobs.map(({ name }) => name)}${group.follow ? ' followed' : ''}`)
  expect(shape([a, b], { follow: false, apart: false })).toEqual(['a,b'])
  expect(shape([a, wrong, b], { follow: false, apart: true })).toEqual(['wrong', 'a', 'b'])
  expect(shape([a, reading], { follow: false, apart: false })).toEqual(['a', 'reading'])
  expect(shape([a, b], { follow: true, apart: true })).toEqual(['a,b followed'])
  expect(shape([a, reading, wrong], { follow: true, apart: true })).toEqual([
    ...['wrong', 'a', 'reading', 'a,reading followed'],
  ])
})

function recordsOf(end: GroupEnd): number[] {
  const jobs = end.is === 'done' ? (end.summary?.jobs ?? []) : []
  return jobs.map((job) => (job.kind === 'range' ? job.records : 0))
}
