import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { t, table } from '../../src/define/index.ts'
import { publish, rowsOf, temporaryFolder, writeQuery } from './test-lake.ts'

const things = table({
  name: 'things',
  comment: 'Things.',
  key: ['id'],
  sortBy: ['id'],
  partitionBy: [],
  columns: { id: t.int64('Id.'), name: t.text('Name.') },
})

test('a query on a lake with a damaged or missing file throws a VerifyError', async () => {
  const lake = temporaryFolder("lake's [a]")
  const rows = 'SELECT range AS id, md5(range::VARCHAR) AS name FROM range(5000)'
  for (const name of ['a', 'b']) await writeQuery(lake, things, `data/things/${name}.parquet`, rows)
  await publish(lake, { things: ['data/things/a.parquet', 'data/things/b.parquet'] }, 1, [things])
  const file = join(lake, 'data/things/b.parquet')
  const whole = readFileSync(file)
  const query = () => rowsOf(lake, 'SELECT max(name) AS m FROM things')
  expect(await query()).toHaveLength(1)
  const spoilings: [Buffer, string | undefined][] = [
    [whole.subarray(0, whole.length / 2), file],
    [Buffer.alloc(0), file],
    [Buffer.from(whole).fill(0, 4, whole.length - 1000), undefined],
    [Buffer.from(whole).fill(0xff, whole.length - 200, whole.length - 100), undefined],
  ]
  for (const [bytes, named] of spoilings) {
    writeFileSync(file, bytes)
    const error = await query().then(
      () => expect.fail('it was read'),
      (failure) => failure,
    )
    expect(error).toMatchObject({ name: 'VerifyError', code: 'verify.damaged', exitCode: 6 })
    if (named !== undefined) expect(error.details.file).toBe(named)
    expect(error.hint).toContain('chainlake repair')
  }
  rmSync(file)
  await expect(query()).rejects.toMatchObject({ code: 'verify.missing', details: { file: 'data/things/b.parquet' } })
  // After a move all files are at another path; that is a different error.
  const moved = `${lake}-moved`
  renameSync(lake, moved)
  const own = `FROM '${moved.replaceAll("'", "''")}/own.parquet'`
  await expect(rowsOf(moved, 'SELECT id FROM things')).rejects.toMatchObject({ code: 'query.other-place', exitCode: 2 })
  // A missing file outside the lake is also a different error.
  renameSync(moved, lake)
  await expect(rowsOf(lake, own)).rejects.toMatchObject({ code: 'storage.read', exitCode: 5 })
})

test('a query that meets damage after its first rows throws a VerifyError instead of ending early', async () => {
  const lake = temporaryFolder()
  const rows = 'SELECT range AS id, md5(range::VARCHAR) AS name FROM range(500000)'
  const path = 'data/things/a.parquet'
  await writeQuery(lake, things, path, rows)
  await publish(lake, { things: [path] }, 1, [things])
  const whole = readFileSync(join(lake, path))
  const at = Math.floor(whole.length * 0.7)
  writeFileSync(join(lake, path), Buffer.from(whole).fill(0xff, at, at + 5_000))
  await expect(rowsOf(lake, 'FROM things')).rejects.toMatchObject({ code: 'verify.damaged', exitCode: 6 })
})
