import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { backUpLake } from '../../src/catalog/backup.ts'
import { commitTen, committedLake, failureOf, runOver } from './committed-lake.ts'
import { newLakeDir, stream, writePart } from './lake.ts'
import { sql } from './sql.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'chainlake-backup-'))
const backUp = (lakeDir: string, dir: string) => backUpLake({ lake: { folder: lakeDir }, dir, waitMs: 5_000 })

describe('a backup', () => {
  test('contains the catalog and its write-ahead file in one file and leaves the lake unchanged', async () => {
    const { lake, catalog } = await committedLake(2)
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    await commitTen(lake, catalog, run, 20)
    const before = readdirSync(lake).map((name) => name)
    expect(before).toContain('catalog.ducklake.wal')
    const bytes = readFileSync(join(lake, 'catalog.ducklake'))
    const dir = join(newFolder(), 'new', 'folder')
    const { folder, facts, replaced } = await backUp(lake, dir)
    expect({ folder, replaced }).toEqual({ folder: dir, replaced: null })
    expect(facts).toMatchObject({ snapshotId: 3, runId: run.id, lake, files: 3, bytes: 300 })
    expect(JSON.parse(readFileSync(join(dir, 'backup.json'), 'utf8'))).toEqual(facts)
    expect(readdirSync(dir).sort()).toEqual(['backup.json', facts.catalog.file])
    const copy =
      'select count(*)::int as n, count(distinct sha256)::int as hashed from ducklake_data_file left join chainlake.file using (data_file_id)'
    expect(await sql(dir, copy, facts.catalog.file)).toEqual([{ n: 3, hashed: 1 }])
    expect(readFileSync(join(lake, 'catalog.ducklake')).equals(bytes)).toBe(true)
    expect(readdirSync(lake)).toEqual(before)
    await run.end('done')
  })

  test('replaces an earlier backup only once it is complete', async () => {
    const { lake, catalog, parts } = await committedLake(1)
    const dir = newFolder()
    writeFileSync(join(dir, '.catalog-of-a-dead-one.ducklake'), '')
    utimesSync(join(dir, '.catalog-of-a-dead-one.ducklake'), 1, 1)
    const first = await backUp(lake, dir)
    await runOver({ lake, catalog }, 10, 1)
    rmSync(join(lake, parts[0]?.path ?? ''))
    const before = readdirSync(dir)
    const error = await failureOf(backUp(lake, dir))
    expect(error).toMatchObject({ name: 'VerifyError', code: 'verify.files', exitCode: 6 })
    expect(error.details.first).toBe(`${parts[0]?.path} (gone)`)
    expect(readdirSync(dir)).toEqual(before)
    writePart(lake, parts[0]!)
    const second = await backUp(lake, dir)
    expect(second.replaced).toEqual(first.facts)
    expect(second.facts.snapshotId).toBe(2)
    expect(readdirSync(dir).sort()).toEqual(['backup.json', second.facts.catalog.file])
  })

  test('completes a backup that was killed between its two files', async () => {
    const { lake } = await committedLake(1)
    const dir = newFolder()
    const { facts } = await backUp(lake, dir)
    rmSync(join(dir, 'backup.json'))
    const again = await backUp(lake, dir)
    expect(again.facts.catalog.file).not.toBe(facts.catalog.file)
    expect(readdirSync(dir).sort()).toEqual(['backup.json', again.facts.catalog.file])
  })

  test('is refused in a folder of other files, in the folder of the lake and without a lake', async () => {
    const { lake } = await committedLake(1)
    const other = newFolder()
    writeFileSync(join(other, 'thesis.docx'), '')
    mkdirSync(join(lake, 'data', 'backups'))
    const link = join(newFolder(), 'link')
    symlinkSync(join(lake, 'data'), link)
    const inside = [join(lake, 'data/backups'), join(lake, 'data'), join(lake, 'locks'), join(link, 'below')]
    for (const dir of [other, lake, ...inside]) {
      expect(await failureOf(backUp(lake, dir)), dir).toMatchObject({ code: 'backup.folder', exitCode: 2 })
    }
    expect(readdirSync(other)).toEqual(['thesis.docx'])
    expect(await failureOf(backUp(newLakeDir(), newFolder()))).toMatchObject({ code: 'lake.missing', exitCode: 2 })
    // A folder that even root cannot write.
    const error = await failureOf(backUp(lake, '/proc/chainlake'))
    expect(error).toMatchObject({ name: 'StorageError', exitCode: 5 })
    expect(error.hint).toContain('folder')
    expect(existsSync(join(lake, 'catalog.ducklake'))).toBe(true)
  })

  test('works on a lake that the user may only read', async () => {
    const { lake } = await committedLake(1)
    chmodSync(join(lake, 'catalog.ducklake'), 0o444)
    const { folder, facts } = await backUp(lake, newFolder())
    expect(facts.files).toBe(1)
    await sql(folder, 'create table written(i int)', facts.catalog.file)
  })
})
