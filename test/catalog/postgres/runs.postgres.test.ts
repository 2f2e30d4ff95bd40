import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { command, newLake, rowSets } from '../../run/lake-run.ts'
import { accessKey, startS3Server } from '../../store/s3-server.ts'
import { ask, newPlace } from './database.ts'

describe('runs of several processes on one lake in PostgreSQL', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 7, blocks: 300 })
  })
  afterAll(() => node.close())

  const run = (jobs: readonly string[], lake: readonly string[]) =>
    command(['run', ...jobs, '--node-url', node.url, '--unit', '50', '--log-level', 'error', ...lake])

  test('write the same rows as one process with a catalog file', async () => {
    const embedded = newLake()
    const quiet = await run(['p-blocks', 'x-blocks', 'c-blocks', 'validators'], ['--lake', embedded])
    expect(quiet.code, quiet.stderr).toBe(0)

    const { folder, url } = await newPlace()
    const lake = ['--lake', url, '--data', folder]
    const disjoint = await Promise.all([
      run(['p-blocks', 'validators'], lake),
      run(['x-blocks'], lake),
      run(['c-blocks'], lake),
    ])
    for (const { code, stderr } of disjoint) expect(code, stderr).toBe(0)
    // The last publication does not show what other runs committed meanwhile.
    expect((await command(['views', ...lake])).code).toBe(0)
    const [several, one] = [await rowSets(folder), await rowSets(embedded)]
    // Observations state their times, so their rows are as many but not the same.
    for (const name of ['node_validators', 'observations'])
      for (const sets of [several, one]) sets[name] = (sets[name] ?? '').replace(/rows .*/, 'rows')
    expect(several).toEqual(one)
    const verified = await command(['verify', ...lake])
    expect(verified.code, verified.stdout).toBe(0)

    // No task is queued.
    expect(JSON.parse((await command(['status', '--json', ...lake])).stdout)).not.toHaveProperty('tasks')

    // A copy of the catalog in a file is a backup and a separate lake.
    const backup = newLake()
    const taken = await command(['backup', backup, ...lake])
    expect(taken.code, taken.stderr).toBe(0)
    const refused = await command(['restore', backup, ...lake])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('with the tools of PostgreSQL')])
  })

  test('can write the same table at the same time', async () => {
    const { folder, url } = await newPlace()
    const lake = ['--lake', url, '--data', folder]
    // Both jobs write `containers` and `chains`.
    const both = await Promise.all([run(['p-blocks', '--raw'], lake), run(['x-blocks', '--raw'], lake)])
    for (const { code, stderr } of both) expect(code, stderr).toBe(0)
    const again = await run(['p-blocks', '--raw'], lake)
    expect(again.code, again.stderr).toBe(0)
    const alone = newLake()
    for (const job of ['p-blocks', 'x-blocks']) await run([job, '--raw'], ['--lake', alone])
    expect(await rowSets(folder)).toEqual(await rowSets(alone))
    const [sums] = await ask(
      url,
      `SELECT count(*) = 0 AS same FROM public.ducklake_table_stats s
       JOIN (SELECT table_id, sum(record_count) AS n FROM public.ducklake_data_file WHERE end_snapshot IS NULL GROUP BY 1) f USING (table_id)
       WHERE s.record_count <> f.n`,
    )
    expect(sums).toEqual({ same: true })
  })

  test('refuse a folder for the data files of a lake that has them in S3', async () => {
    const s3 = await startS3Server()
    try {
      const { folder, url } = await newPlace()
      const env = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: 'secret', AWS_EC2_METADATA_DISABLED: 'true' }
      const at = ['--s3-endpoint', s3.url, '--s3-path-style', 'true']
      const lake = ['--lake', url, '--data', 's3://lake/files', '--folder', folder, ...at]
      const done = await command(['run', 'p-blocks', '--to', '50', '--node-url', node.url, ...lake], env)
      expect(done.code, done.stderr).toBe(0)
      for (const line of [['status'], ['sql', 'select 1'], ['run', 'p-blocks', '--node-url', node.url]]) {
        const { code, stderr } = await command([...line, '--lake', url, '--data', newLake()], env)
        expect([code, stderr]).toEqual([2, expect.stringContaining('its files are in: s3://lake/files')])
      }
    } finally {
      await s3.close()
    }
  })

  test('cannot take a stream that another process holds', async () => {
    const { folder, url } = await newPlace()
    const lake = ['--lake', url, '--data', folder]
    const ends = await Promise.all([run(['p-blocks'], lake), run(['p-blocks'], lake)])
    // The second run may also start after the first one has ended.
    expect(ends.map(({ code }) => code).sort()).toEqual([0, expect.toBeOneOf([0, 8])])
  })
})
