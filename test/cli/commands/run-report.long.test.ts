import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { newLake } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

const schema = z.fromJSONSchema(
  JSON.parse(readFileSync(join(packageRoot(), 'examples/run-report.schema.json'), 'utf8')),
)

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 11, blocks: 20 })
})
afterAll(() => node.close())

async function reportOf(...args: string[]) {
  const { code, stdout, stderr } = await chainlake([
    ...['run', ...args, '--node-url', node.url, '--lake', newLake(), '--json', '--log-level', 'info'],
  ])
  expect(code, stderr).toBe(0)
  return {
    report: JSON.parse(stdout),
    log: stderr
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

test.each([
  ['blocks by height', 'p-blocks', { kind: 'range', record: 'block', stream: 'P/block', head: 20, records: 20 }],
  ['EVM blocks', 'evm-blocks', { kind: 'range', record: 'block', stream: 'evm-blocks/43112' }],
  ['single answers', 'supply', { kind: 'list', pipeline: 'supply' }],
])('the report of a job over %s names its records as the schema declares', async (_, pipeline, expected) => {
  const { report, log } = await reportOf(pipeline)
  expect(schema.parse(report)).toMatchObject({ jobs: [expected] })
  const [job] = report.jobs
  expect('containers' in job).toBe(false)
  expect('records' in job).toBe(expected.kind === 'range')
  const planned = log.filter(({ msg }) => msg === 'planned')
  expect(planned).toEqual(
    expected.kind === 'list' ? [] : [expect.objectContaining({ pipeline, record: job.record, records: job.records })],
  )
})

test('the schema refuses a job of an unknown kind and a range without its records', async () => {
  const { report } = await reportOf('p-blocks')
  const [{ records: _, ...job }] = report.jobs
  expect(schema.safeParse({ ...report, jobs: [job] }).success).toBe(false)
  expect(schema.safeParse({ ...report, jobs: [{ ...job, kind: 'list' }] }).success).toBe(true)
  expect(schema.safeParse({ ...report, jobs: [{ ...job, kind: 'service' }] }).success).toBe(false)
})
