import { expect, test } from 'vitest'
import { DecodeError } from '../../../src/errors.ts'
import { decodeHere } from '../../../src/run/decode-threads/decode-here.ts'
import type { FromUnitThread } from '../../../src/run/executors/thread-messages.ts'
import { beginThreadWalk } from '../../../src/run/executors/thread-walk.ts'
import type { UnitMessage } from '../../../src/run/units/unit-message.ts'

const unit: UnitMessage = {
  job: { pipeline: 'p-blocks', values: {}, facts: { node: null, answers: [] }, ids: {} },
  stream: { network: 'local', path: 'P/block', parameters: {} },
  slice: { from: 0, to: 10 },
  tables: [],
  runId: 'run',
  followsUnit: false,
}

/** The part of a walk that a thread executes, with the messages that it sends. */
function walk(open: () => Promise<never>) {
  const sent: FromUnitThread[] = []
  const begun = beginThreadWalk({
    concurrency: 1,
    commitEveryMs: 1000,
    decodeThreads: decodeHere(),
    store: {} as never,
    thread: {} as never,
    nextPart: () => 0,
    open,
    send: (message) => void sent.push(message),
  })
  return { begun, sent }
}

test('a walk sends its end once, whatever ends it, even without units', async () => {
  const { begun, sent } = walk(() => Promise.reject(new Error('not opened')))
  begun.end()
  begun.stop()
  begun.end()
  expect(sent).toEqual([{ kind: 'ended', error: null }])
})

test('a unit that cannot be opened ends the walk with its error', async () => {
  const { begun, sent } = walk(() => Promise.reject(new DecodeError('It is nonsense.', { code: 'decode.test' })))
  begun.add(0, unit)
  begun.end()
  while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  begun.stop()
  expect(sent).toMatchObject([{ kind: 'ended', error: { name: 'DecodeError', known: { code: 'decode.test' } } }])
})
