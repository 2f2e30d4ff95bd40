import {
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { t } from '../../../src/define/index.ts'
import { compactLake } from '../../../src/run/upkeep/compact.ts'
import { committedLake, failureOf } from '../../catalog/committed-lake.ts'
import { endsOf, stream } from '../../catalog/lake.ts'
import { flatFiles, flatRows, flatTables, inDuckDb, publishFlat, viewRows } from '../flat-tables.ts'
import { newLake } from '../lake-run.ts'
import { base, squaresTable, writeSquares } from '../squares.ts'

const linking = vi.hoisted(() => ({ error: null as string | null }))

/** Refuses hard links where a test says so, as another file system does. */
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const link: typeof real.link = async (from, to) => {
    if (linking.error === null) return real.link(from, to)
    throw Object.assign(new Error('no link'), { code: linking.error, syscall: 'link' })
  }
  return { ...real, link }
})

const stop = new AbortController().signal

async function lakeOf(...ends: readonly number[]): Promise<{ lake: string; folder: string }> {
  const lake = newLake()
  for (const [at, end] of ends.entries()) await writeSquares(lake, squaresTable(), ends[at - 1] ?? 0, end)
  return { lake, folder: join(lake, 'parquet') }
}

async function pathsOf(lake: string): Promise<string[]> {
  const { tables } = await (await openCatalog({ folder: lake }, [])).files()
  return tables.flatMap(({ files }) => files.map(({ path }) => join(lake, path)))
}

/** A lake that no test changes, with two files. */
let shared = ''
beforeAll(async () => {
  shared = (await lakeOf(10, 20)).lake
})

/** A path for a new folder of published tables. */
const newFolder = () => join(dirname(newLake()), 'flat')

