import { expect, test } from 'vitest'
import { DecodeError } from '../../../src/errors.ts'
import { beginThreadWalk } from '../../../src/run/ranges/slice-thread.ts'
import type { FromSliceThread, SliceTask } from '../../../src/run/ranges/threads.ts'

const task: SliceTask = {
  job: { pipeline: 'p-blocks', values: {}, facts: { node: null, answers: [] }, ids: {} },
  stream: { network: 'local', path: 'P/block', parameters: {} },
  slice: { from: 0, to: 10 },
  tables: [],
  follows: false,
}

/** The part of a walk that a thread executes, with the messages that it sends. */
function walk(open: () => Promise<never>) {
  const sent: FromSliceThread[] = []
  const begun = beginThreadWalk({
    runId: 'run',
    concurrency: 1,
    commitEveryMs: 1000,
    store: {} as never,
    thread: {} as never,
    nextPart: () => 0,
    memberOf: open,
    send: (message) => void sent.push(message),
  })
  return { begun, sent }
}

test('a walk sends its end once, whatever ends it, even without slices', async () => {
  const { begun, sent } = walk(() => Promise.reject(new Error('not opened')))
  begun.end()
  begun.stop()
  begun.end()
  expect(sent).toEqual([{ kind: 'ended', error: null }])
})

test('a slice that cannot be opened ends the walk with its error', async () => {
  const { begun, sent } = walk(() => Promise.reject(new DecodeError('It is nonsense.', { code: 'decode.test' })))
  begun.add(0, task)
  begun.end()
  while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  begun.stop()
  expect(sent).toMatchObject([{ kind: 'ended', error: { name: 'DecodeError', fields: { code: 'decode.test' } } }])
})
