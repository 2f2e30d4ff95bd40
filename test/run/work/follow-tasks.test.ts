import { expect, test, vi } from 'vitest'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { CatalogUnreachableError, ConfigError, DecodeError } from '../../../src/errors.ts'
import { packageVersion } from '../../../src/lib/package.ts'
import { errorParts } from '../../../src/run/error-parts.ts'
import type { JobResult, RunEvent } from '../../../src/run/events.ts'
import type { TaskOutput, TaskState } from '../../../src/run/work/queue.ts'
import { followTasks, untilReached } from '../../../src/run/work/run-with-workers.ts'
import type { Task } from '../../../src/run/work/task.ts'
import { jobOf } from '../job-of.ts'

const task: Task = {
  chainlake: packageVersion(),
  lake: 'a-lake',
  job: 'p-blocks',
  message: { pipeline: 'p-blocks', values: {}, facts: { node: null, answers: [] }, ids: {} },
  urls: [],
  streams: [{ network: 'local', path: 'P/block', parameters: {} }],
  slice: { from: 0, to: 10 },
  chainCheckpoint: null,
}
const result: JobResult = {
  kind: 'range',
  name: 'p-blocks',
  pipeline: 'p-blocks',
  streams: 1,
  record: 'container',
  stream: 'P/block',
  head: 9,
  records: 10,
  units: 1,
  pages: 0,
  tables: [{ name: 'p_blocks', rows: 10, bytes: 1000, files: 1 }],
  seconds: 1,
  upToDate: false,
  postponed: null,
  interrupted: false,
}
const stateOf = (id: string, state: TaskState['state'], output: TaskOutput | null = null): TaskState => ({
  id,
  task,
  state,
  startAfter: new Date(0),
  output,
})

/** Follows tasks with these states, one poll after another. An error in the list is the failure of the queue. */
async function follow(times: readonly (readonly TaskState[] | Error)[], stop = new AbortController().signal) {
  const events: RunEvent[] = []
  let at = 0
  const queue = {
    states: async (_: string, ids: readonly string[]) => {
      const now = times[Math.min(at++, times.length - 1)]!
      if (now instanceof Error) throw now
      return now.filter(({ id }) => ids.includes(id))
    },
    isTended: async () => false,
  }
  const range = { record: 'container', stream: 'P/block', head: 29 }
  const jobs = [{ job: jobOf(pBlocksPipeline), range, ids: ['a', 'b'], tasks: 2 }]
  return {
    ...(await followTasks(jobs, queue, { stop, emit: (event) => events.push(event) })),
    events,
  }
}

test('a job ends with its last task; its result is the sum of its tasks, with the head of the plan', async () => {
  const done = (id: string) => stateOf(id, 'completed', { result })
  const { results, failures, events } = await follow([
    [done('a'), stateOf('b', 'active')],
    [done('a'), done('b')],
  ])
  expect(failures).toEqual([])
  expect(results).toMatchObject([
    { records: 20, head: 29, interrupted: false, tables: [{ name: 'p_blocks', rows: 20, bytes: 2000 }] },
  ])
  expect(events).toMatchObject([
    { kind: 'progress', done: 1, total: 2, rows: 10, bytes: 1000 },
    { kind: 'progress', done: 2, total: 2, rows: 20, bytes: 2000 },
  ])
})

test('a failed task fails the run with its own error, or by its name when its workers ended; a retried task is logged once', async () => {
  const error = JSON.parse(JSON.stringify(errorParts(new DecodeError('It is no block.', { code: 'decode.type' }))))
  const { failures, events } = await follow([
    [stateOf('a', 'retry', { error }), stateOf('b', 'active')],
    [stateOf('a', 'retry', { error }), stateOf('b', 'active')],
    [stateOf('a', 'failed', { error }), stateOf('b', 'failed', { value: { message: 'job heartbeat timeout' } })],
  ])
  expect(failures[0]).toMatchObject({ job: 'p-blocks', error: expect.any(DecodeError) })
  expect(failures[1]?.error).toMatchObject({
    code: 'work.deaths',
    message: expect.stringContaining('p-blocks'),
    details: { reason: 'job heartbeat timeout' },
  })
  expect(events.filter(({ kind }) => kind === 'warning')).toEqual([
    { kind: 'warning', message: 'p-blocks: local/P/block [0, 10): It is no block. The task is retried.' },
  ])
})