describe('publish parquet', () => {
  test('puts hard links to the visible files of each table into one folder, and does nothing when nothing has changed', async () => {
    const [lake, folder] = [shared, join(shared, 'parquet')]
    const { snapshotId } = await (await openCatalog({ folder: lake }, [])).snapshot()
    expect(await publishFlat(lake)).toMatchObject({
      folder,
      snapshotId,
      tables: [{ table: 'squares', rows: 20, files: 2 }],
      changed: [{ table: 'squares', added: 2, rewritten: 0, removed: 0 }],
    })
    expect(flatTables(folder)).toEqual(['squares'])
    const inodes = (await pathsOf(lake)).map((path) => statSync(path).ino)
    expect(flatFiles(folder, 'squares').map((name) => statSync(join(folder, 'squares', name)).ino)).toEqual(inodes)
    expect(await flatRows(folder, 'squares')).toEqual(await viewRows(lake, 'squares'))
    expect(await publishFlat(lake)).toMatchObject({ changed: [] })
  })

  test('replaces files that were merged, and who has opened one of them still reads it', async () => {
    const { lake, folder } = await lakeOf(10, 20)
    await publishFlat(lake)
    const before = flatFiles(folder, 'squares')
    const opened = openSync(join(folder, 'squares', before[0] ?? ''), 'r')
    await compactLake({ folder: lake }, { stop, emit: () => undefined })
    expect(await publishFlat(lake)).toMatchObject({ changed: [{ added: 1, removed: 2 }] })
    expect(flatFiles(folder, 'squares')).toHaveLength(1)
    expect(before).not.toContain(flatFiles(folder, 'squares')[0])
    expect(await flatRows(folder, 'squares')).toEqual(await viewRows(lake, 'squares'))
    // A program may still be listing the earlier files. The next publication removes them.
    const generations = () => flatFiles(join(folder, '.chainlake'), 'squares')
    await publishFlat(lake)
    expect(generations()).toHaveLength(2)
    await publishFlat(lake, { now: () => new Date(Date.now() + 61_000) })
    expect(generations()).toHaveLength(1)
    const magic = Buffer.alloc(4)
    readSync(opened, magic, 0, 4, 0)
    expect(magic.toString()).toBe('PAR1')
  })

  test('rewrites older files once when columns were added, moved, removed or declared again', async () => {
    const { lake, folder } = await lakeOf(10)
    await publishFlat(lake)
    const note = t.text('Note.', { nullable: true })
    const { parts, ...others } = base
    const columns = [
      { note, ...base },
      { ...Object.fromEntries(Object.entries(others).reverse()), note },
      { ...others, note, parts: parts! },
    ]
    for (const [at, own] of columns.entries()) {
      const from = 10 + at * 10
      await writeSquares(lake, squaresTable(own), from, from + 10, { dropsColumns: true })
      expect(await publishFlat(lake)).toMatchObject({ changed: [{ added: 1, rewritten: at + 1, removed: at + 1 }] })
      expect(await flatRows(folder, 'squares')).toEqual(await viewRows(lake, 'squares'))
      expect(await publishFlat(lake)).toMatchObject({ changed: [] })
    }
    const known = `SELECT count(*)::INT AS n, count(parts)::INT AS parts FROM '${folder}/squares/*.parquet'`
    expect(await inDuckDb(known)).toEqual([{ n: 40, parts: 10 }])
    const columnsOf = `SELECT list((name, field_id)) FILTER (field_id IS NOT NULL) AS c FROM parquet_schema('${folder}/squares/*.parquet') GROUP BY file_name`
    expect(await inDuckDb(`SELECT count(DISTINCT c)::INT AS n FROM (${columnsOf})`)).toEqual([{ n: 1 }])
  })

  test('gives a table without rows one file with its columns', async () => {
    const { lake, catalog } = await committedLake(0)
    const run = await catalog.startRun({ streams: [stream], command: 'test', writes: ['names', 'events'] })
    const progress = { kind: 'slice', slice: { from: 0, to: 10 }, ends: endsOf(0, 10) } as const
    await catalog.commit({ runId: run.id, stream, tables: ['names', 'events'], parts: [], progress, basis: null })
    await run.end('done')
    await publishFlat(lake)
    const folder = join(lake, 'parquet')
    expect(flatTables(folder)).toEqual(['events', 'names'])
    expect(flatFiles(folder, 'events')).toEqual([expect.stringMatching(/^no-rows-[0-9a-f]{12}\.parquet$/)])
    expect(await flatRows(folder, 'events')).toEqual([])
    const types = await inDuckDb(`DESCRIBE SELECT * FROM '${folder}/events/*.parquet'`)
    expect(types.map((row) => row['column_type'])).toEqual([
      'VARCHAR',
      'BIGINT',
      'TIMESTAMP WITH TIME ZONE',
      'DECIMAL(20,0)',
      'VARCHAR[]',
      'STRUCT(memo BLOB, weight DECIMAL(20,0))',
    ])
    expect(await publishFlat(lake)).toMatchObject({ changed: [] })
  })

  test('copies files where links fail', async () => {
    for (const code of ['EXDEV', 'EPERM', 'EMLINK']) {
      const to = newFolder()
      linking.error = code
      await publishFlat(shared, { to }).finally(() => {
        linking.error = null
      })
      const [name = ''] = flatFiles(to, 'squares')
      expect(statSync(join(to, 'squares', name)).nlink).toBe(1)
      expect(await flatRows(to, 'squares')).toEqual(await viewRows(shared, 'squares'))
    }
  })

  test('publishes single tables, and removes tables that the lake does not have', async () => {
    const to = newFolder()
    const old = join(to, '.chainlake/old/0123456789ab-run')
    mkdirSync(old, { recursive: true })
    writeFileSync(join(old, '000000000000-run-0.parquet'), '')
    symlinkSync('.chainlake/old/0123456789ab-run', join(to, 'old'))
    writeFileSync(join(to, 'notes.txt'), 'mine')
    await publishFlat(shared, { to, tables: ['squares'] })
    expect(flatTables(to)).toEqual(['old', 'squares'])
    await publishFlat(shared, { to })
    expect(flatTables(to)).toEqual(['squares'])
    await publishFlat(shared, { to })
    expect(flatFiles(to, '.chainlake')).toEqual([expect.stringMatching(/^lake-/), 'squares'])
    expect(statSync(join(to, 'notes.txt')).size).toBe(4)
    expect(await failureOf(publishFlat(shared, { to, tables: ['cubes'] }))).toMatchObject({ code: 'parquet.table' })
    expect(await failureOf(publishFlat(shared, { to, tables: ['p_utxos'] }))).toMatchObject({ code: 'parquet.view' })
  })

  test('keeps what readers see when it fails or is stopped, and leaves nothing else', async () => {
    const { lake, folder } = await lakeOf(10)
    await publishFlat(lake)
    await writeSquares(lake, squaresTable(), 10, 20)
    const stopped = new AbortController()
    stopped.abort()
    await failureOf(publishFlat(lake, { stop: stopped.signal }))
    const last = (await pathsOf(lake)).at(-1) ?? ''
    renameSync(last, `${last}.gone`)
    expect(await failureOf(publishFlat(lake))).toMatchObject({ code: 'verify.files', exitCode: 6 })
    expect(flatFiles(folder, 'squares')).toHaveLength(1)
    expect(flatFiles(join(folder, '.chainlake'), 'squares')).toHaveLength(1)
    writeFileSync(last, Buffer.alloc(statSync(`${last}.gone`).size))
    const damaged = await failureOf(publishFlat(lake))
    expect(damaged).toMatchObject({ code: 'verify.files', exitCode: 6, details: { file: last } })
    renameSync(`${last}.gone`, last)
    await publishFlat(lake)
    expect(flatFiles(folder, 'squares')).toHaveLength(2)
  })

  test('is refused while another process does the same', async () => {
    const run = await (await openCatalog({ folder: shared }, [])).startRun({ streams: [], command: 'publish parquet' })
    expect(await failureOf(publishFlat(shared))).toMatchObject({ code: 'catalog.work-locked', exitCode: 5 })
    await run.end('done')
  })
})

