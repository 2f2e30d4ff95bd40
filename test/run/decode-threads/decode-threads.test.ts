import { expect, test } from 'vitest'
import { createDecodeThreads, threadCount } from '../../../src/run/decode-threads/decode-threads.ts'
import { contextOf } from '../../decode/recordings.ts'

test('a decode thread that dies fails its requests, and a new thread replaces it', async () => {
  const threads = createDecodeThreads(1)
  const context = contextOf('granite', 'C')
  const senders = { pipeline: 'c-blocks', thread: 'senders' }
  try {
    expect(await threads.decode(senders, [], context)).toEqual([])
    const dying = threads.decode({ pipeline: 'c-blocks', thread: 'nothing' }, [], context)
    const behind = threads.decode(senders, [], context)
    await expect(dying).rejects.toThrow('has no decoder of this name')
    await behind.catch(() => undefined)
    expect(await threads.decode(senders, [], context)).toEqual([])
  } finally {
    await threads.close()
  }
})

test('the number of decode threads is limited by memory, however many processors a machine has', () => {
  expect([1, 2, 3, 4, 64].map(threadCount)).toEqual([1, 1, 2, 2, 2])
})
