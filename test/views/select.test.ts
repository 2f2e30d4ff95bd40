import { cpSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { sqlText } from '../../src/lib/text.ts'
import { selectFromLake } from '../../src/views/query.ts'
import { publish, temporaryFolder, writeRows } from './test-lake.ts'

const pBlocks = tables.find(({ name }) => name === 'p_blocks')!

async function lakeOfOneBlock(): Promise<string> {
  const lake = temporaryFolder()
  await writeRows(lake, pBlocks, 'data/one.parquet', [{ network: 'local', height: 7, block_id: 'b' }])
  await publish(lake, { p_blocks: ['data/one.parquet'] })
  return lake
}

async function firstColumn(lake: string, sql: string): Promise<unknown[]> {
  const cells: unknown[] = []
  for await (const chunk of (await selectFromLake(lake, sql)).chunks) cells.push(...chunk.map(([cell]) => cell))
  return cells
}

test('a SELECT in any of its forms reads the files of the lake', async () => {
  const lake = await lakeOfOneBlock()
  const forms = [
    'select height from p_blocks',
    'SELECT height FROM p_blocks; -- as in a terminal',
    'from p_blocks select height',
    'with x as (select height from p_blocks) select * from x',
    '(select height from p_blocks union select 7)',
    'values (7)',
    "select 7 where ';copy' = $$;copy$$",
    `select height from read_parquet(${sqlText(join(lake, 'data/*.parquet'))})`,
  ]
  for (const sql of forms) expect(await firstColumn(lake, sql), sql).toEqual([7])
})

test('a SELECT works through a link to the lake, and on a lake that was published through a link', async () => {
  const lake = await lakeOfOneBlock()
  const link = join(dirname(lake), 'link')
  symlinkSync(lake, link)
  expect(await firstColumn(link, 'select height from p_blocks')).toEqual([7])
  const linked = join(dirname(lake), 'linked')
  symlinkSync(lake, linked)
  await publish(linked, { p_blocks: ['data/one.parquet'] })
  expect(await firstColumn(lake, 'select height from p_blocks')).toEqual([7])
})

test('every other statement is refused, and nothing is written', async () => {
  const lake = await lakeOfOneBlock()
  const outside = temporaryFolder('outside')
  writeFileSync(join(outside, 'secret.csv'), 'a\n1\n')
  const before = readdirSync(lake)
  const at = (path: string) => sqlText(join(lake, path))
  const refused: [string, RegExp][] = [
    [`copy (select 1) to ${at('x.csv')}`, /^The query must be one SELECT, but it is another statement/],
    [`copy p_blocks from ${at('x.csv')}`, /^The query must be one SELECT/],
    [`export database ${at('export')}`, /^The query must be one SELECT/],
    [`attach ${at('x.db')}`, /^The query must be one SELECT/],
    ['pragma version', /^The query must be one SELECT/],
    ["set memory_limit = '1TB'", /^The query must be one SELECT/],
    ['install json', /^The query must be one SELECT/],
    ['load json', /^The query must be one SELECT/],
    ['call pragma_version()', /^The query must be one SELECT/],
    ['create table t as select 1', /^The query must be one SELECT/],
    ['create temp view v as select 1', /^The query must be one SELECT/],
    ['drop view p_blocks', /^The query must be one SELECT/],
    ['begin', /^The query must be one SELECT/],
    ['select 1; select 2', /^The query must be one SELECT, but there are 2 statements\.$/],
    [`select 1; copy (select 1) to ${at('x.csv')}`, /^The query must be one SELECT/],
    ['', /^The query is empty\.$/],
    ['-- nothing;', /^The query is empty\.$/],
    ['selec 1', /^Parser Error: .*selec/],
    ['select height from p_block', /p_block/],
    [`select * from read_csv(${sqlText(join(outside, 'secret.csv'))})`, /^Permission Error/],
    [`select * from read_text(${sqlText(join(lake, '../../outside/secret.csv'))})`, /^Permission Error/],
    ["select * from glob('/*')", /^Permission Error/],
    ["select * from read_parquet('http://127.0.0.1:9/x.parquet')", /./],
  ]
  for (const [sql, message] of refused)
    await expect(firstColumn(lake, sql), sql).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
    })
  expect(readdirSync(lake)).toEqual(before)
  expect(existsSync(join(lake, 'export'))).toBe(false)
})

test('a copy of a lake is refused while its views refer to the original, whether that still exists or not', async () => {
  const original = await lakeOfOneBlock()
  const copy = join(temporaryFolder(), "a copy of Bob's")
  cpSync(original, copy, { recursive: true })
  const refused = {
    code: 'query.other-place',
    exitCode: 2,
    details: { lake: copy, 'the views read': original },
    hint: expect.stringContaining(`chainlake views --lake '${copy.replace("'", String.raw`'\''`)}'`),
  }
  await expect(firstColumn(copy, 'SELECT height FROM p_blocks')).rejects.toMatchObject(refused)
  rmSync(original, { recursive: true })
  await expect(firstColumn(copy, 'SELECT height FROM p_blocks')).rejects.toMatchObject(refused)
})

test('a SELECT reads the lake through a link in another folder', async () => {
  const lake = await lakeOfOneBlock()
  const link = join(temporaryFolder(), 'link')
  symlinkSync(lake, link)
  expect(await firstColumn(link, 'SELECT height FROM p_blocks')).toEqual([7])
})
