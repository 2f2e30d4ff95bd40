import { expect, test } from 'vitest'
import { watchSource } from '../../../src/run/jobs/run-groups.ts'
import { chainlake } from '../../cli/in-process.ts'
import { newLake } from '../lake-run.ts'
// The time until the deadline must not be spent with loading.
import '../../../src/run/jobs/run-pipelines.ts'

const retry = { kind: 'retry', url: 'http://127.0.0.1:9', attempt: 1, waitMs: 500, reason: 'refused' } as const

test('a source fails until a job reads something from it, a round ends, or it stops failing', () => {
  let nowMs = 0
  const source = watchSource(() => nowMs)
  expect(source.lasting()).toBeNull()
  source.onEvent(retry)
  expect(source.lasting()).toMatchObject({ url: retry.url, reason: 'refused' })
  source.onEvent({ kind: 'round', pipeline: 'a', is: 'begun' })
  expect(source.lasting()).not.toBeNull()
  source.onEvent({ kind: 'round', pipeline: 'a', is: 'ended' })
  expect(source.lasting()).toBeNull()
  source.onEvent({ ...retry, limited: true })
  expect(source.lasting()).toBeNull()
  source.onEvent(retry)
  nowMs = 61_000
  expect(source.lasting()).toBeNull()
})

test('run --deadline against a node that is down ends with 3, which no scheduler takes for success', async () => {
  const args = ['run', 'p-blocks', '--node-url', 'http://127.0.0.1:9', '--lake', newLake(), '--deadline', '2s']
  const late = await chainlake(args)
  expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining('the source failed until the deadline') })
})
