import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { PostponedError } from '../../src/errors.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { openDoor } from './door.ts'
import { exportLake, warnings } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, query, strayFiles } from './lake-run.ts'
import { profileOf, runService } from './lists/devnet-jobs.ts'

const blocks = 400
const daySeconds = 86_400
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks })
})
afterEach(() => node.setFaults(null))
afterAll(() => node.close())

const inADay = (resumeAt: string | null): boolean =>
  Math.abs(Date.parse(resumeAt ?? '') - Date.now() - daySeconds * 1000) < 60_000

test('a run commits its complete part when a gateway demands a pause of a day, and the next run resumes there', async () => {
  const lake = newLake()
  const headers = { 'retry-after': String(daySeconds) }
  const door = await openDoor(node, ({ params }) =>
    Number(params?.['startIndex']) >= 250 ? { status: 429, headers } : null,
  )
  const { summary } = await exportLake({ node: door, lake, unit: 100, concurrency: 1 })
  await door.close()
  const [job] = summary.jobs
  expect(job?.records).toBeGreaterThan(0)
  expect(job?.records).toBeLessThan(blocks)
  expect(inADay(summary.resumeAt)).toBe(true)
  expect(summary.reason).toMatch(/^http.* accepts no requests for 1 d 0 h or longer \(Retry-After\)\.$/)
  expect(job?.postponed).toMatchObject({ resumeAt: summary.resumeAt, reason: summary.reason })
  expect(await query(lake, 'select count(*)::int as n from p_blocks')).toEqual([{ n: job?.records }])

  const next = await exportLake({ node, lake, unit: 100 })
  expect(next.summary).toMatchObject({ resumeAt: null, reason: null })
  expect(next.summary.jobs[0]?.records).toBe(blocks - (job?.records ?? 0))
  expect(await strayFiles(lake)).toEqual([])
})

test('a run on a new lake ends as postponed when the node refuses even its first request for a day', async () => {
  const door = await openDoor(node, () => ({ status: 503, headers: { 'retry-after': '86400' } }))
  await expect(exportLake({ node: door, lake: newLake() })).rejects.toBeInstanceOf(PostponedError)
  await door.close()
})

test.each(['rate-limit-day', 'rate-limit-decade'] as const)(
  'under %s, a service list keeps whole pages, other lists of the service end at once, and other jobs continue',
  async (kind) => {
    const lake = newLake()
    const list = (blockchain: string) => ({
      pipeline: restTransactionsPipeline,
      values: { network: 'local', blockchain, 'page-size': 10 },
    })
    node.setFaults({ every: 6, kinds: [kind], pathPrefix: '/v1/' })
    const answered = () => Object.values(node.requests().statuses).reduce((sum, count) => sum + count, 0)
    const before = answered()
    const events: RunEvent[] = []
    const summary = await runPipelines({
      nodeUrl: node.url,
      service: profileOf(node),
      lake: { folder: lake },
      jobs: [
        ...['p-chain', 'x-chain'].map((chain) => ({
          kind: 'list' as const,
          name: chain,
          ...list(chain),
        })),
        jobOf(pBlocksPipeline),
      ],
      stop: new AbortController().signal,
      emit: (event) => events.push(event),
    })
    expect(summary.jobs.map(({ postponed }) => postponed !== null)).toEqual([true, true, false])
    expect(summary.jobs[1]).toMatchObject({ pages: 0 })
    const [p] = summary.jobs
    const rows = p?.tables.reduce((sum, table) => sum + table.rows, 0) ?? 0
    expect(rows).toBeGreaterThan(0)
    expect(await query(lake, 'select count(*)::int as n from rest_p_transactions')).toEqual([{ n: rows }])
    expect(await query(lake, 'select count(*)::int as n from p_blocks')).toEqual([{ n: blocks }])
    expect(inADay(summary.resumeAt)).toBe(true)
    expect(answered() - before).toBeLessThan(60)

    node.setFaults(null)
    const whole = await runService(node, lake, [list('p-chain'), list('x-chain')])
    expect(whole.resumeAt).toBeNull()
  },
)

test('a following job pauses until its service accepts requests again, while the other jobs continue', async () => {
  const lake = newLake()
  const stop = new AbortController()
  let waits = 0
  const requested: number[] = []
  const door = await openDoor(
    node,
    () => null,
    () => {
      requested.push(performance.now())
      return requested.length === 2 ? { status: 429, headers: { 'retry-after': '3' } } : null
    },
  )
  const events: RunEvent[] = []
  const values = { network: 'local', blockchain: 'p-chain', 'page-size': 100 }
  const summary = await runPipelines({
    nodeUrl: node.url,
    service: profileOf(door),
    lake: { folder: lake },
    jobs: [{ name: 'list', pipeline: restTransactionsPipeline, values }, jobOf(pBlocksPipeline)],
    maxWaitMs: 1000,
    follow: { maxLagMs: 500 },
    stop: stop.signal,
    emit: (event) => {
      events.push(event)
      if (event.kind !== 'waiting') return
      if (event.pipeline === 'p-blocks') waits++
      else if (requested.length > 3 && waits > 3) stop.abort(new Error('stopped'))
    },
  })
  await door.close()
  expect(requested[2]! - requested[1]!).toBeGreaterThan(2900)
  expect(
    warnings(events).filter((message) => /^list pauses until 20.*accepts no requests for 3.0 s/.test(message)),
  ).toHaveLength(1)
  expect(summary).toMatchObject({
    stopped: true,
    jobs: [{ name: 'list' }, { pipeline: 'p-blocks', records: blocks }],
  })
})

test('a following job pauses for a day at most, even if the service demands a longer pause', async () => {
  const stop = new AbortController()
  let requested = 0
  const door = await openDoor(
    node,
    () => null,
    () => (++requested === 2 ? { status: 429, headers: { 'retry-after': '1000000000' } } : null),
  )
  const values = { network: 'local', blockchain: 'p-chain' }
  const events: RunEvent[] = []
  const summary = await runPipelines({
    nodeUrl: node.url,
    service: profileOf(door),
    lake: { folder: newLake() },
    jobs: [{ name: 'list', pipeline: restTransactionsPipeline, values }],
    follow: { maxLagMs: 500 },
    stop: stop.signal,
    emit: (event) => {
      events.push(event)
      if (event.kind === 'warning' && event.message.startsWith('list pauses')) stop.abort(new Error('stopped'))
    },
  })
  await door.close()
  const [told = ''] = warnings(events)
  expect(told).toMatch(/^list pauses until \d{4}-.* accepts no requests for 1 d 0 h or longer \(Retry-After\)\.$/)
  expect(inADay(/until (\S+):/.exec(told)![1]!)).toBe(true)
  expect(inADay(summary.resumeAt)).toBe(true)
})
