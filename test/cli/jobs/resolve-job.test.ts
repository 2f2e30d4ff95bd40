import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { type JobRequest, queriesLake, resolveJob } from '../../../src/cli/jobs/jobs.ts'
import { skippedResult } from '../../../src/cli/terminal/run-results.ts'
import { p } from '../../../src/define/index.ts'
import type { Job } from '../../../src/run/job.ts'
import { isSkipped } from '../../../src/run/jobs/run-groups.ts'
import { itemsPipeline } from '../../config/service-pipeline.ts'

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-resolve-'))
  const instance = await DuckDBInstance.create(join(folder, 'lake.duckdb'))
  const connection = await instance.connect()
  await connection.run(
    `create table owners as select * from (values ('0x0001', 1), ('0x0002', 2), (null, 3), ('0x0001', 4), (' 0x0003 ', 5), ('', 6)) as t(wallet, n)`,
  )
  await connection.run(`create view chainlake_lake as select '${folder}' as lake_path`)
  connection.closeSync()
  instance.closeSync()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function request(wallets: unknown): JobRequest {
  return { kind: 'requested', name: 'mine', pipeline: itemsPipeline, given: { network: 'fuji', wallets } }
}

async function wallets(source: unknown, lake = folder): Promise<unknown> {
  const job = await resolveJob(request(source), { folder: lake })
  return isSkipped(job) ? undefined : job.values['wallets']
}

describe('the lists of a job', () => {
  test('stay unchanged if they are inline, like other values', async () => {
    expect(await resolveJob(request(['0x0001']), { folder: '/nowhere' })).toEqual({
      name: 'mine',
      pipeline: itemsPipeline,
      values: { network: 'fuji', wallets: ['0x0001'] },
    })
  })
  test('from a file drop duplicates', async () => {
    writeFileSync(join(folder, 'w.txt'), '# mine\n0x0001\n0x0002 # second\n0x0001\n')
    expect(await wallets({ file: join(folder, 'w.txt') })).toEqual(['0x0001', '0x0002'])
  })
  test('from a query use its first column without nulls and empty texts', async () => {
    expect(await wallets({ query: 'select wallet, n from owners order by n' })).toEqual(['0x0001', '0x0002', '0x0003'])
  })
  test('that are omitted come from their default query, are empty without a lake, and never skip the job', async () => {
    const absent = (query: string): JobRequest => {
      const parameters = { wallets: p.list('Wallets.', { query }) }
      return { kind: 'requested', name: 'mine', pipeline: { ...itemsPipeline, parameters }, given: {} }
    }
    const usual = 'select wallet from owners order by n'
    const values = async (query: string, lake: string) => (await resolveJob(absent(query), { folder: lake })) as Job
    expect(queriesLake(absent(usual))).toBe(true)
    expect((await values(usual, folder)).values).toEqual({ wallets: ['0x0001', '0x0002', '0x0003'] })
    expect((await values(usual, '/nowhere')).values).toEqual({ wallets: [] })
    expect((await values('select wallet from owners where n > 9', folder)).values).toEqual({ wallets: [] })
  })
  test.each([
    ['select n from owners', /^mine: wallets: an item must be 0x and 4 digits, not "1"\.$/, /./],
    ['select wallet from owner', /^mine: wallets: the query failed: .*owner/s, /chainlake sql/],
    ['drop table owners', /^mine: wallets: the query failed: The query must be one SELECT/, /one SELECT/],
  ])('from %j are refused with an error', async (query, message, hint) => {
    await expect(wallets({ query })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
  })
  test.each(['select wallet from owners where n > 9', `select wallet from owners where wallet is null or wallet = ''`])(
    'from %j have no values, so the job is skipped',
    async (query) => {
      const job = await resolveJob(request({ query }), { folder })
      expect(job).toEqual({ name: 'mine', pipeline: 'items', list: 'wallets', query })
      if (isSkipped(job))
        expect(skippedResult(job)).toMatchObject({
          kind: 'list',
          name: 'mine',
          pages: 0,
          tables: [],
          upToDate: true,
        })
    },
  )
  test('from a query are refused without a lake', async () => {
    await expect(wallets({ query: 'select 1' }, join(folder, 'none'))).rejects.toMatchObject({
      message: 'mine: wallets: the query needs a lake, and there is none yet.',
      hint: expect.stringContaining('First run the job that fills the table'),
    })
  })
  test('from a file are refused if the file is empty or has an invalid item', async () => {
    const path = join(folder, 'bad.txt')
    writeFileSync(path, '# nobody\n')
    await expect(wallets({ file: path })).rejects.toMatchObject({
      message: 'mine: wallets: the file contains no values.',
    })
    writeFileSync(path, '0x0001\n0x1\n')
    await expect(wallets({ file: path })).rejects.toMatchObject({
      message: 'mine: wallets: an item must be 0x and 4 digits, not "0x1".',
      details: { file: path },
    })
  })
})

test('only jobs with a query need the lake', async () => {
  const job: JobRequest = { kind: 'requested', name: 'p', pipeline: pBlocksPipeline, given: { raw: true } }
  expect(await resolveJob(job, { folder: '/nowhere' })).toEqual({
    name: 'p',
    pipeline: pBlocksPipeline,
    values: { raw: true },
  })
  expect([job, request(['0x0001']), request({ query: 'select 1' })].map(queriesLake)).toEqual([false, false, true])
})
