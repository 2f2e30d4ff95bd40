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
  const [deadly = '', other = ''] = await queue.put([0, 10].map(taskAt), 60)
  // As when the lease of a dead worker ends.
  const die = () =>
    ask(url, `UPDATE ${taskQueue.table} SET state = 'retry', retry_count = retry_count + 1 WHERE id = $1`, [deadly])
  const commit = (id: string) =>
    queue.beatWithin((sql, values) => ask(url, sql, [...(values ?? [])]), { id, retryCount: 2 })
  for (let death = 0; death < 2; death++) {
    expect((await queue.take())?.attempt.id).toBe(deadly)
    await die()
  }
  // A worker that commits something, such as one on a machine that is taken away, is not counted.
  expect((await queue.take())?.attempt.id).toBe(deadly)
  await commit(deadly)
  await die()
  for (let death = 0; death < 5; death++) {
    expect((await queue.take())?.attempt.id).toBe(deadly)
    await die()
  }
  expect((await queue.take())?.attempt.id).toBe(other)
  const [state] = await queue.states([deadly])
  expect(state).toMatchObject({
    state: 'failed',
    output: { error: { code: 'work.deaths', message: expect.stringContaining('p-blocks') } },
  })
  // A command that names the job again tries it again.
  const [again] = await queue.put([taskAt(0)], 60)
  expect((await queue.take())?.attempt.id).toBe(again)
  await queue.close()
})
