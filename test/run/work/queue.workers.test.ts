import { expect, test } from 'vitest'
import { taskQueue } from '../../../src/catalog/catalog.ts'
import { ConfigError } from '../../../src/errors.ts'
import { openQueue } from '../../../src/run/work/queue.ts'
import { type Task, taskFormat } from '../../../src/run/work/task.ts'
import { ask, newDatabase } from '../../catalog/postgres/database.ts'

const taskAt = (from: number): Task => ({
  format: taskFormat,
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
    failed: (error) => {
      throw error
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
  expect((await queue.states(ids)).map(({ state }) => state)).toEqual(['retry', 'retry', 'retry'])
  await queue.close()
})

test('a task that ends its workers has failed by its name after some of them, and the others are done', async () => {
  const url = await newDatabase()
  const queue = await openQueue(url, {
    stop: new AbortController().signal,
    failed: (error) => {
      throw error
    },
  })
  const ids = await queue.put([0, 10].map(taskAt), 60)
  /** A worker takes the next task and dies: as when its lease ends. */
  const die = async () => {
    const taken = await queue.take()
    await ask(url, `UPDATE ${taskQueue.table} SET state = 'retry' WHERE id = $1`, [taken?.attempt.id])
    return taken?.task.slice?.from
  }
  expect([await die(), await die()]).toEqual([0, 0])
  // A worker that commits something, such as one on a machine that is taken away, is not counted.
  const committing = await queue.take()
  const deadly = committing?.attempt.id ?? ''
  await queue.beatWithin((sql, values) => ask(url, sql, [...(values ?? [])]), {
    id: deadly,
    retryCount: 0,
    ...committing?.attempt,
  })
  await ask(url, `UPDATE ${taskQueue.table} SET state = 'retry' WHERE id = $1`, [deadly])
  for (let death = 0; death < 5; death++) expect(await die()).toBe(0)
  const other = await queue.take()
  expect(other?.task.slice?.from).toBe(10)
  expect(ids).toContain(other?.attempt.id)
  const [state] = await queue.states([deadly])
  expect(state).toMatchObject({
    state: 'failed',
    output: { error: { message: expect.stringContaining('p-blocks') } },
  })
  expect(JSON.stringify(state?.output?.error)).toContain('work.deaths')
  // A command that names the job again tries it again.
  const [again] = await queue.put([taskAt(0)], 60)
  expect((await queue.take())?.attempt.id).toBe(again)
  await queue.close()
})
