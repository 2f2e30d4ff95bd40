import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { DecodeError, HttpError, LockedError, RpcError, StorageError, TransportError } from '../../../src/errors.ts'
import { waitUnlessStopped } from '../../../src/run/error-parts.ts'
import type { JobResult, RunEvent } from '../../../src/run/events.ts'
import type { Job } from '../../../src/run/job.ts'
import { createOutages, followJobs, type RoundsResult, untilItSucceeds } from '../../../src/run/jobs/rounds.ts'
import { exportLake, warnings } from '../export-lake.ts'
import { newLake, query, strayFiles } from '../lake-run.ts'

afterEach(() => {
  vi.useRealTimers()
})

const refused = () => new TransportError('No answer from http://node: connection refused.')
const notices = (events: readonly RunEvent[]) => events.flatMap((event) => (event.kind === 'notice' ? [event] : []))

describe('an outage', () => {
  test('is logged when it starts, every hour, and when it ends; its pauses grow to five minutes', async () => {
    const events: RunEvent[] = []
    let now = 0
    const outages = createOutages({ emit: (event) => events.push(event), pauseMs: 60_000, now: () => now })
    const outage = outages.of('blocks')
    const pauses: number[] = []
    while (now < 3.5 * 3_600_000) {
      const outcome = await outage.attempt(async () => {
        outages.emit({ kind: 'retry', url: 'http://node', attempt: 1, waitMs: 1, reason: 'refused' })
        throw refused()
      })
      if ('done' in outcome) throw new Error('it succeeded')
      pauses.push(outcome.againInMs / 1000)
      now += outcome.againInMs
    }
    expect(pauses.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
    expect(await outage.attempt(async () => 7)).toEqual({ done: 7 })
    expect(await outage.attempt(async () => 8)).toEqual({ done: 8 })
    expect(warnings(events)).toEqual([
      'blocks: No answer from http://node: connection refused. chainlake retries until it succeeds.',
      ...[1, 2, 3].map((hours) =>
        expect.stringMatching(
          new RegExp(`^blocks: No answer .* This has lasted ${hours} h 0. min\\. chainlake retries`),
        ),
      ),
    ])
    expect(notices(events).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^blocks: recovered after 3 h 3. min\.$/),
    ])
    // Single retries are reported only until the outage is known.
    expect(events.filter(({ kind }) => kind === 'retry')).toHaveLength(1)
  })

  test('includes only temporary failures; permanent errors are thrown', async () => {
    const outage = createOutages({ emit: () => undefined, pauseMs: 1 }).of('blocks')
    const staying = [
      new DecodeError('Bad bytes.'),
      new HttpError('Gone.', 404),
      new LockedError('The stream is taken.', { code: 'catalog.stream-locked' }),
    ]
    for (const error of [...staying, new StorageError('Read-only.'), new RangeError('A bug.')])
      await expect(
        outage.attempt(async () => {
          throw error
        }),
      ).rejects.toBe(error)
    const held = new LockedError('Held.')
    const full = new StorageError('The disk is full.', { kind: 'transient' })
    for (const error of [held, full, refused(), new HttpError('Broken.', 502)])
      expect(
        await outage.attempt(async () => {
          throw error
        }),
      ).toHaveProperty('againInMs')
  })

  test('at the start of a run ends with the reason of a stop', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    const outage = createOutages({ emit: () => undefined, pauseMs: 5 }).of('The start')
    const waiting = untilItSucceeds(outage, () => Promise.reject(refused()), stop.signal)
    await expect(waiting).rejects.toThrow('stopped')
  })
})