test('a run says once that the running workers can only leave its tasks, and continues with a worker that can do them', async () => {
  vi.useFakeTimers()
  try {
    const options = { code: 'work.definition', details: { module: 'gas.mjs' }, hint: 'Copy it.' }
    const error = JSON.parse(JSON.stringify(errorParts(new ConfigError('It has another version.', options))))
    const left = [stateOf('a', 'retry', { error }), stateOf('b', 'retry', { error })]
    const done = [stateOf('a', 'completed', { result }), stateOf('b', 'completed', { result })]
    const following = follow([...Array.from({ length: 30 }, () => left), done])
    await vi.advanceTimersByTimeAsync(40_000)
    const { results, events } = await following
    expect(results).toMatchObject([{ records: 20, interrupted: false }])
    expect(events.filter(({ kind }) => kind === 'warning')).toEqual([
      {
        kind: 'warning',
        message: 'No running worker can do the tasks that are left. They wait for a worker that can.',
        details: { reason: 'It has another version.', module: 'gas.mjs', hint: 'Copy it.' },
        once: true,
      },
    ])
  } finally {
    vi.useRealTimers()
  }
})

test('a run ends as postponed when its tasks wait for a time that their source named', async () => {
  const postponed = { resumeAt: new Date(Date.now() + 3_600_000).toISOString(), reason: 'Spent.', hint: null }
  const waiting = { ...stateOf('a', 'retry', { postponed }), startAfter: new Date(postponed.resumeAt) }
  const { results } = await follow([[waiting, stateOf('b', 'completed', { result })]])
  expect(results).toMatchObject([{ postponed, interrupted: false }])
})

test('a stop ends the run with the finished tasks and a notice about the remaining ones', async () => {
  const stopping = new AbortController()
  stopping.abort(new Error('SIGTERM'))
  const states = [stateOf('a', 'completed', { result }), stateOf('b', 'created')]
  const { results, events } = await follow([states], stopping.signal)
  expect(results).toMatchObject([{ records: 10, interrupted: true, upToDate: false }])
  expect(events.at(-1)).toMatchObject({ kind: 'notice', details: { left: 1 } })
})

test('a run waits for an unreachable queue and logs that once', async () => {
  const gone = new Error('terminating connection due to administrator command')
  const done = [stateOf('a', 'completed', { result }), stateOf('b', 'completed', { result })]
  const { results, events } = await follow([[stateOf('a', 'active'), stateOf('b', 'active')], gone, gone, done])
  expect(results).toMatchObject([{ records: 20, interrupted: false }])
  expect(events.filter(({ kind }) => kind === 'warning' || kind === 'notice')).toEqual([
    {
      kind: 'warning',
      message: 'The queue cannot be reached; chainlake retries until it can.',
      details: { reason: gone.message },
    },
    { kind: 'notice', message: 'The queue can be reached again.' },
  ])
})

test('a stop ends the run even while the queue is unreachable', async () => {
  const stopping = new AbortController()
  stopping.abort(new Error('SIGTERM'))
  const { results } = await follow([new Error('gone')], stopping.signal)
  expect(results).toMatchObject([{ records: 0, interrupted: true }])
})

test('planning continues when the database answers again, and any other failure ends it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const messages: string[] = []
  const options = {
    stop: new AbortController().signal,
    emit: (event: RunEvent) => void (event.kind === 'warning' && messages.push(event.message)),
  }
  let attempts = 0
  const planned = untilReached(async () => {
    attempts++
    if (attempts < 4) throw new CatalogUnreachableError('PostgreSQL does not answer.')
    return 'planned'
  }, options)
  await vi.runAllTimersAsync()
  expect(await planned).toBe('planned')
  expect([attempts, messages]).toEqual([4, ['The queue cannot be reached; chainlake retries until it can.']])
  const wrong = new ConfigError('A flag is wrong.', { code: 'config.value' })
  await expect(untilReached(() => Promise.reject(wrong), options)).rejects.toBe(wrong)
  vi.useRealTimers()
})