describe('publish parquet removes nothing that is not its own', () => {
  test('it refuses another folder, file or link in place of a table', async () => {
    const put = {
      folder: (path: string) => mkdirSync(path),
      file: (path: string) => writeFileSync(path, ''),
      link: (path: string) => symlinkSync('/', path),
    }
    for (const [kind, make] of Object.entries(put)) {
      const found = join(newFolder(), kind, 'squares')
      mkdirSync(dirname(found), { recursive: true })
      make(found)
      const refused = await failureOf(publishFlat(shared, { to: dirname(found) }))
      expect(refused).toMatchObject({ code: 'parquet.foreign', exitCode: 5, details: { found } })
      expect(lstatSync(found)).toBeDefined()
    }
  })

  test('it refuses other files among those of a table', async () => {
    const to = newFolder()
    await publishFlat(shared, { to })
    const found = join(to, 'squares/mine.parquet')
    writeFileSync(found, '')
    expect(await failureOf(publishFlat(shared, { to }))).toMatchObject({ code: 'parquet.foreign', details: { found } })
    expect(flatFiles(to, 'squares')).toContain('mine.parquet')
    rmSync(found)
    expect(await publishFlat(shared, { to })).toMatchObject({ changed: [] })
  })

  test.each([
    ['a generation', '.chainlake/squares/link'],
    ['the generations of a table', '.chainlake/squares'],
    ['its own folder', '.chainlake'],
  ])('it refuses a link in place of %s, and removes no file behind it', async (_, name) => {
    const { lake } = await lakeOf(10)
    const [folder, [file = '']] = [newFolder(), await pathsOf(lake)]
    const link = join(folder, name)
    mkdirSync(dirname(link), { recursive: true })
    // The data file is at the place of one of an earlier publication.
    const depth = name === '.chainlake' ? 3 : name === '.chainlake/squares' ? 2 : 1
    symlinkSync(
      Array.from({ length: depth }).reduce<string>((path) => dirname(path), file),
      link,
    )
    const failure = await publishFlat(lake, { to: folder, now: () => new Date(Date.now() + 61_000) }).catch(
      (error) => error,
    )
    expect(statSync(file).isFile()).toBe(true)
    expect(failure).toMatchObject({ code: 'parquet.foreign' })
  })

  test('it refuses the folder of another lake, and one of two lakes that take a folder at once', async () => {
    const to = newFolder()
    const { lake: other } = await committedLake(0)
    await publishFlat(shared, { to })
    expect(await failureOf(publishFlat(other, { to }))).toMatchObject({ code: 'parquet.other-lake', exitCode: 5 })
    expect(await publishFlat(shared, { to })).toMatchObject({ changed: [] })
    const both = newFolder()
    const ends = await Promise.allSettled([shared, other].map((lake) => publishFlat(lake, { to: both })))
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2)
  })

  test.each(['', 'data', 'data/squares', 'iceberg'])('it refuses the folder %s of the lake', async (name) => {
    const lake = newLake()
    const refused = await failureOf(publishFlat(lake, { to: join(lake, name) }))
    expect(refused).toMatchObject({ code: 'parquet.folder', exitCode: 2 })
  })

  test.each(['s3://bucket/tables', fileURLToPath(import.meta.url)])('it refuses a URL and a file: %s', async (to) => {
    const refused = await failureOf(publishFlat(newLake(), { to }))
    expect(refused).toMatchObject({ code: 'parquet.folder', exitCode: 2 })
  })
})
