import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { openQueue } from '../../../src/run/work/queue.ts'
import { type Task, taskFormat } from '../../../src/run/work/task.ts'
import { newDatabase } from '../../catalog/postgres/database.ts'

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
