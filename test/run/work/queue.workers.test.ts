import { expect, test, vi } from 'vitest'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { taskQueue } from '../../../src/catalog/catalog.ts'
import { ConfigError } from '../../../src/errors.ts'
import { packageVersion } from '../../../src/lib/package.ts'
import { openQueue } from '../../../src/run/work/queue.ts'
import { followTasks } from '../../../src/run/work/run-with-workers.ts'
import type { Task } from '../../../src/run/work/task.ts'
import { ask, newDatabase } from '../../catalog/postgres/database.ts'
import { jobOf } from '../job-of.ts'

const taskAt = (from: number): Task => ({
  chainlake: packageVersion(),
  lake: 'a-lake',
  job: 'p-blocks',
  message: { pipeline: 'p-blocks', values: {}, facts: { node: null, answers: [] }, ids: {} },
  urls: [],
  streams: [{ network: 'fuji', path: 'P/block', parameters: {} }],
  slice: { from, to: from + 10 },
  chainCheckpoint: null,
})

test('a worker that leaves tasks to others takes all tasks once before it takes one again', async () => {
  const queue = await openQueue(await newDatabase(), {
    stop: new AbortController().signal,
    emit: (event) => {
      throw new Error(JSON.stringify(event))
    },
  })
  const ids = await queue.put([0, 10, 20].map(taskAt), 60)
  const taken: (number | undefined)[] = []
  for (let at = 0; at < 5; at++) {
    const next = await queue.take()
    taken.push(next?.task.slice?.from)
    if (next !== null) await queue.leave(next.attempt, new ConfigError('It is left.', { code: 'work.url', hint: '' }))
  }
  expect(taken).toEqual([0, 10, 20, 0, 10])
  expect((await queue.states('p-blocks', ids)).map(({ state }) => state)).toEqual(['retry', 'retry', 'retry'])
  await queue.close()
})

test('a task that ends its workers has failed by its name when no try is left, and the others are done', async () => {
  const url = await newDatabase()
  const queue = await openQueue(url, {
    stop: new AbortController().signal,
    emit: (event) => {
      throw new Error(JSON.stringify(event))
    },
  })
  const [deadly = '', other = ''] = await queue.put([0, 10].map(taskAt), 10)
  // A worker takes the last try and dies; the queue notices that at the end of its lease.
  expect((await queue.take())?.attempt.id).toBe(deadly)
  await ask(url, `UPDATE ${taskQueue.table} SET retry_limit = retry_count WHERE id = $1`, [deadly])
  const next = await queue.take()
  expect(next?.attempt.id).toBe(other)
  const beats = setInterval(() => void queue.beat(next!.attempt), 1000)
  await vi.waitFor(
    async () => expect(await queue.states('p-blocks', [deadly])).toMatchObject([{ state: 'failed' }]),
    30_000,
  )
  clearInterval(beats)
  const jobs = [{ job: jobOf(pBlocksPipeline), range: null, ids: [deadly], tasks: 1 }]
  const { failures } = await followTasks(jobs, queue, { stop: new AbortController().signal, emit: () => undefined })
  expect(failures).toMatchObject([{ error: { code: 'work.deaths', message: expect.stringContaining('p-blocks') } }])
  // A command that names the job again tries it again.
  const [again] = await queue.put([taskAt(0)], 60)
  expect((await queue.take())?.attempt.id).toBe(again)
  await queue.close()
})

test('a task keeps its tries when it is given back, also at its last one, and fails at once when it is given up', async () => {
  const url = await newDatabase()
  const queue = await openQueue(url, {
    stop: new AbortController().signal,
    emit: (event) => {
      throw new Error(JSON.stringify(event))
    },
  })
  const [id = ''] = await queue.put([taskAt(0)], 60)
  const triesLeft = async () => {
    const [row] = await ask(url, `SELECT retry_limit - retry_count AS n FROM ${taskQueue.table} WHERE id = $1`, [id])
    return row?.['n']
  }
  const taken = await queue.take()
  const before = await triesLeft()
  expect(await queue.giveBack(taken!.attempt, null)).toBe(true)
  // Its first attempt is over: a worker that has lost it changes nothing.
  expect(await queue.giveBack(taken!.attempt, null)).toBe(false)
  const second = await queue.take()
  expect(await triesLeft()).toBe(before)
  const resumeAt = new Date(Date.now() + 3_600_000).toISOString()
  await ask(url, `UPDATE ${taskQueue.table} SET retry_limit = retry_count WHERE id = $1`, [id])
  const last = { ...second!.attempt, retryLimit: second!.attempt.retryCount }
  await queue.giveBack(last, { resumeAt, reason: 'The budget is spent.', hint: null })
  expect(await queue.take()).toBe(null)
  expect(await queue.states('p-blocks', [id])).toMatchObject([{ state: 'retry', startAfter: new Date(resumeAt) }])
  // A command that names the task again leaves it as it is, with what is new in it.
  expect(await queue.put([{ ...taskAt(0), urls: ['new'] }], 60)).toEqual([id])
  expect(await queue.states('p-blocks', [id])).toMatchObject([{ state: 'retry', task: { urls: ['new'] } }])
  await ask(url, `UPDATE ${taskQueue.table} SET start_after = now() WHERE id = $1`, [id])
  const third = await queue.take()
  expect(third?.attempt.id).toBe(id)
  expect(await queue.giveUp(third!.attempt, new ConfigError('It is wrong.', { code: 'config.node', hint: '' }))).toBe(
    true,
  )
  expect(await queue.states('p-blocks', [id])).toMatchObject([
    { state: 'failed', output: { error: { message: 'It is wrong.' } } },
  ])
  expect(await queue.open()).toBe(0)
  await queue.close()
})