describe('rounds', () => {
  const jobs = ['good', 'out', 'bad'].map((name): Job => ({ name, pipeline: { ...pBlocksPipeline, name }, values: {} }))
  const result = (job: Job): JobResult => ({
    kind: 'range',
    record: 'container',
    name: job.name,
    pipeline: job.pipeline.name,
    streams: 1,
    pages: 0,
    stream: 'P/block',
    head: 1,
    records: 1,
    units: 1,
    tables: [],
    seconds: 0,
    upToDate: false,
    postponed: null,
    interrupted: false,
  })

  /** Runs rounds on a clock that only advances while the run waits. */
  async function roundsOf(runOne: (name: string, fail: (error: Error) => void) => void, hours: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const stop = new AbortController()
    const events: RunEvent[] = []
    const told: RoundsResult = { results: new Map(), failures: [] }
    const emit = (event: RunEvent): void => void events.push(event)
    const ending = followJobs(
      {
        jobs,
        followMs: 60_000,
        runOne: async (job) => {
          const round = { result: result(job), isOver: false, behind: new Set<string>() }
          const failures: Error[] = []
          runOne(job.pipeline.name, (error) => {
            failures.push(error)
          })
          return { ...round, failure: failures[0] ?? null }
        },
        afterRound: async () => undefined,
        wait: waitUnlessStopped,
        watches: { of: () => null, nextWake: () => stop.signal },
        outages: createOutages({ emit, pauseMs: 60_000 }),
        stop: stop.signal,
        emit,
      },
      told,
    )
    await vi.advanceTimersByTimeAsync(hours * 3_600_000)
    const listeners = getEventListeners(stop.signal, 'abort').length
    const timers = vi.getTimerCount()
    stop.abort(new Error('stopped'))
    await ending
    return { events, told, listeners, timers }
  }

  test('continue when one job has an outage and one fails for good, without leaks of listeners or timers over hours', async () => {
    const counts = { good: 0, out: 0, bad: 0 }
    const { events, told, listeners, timers } = await roundsOf((name, fail) => {
      counts[name as 'good']++
      if (name === 'out') fail(refused())
      if (name === 'bad') throw new DecodeError('Bad bytes.')
    }, 24)
    expect(counts.bad).toBe(1)
    expect(counts.good).toBe(24 * 60 + 1)
    expect(counts.out).toBeGreaterThan(250)
    expect(counts.out).toBeLessThan(300)
    expect(told.failures).toMatchObject([{ code: 'decode' }])
    // Commits before each failure are counted.
    const done = [...told.results.values()].map((job) => job.kind === 'range' && [job.pipeline, job.records])
    expect(done).toEqual([
      ['good', counts.good],
      ['out', counts.out],
    ])
    expect(events.filter((event) => event.kind === 'waiting' && event.pipeline === 'out')).toEqual([])
    expect(warnings(events)).toHaveLength(1 + 1 + 23)
    expect([listeners, timers]).toEqual([1, 1])
  })

  test.each([
    ['a 404', new HttpError('Not found (404).', 404)],
    ['no newest block', new RpcError('Not found.', { code: -32000, answer: 'cannot query unfinalized data' })],
  ])('treat %s of a node as an outage only if the node has served the job before', async (_, error) => {
    let rounds = 0
    const { events, told } = await roundsOf((name) => {
      if (name === 'good') rounds++
      if (name === 'bad' || (name === 'out' && rounds > 2 && rounds < 6)) throw error
    }, 1)
    expect(told.failures).toHaveLength(1)
    expect(warnings(events)).toEqual([
      expect.stringMatching(/^bad ended; the other jobs continue/),
      expect.stringMatching(/^out: Not found/),
    ])
    expect(notices(events)).toHaveLength(1)
  })

  test('end a job if its node has served it before and then serves damaged data', async () => {
    let rounds = 0
    const { told } = await roundsOf((name) => {
      const damaged = new DecodeError('Container 7 has bytes that do not match its id.', { kind: 'lagging' })
      if (name === 'out' && ++rounds > 2) throw damaged
    }, 1)
    expect(rounds).toBe(3)
    expect(told.failures).toMatchObject([{ code: 'decode', exitCode: 4 }])
  })

  test('end when every job has failed for good', async () => {
    const { told } = await roundsOf((name) => {
      throw new DecodeError(`Bad bytes of ${name}.`)
    }, 0)
    expect(told.failures.map(({ message }) => message)).toEqual(
      ['good', 'out', 'bad'].map((name) => `Bad bytes of ${name}.`),
    )
  })
})

test('--follow waits for a node that is not up yet, and resumes when a node that went down is back', async () => {
  const options = { seed: 41, blocks: 120 }
  let node = await startDevnet(options)
  const { port, url } = node
  await node.close()
  const lake = newLake()
  const stop = new AbortController()
  const events: RunEvent[] = []
  let phase = 0
  const { summary } = await exportLake({
    node: { url },
    lake,
    tries: 1,
    follow: { maxLagMs: 100 },
    stop: stop.signal,
    onEvent: (event) => {
      events.push(event)
      const back = async (): Promise<void> => {
        node = await startDevnet({ ...options, port })
        if (phase > 1) await node.grow(30)
      }
      if (phase === 0 && event.kind === 'warning') {
        phase = 1
        setTimeout(() => void back(), 500)
      } else if (phase === 1 && event.kind === 'waiting') {
        phase = 2
        void node.close().then(() => setTimeout(() => void back(), 1000))
      } else if (phase === 2 && event.kind === 'committed') {
        phase = 3
        stop.abort(new Error('stopped'))
      }
    },
  })
  await node.close()
  expect(summary.stopped).toBe(true)
  expect(warnings(events)).toEqual([
    expect.stringMatching(/^The start: No answer from .*: connection refused\. chainlake retries until it succeeds\.$/),
    expect.stringMatching(/^p-blocks: No answer from .* chainlake retries until it succeeds\.$/),
  ])
  expect(notices(events).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The start: recovered after \d/),
    expect.stringMatching(/^p-blocks: recovered after \d/),
  ])
  expect(await query(lake, 'select count(*)::int as n from p_blocks')).toEqual([{ n: 150 }])
  expect(await strayFiles(lake)).toEqual([])
})
