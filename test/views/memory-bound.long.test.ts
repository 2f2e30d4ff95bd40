import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { queryLake, selectFromLake } from '../../src/views/query.ts'
import { publish, rowsOf, temporaryFolder } from './test-lake.ts'

/** A GROUP BY that exceeds the memory limit of a query. */
const groups = 'SELECT count(*) AS n FROM (SELECT DISTINCT md5(range::VARCHAR) FROM range(8000000))'
/** DuckDB cannot spill a list to the disk. */
const list = 'SELECT length(list(md5(range::VARCHAR))) AS n FROM range(6000000)'

async function emptyLake(): Promise<string> {
  const lake = temporaryFolder()
  await publish(lake, {})
  return lake
}

const spilled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('.lookup-reader-'))

test('a query that exceeds its memory limit spills to the disk and removes its folder', async () => {
  const lake = await emptyLake()
  const before = spilled()
  expect(await rowsOf(lake, "SELECT current_setting('memory_limit') AS v")).toEqual([{ v: '286.1 MiB' }])
  expect(await rowsOf(lake, groups)).toEqual([{ n: 8_000_000 }])
  for await (const rows of (await selectFromLake(lake, groups)).chunks) expect(rows).toEqual([[8_000_000]])
  expect(spilled().filter((name) => !before.includes(name))).toEqual([])
})

test('the error of a query that cannot spill shows how to raise the memory limit', async () => {
  const lake = await emptyLake()
  await expect(queryLake(lake, list).then(({ chunks }) => chunks[Symbol.asyncIterator]().next())).rejects.toMatchObject(
    {
      code: 'query.failed',
      hint: expect.stringContaining("SET memory_limit = '4GB'; SELECT"),
    },
  )
  expect(await rowsOf(lake, `SET memory_limit = '4GB'; ${list}`)).toEqual([{ n: 6_000_000 }])
})
