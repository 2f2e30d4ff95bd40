import { expect, test } from 'vitest'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import type { RunOptions } from '../../../src/run/jobs/start-jobs.ts'

const job = { name: 'blocks', pipeline: pBlocksPipeline, values: {} }
const right = {
  // Nothing answers there: a request would fail in another way.
  nodeUrl: 'http://127.0.0.1:1',
  lake: { folder: '/nowhere/lake' },
  jobs: [job],
  stop: new AbortController().signal,
  emit: () => undefined,
}

test.each([
  ['no stop', { stop: undefined }, 'stop must be an AbortSignal'],
  ['no listener', { emit: undefined }, 'emit must be a function'],
  ['a path instead of a lake', { lake: './lake' }, 'lake must name a folder'],
  ['a pipeline by its name', { jobs: [{ ...job, pipeline: 'p-blocks' }] }, 'The pipeline of job blocks is a text'],
  ['no pipeline', { jobs: [{ ...job, pipeline: undefined }] }, 'Job blocks has no pipeline'],
  ['no values', { jobs: [{ ...job, values: undefined }] }, 'Job blocks has no values'],
  ['an unknown parameter', { jobs: [{ ...job, values: { form: 1 } }] }, 'has no parameter form'],
])('a program that gives %s is told so before anything is requested', async (_, wrong, message) => {
  await expect(runPipelines({ ...right, ...wrong } as unknown as RunOptions)).rejects.toMatchObject({
    code: 'config.options',
    exitCode: 2,
    message: expect.stringContaining(message),
    hint: expect.any(String),
  })
})
