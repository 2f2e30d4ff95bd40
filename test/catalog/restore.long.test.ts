import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { backUpLake, restoreCatalog } from '../../src/catalog/backup.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { newerThan } from '../../src/cli/commands/keep-lake.ts'
import { commitTen, committedLake, failureOf, runOver, spoilCatalog } from './committed-lake.ts'
import { eventsPart, newLakeDir, stream, tables, writePart } from './lake.ts'
import { sql } from './sql.ts'

const waitMs = 5_000

async function backUp(lakeDir: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'chainlake-backup-'))
  await backUpLake({ lake: { folder: lakeDir }, dir, waitMs })
  return dir
}

const restore = (lakeDir: string, source: string) => restoreCatalog({ lake: { folder: lakeDir }, source, waitMs })
const covered = async (lake: string) => {
  const catalog = await openCatalog({ folder: lake }, tables)
  return (await catalog.coverage(stream, ['events'])).get('events')?.map(({ slice }) => [slice.from, slice.to])
}
const filesIn = (lake: string) =>
  readdirSync(join(lake, 'data'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .sort()

/** Checks that the work changes nothing in the lake. */
async function expectUnchanged(lake: string, work: () => Promise<unknown>): Promise<any> {
  const state = () =>
    readdirSync(lake, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [name, statSync(join(lake, name)).size])
  const before = state()
  const catalog = readFileSync(join(lake, 'catalog.ducklake'))
  const error = await failureOf(work())
  expect(state()).toEqual(before)
  expect(readFileSync(join(lake, 'catalog.ducklake')).equals(catalog)).toBe(true)
  return error
}

describe('a restored backup', () => {
  test('keeps every file and the replaced catalog if it was taken during a run', async () => {
    const { lake, catalog } = await committedLake(1)
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    await commitTen(lake, catalog, run, 10)
    const dir = await backUp(lake)
    // The same run commits more, and then another run commits.
    const later = await commitTen(lake, catalog, run, 20)
    await run.end('done')
    await runOver({ lake, catalog }, 30, 1)
    const files = filesIn(lake)
    const restored = await restore(lake, dir)
    expect(restored.contents.snapshot).toMatchObject({ snapshotId: 2, runId: run.id })
    expect(restored.before?.snapshot.snapshotId).toBe(4)
    expect(restored.before?.files).toHaveLength(4)
    expect(restored.unnamed.map(({ path, bytes }) => [path, bytes])).toHaveLength(2)
    expect(restored.unnamed.map(({ path }) => path)).toContain(later.path)
    expect(restored.kept).toHaveLength(1)
    const after = await openCatalog({ folder: lake }, tables)
    expect(await covered(lake)).toEqual([[0, 20]])
    expect((await after.status()).streams[0]?.lastRun).toMatchObject({ id: run.id, state: 'restored over' })
    // The next run fetches again and removes nothing, not even the files of a run that was open in the restored catalog.
    const next = await after.startRun({ streams: [stream], command: 'test', writes: ['events'] })
    expect(next.recovery).toMatchObject({ died: [], removed: [] })
    expect(next.recovery.unknown).toHaveLength(2)
    await commitTen(lake, after, next, 20)
    await next.end('done')
    expect(filesIn(lake)).toEqual(expect.arrayContaining(files))
    // Restores the replaced catalog again.
    const back = await restore(lake, restored.kept[0] ?? '')
    expect(back.contents.snapshot.snapshotId).toBe(4)
    expect(await covered(lake)).toEqual([[0, 40]])
    await runOver({ lake, catalog: after }, 40, 1)
    expect(await covered(lake)).toEqual([[0, 50]])
  })

  test('of a compacted lake reports newer rows and reports no file of earlier snapshots as unknown', async () => {
    const { lake, catalog } = await committedLake(3)
    const before = await backUp(lake)
    const run = await catalog.startRun({ streams: [], command: 'compact' })
    const part = writePart(lake, eventsPart(run.id, 0, 30))
    await catalog.compaction.replace({ runId: run.id, table: 'events', files: [0, 1, 2], parts: [part], level: 1 })
    await run.end('done')
    const after = await backUp(lake)
    await runOver({ lake, catalog }, 30, 1)

    const restored = await restore(lake, after)
    expect(restored.unnamed).toHaveLength(1)
    expect(newerThan(restored).tables).toMatchObject([{ table: 'events', rows: 10, files: 1 }])
    // A backup from before the compaction: no table contains the merged file, and its rows are in the original files.
    const older = await restore(lake, before)
    expect(older.unnamed).toHaveLength(2)
    expect(newerThan(older).tables).toEqual([])
    expect(await covered(lake)).toEqual([[0, 30]])
  })

  test('discards an incomplete observation because the other catalog may show its files', async () => {
    const { lake, catalog } = await committedLake(1)
    const observed = { ...stream, path: 'observed' }
    const run = await catalog.startRun({ streams: [observed], command: 'test' })
    const { id } = await catalog.openObservation({ runId: run.id, stream: observed })
    const parts = [writePart(lake, eventsPart(run.id, 500, 510, 7))]
    await catalog.stage({ runId: run.id, observationId: id, parts, cursor: 'page 2' })
    await run.end('stopped')
    const dir = await backUp(lake)
    const next = await catalog.startRun({ streams: [observed], command: 'test' })
    await catalog.openObservation({ runId: next.id, stream: observed })
    const progress = { kind: 'observation', observationId: id, staged: 'keep' } as const
    await catalog.commit({ runId: next.id, stream: observed, tables: ['events'], parts: [], progress, basis: null })
    await next.end('done')
    const { kept } = await restore(lake, dir)
    const third = await catalog.startRun({ streams: [observed], command: 'test' })
    expect(third.recovery.removed).toEqual([])
    expect(await catalog.openObservation({ runId: third.id, stream: observed })).toMatchObject({
      cursor: null,
      parts: [],
    })
    await third.end('stopped')
    expect(existsSync(join(lake, parts[0]?.path ?? ''))).toBe(true)
    await restore(lake, kept[0] ?? '')
    await (await catalog.startRun({ streams: [observed], command: 'test', writes: ['events'] })).end('done')
  })

  test('is refused without any change during a run, from another lake, when damaged or, unless losses are accepted, when files are missing', async () => {
    const { lake, catalog, parts } = await committedLake(2)
    const dir = await backUp(lake)
    const file = readdirSync(dir).find((name) => name.endsWith('.ducklake')) ?? ''
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    const locked = await expectUnchanged(lake, () => restore(lake, dir))
    expect(locked).toMatchObject({ name: 'LockedError', exitCode: 5, details: { run: run.id } })
    await run.end('done')

    const other = await committedLake(1)
    const foreign = await expectUnchanged(lake, () => restore(lake, join(other.lake, 'catalog.ducklake')))
    expect(foreign).toMatchObject({ name: 'OtherSourceError', code: 'restore.other-lake' })
    expect(foreign.hint).toContain('--lake')

    rmSync(join(lake, parts[1]?.path ?? ''))
    const lost = await expectUnchanged(lake, () => restore(lake, dir))
    expect(lost).toMatchObject({ name: 'VerifyError', exitCode: 6 })
    expect(lost.details.first).toContain(parts[1]?.path)
    expect(lost.hint).toContain('restore another backup')
    const accepted = await restoreCatalog({ lake: { folder: lake }, source: dir, waitMs, losses: 'accepted' })
    expect(accepted.lost).toMatchObject([{ table: 'events', path: parts[1]?.path, found: null }])
    writePart(lake, parts[1]!)

    appendFileSync(join(dir, file), 'x')
    expect(await expectUnchanged(lake, () => restore(lake, dir))).toMatchObject({ code: 'backup.damaged', exitCode: 5 })
    // Restored as a single file, it is refused because DuckDB cannot open it.
    writeFileSync(join(dir, file), 'nonsense '.repeat(9000))
    const nonsense = await expectUnchanged(lake, () => restore(lake, join(dir, file)))
    expect(nonsense).toMatchObject({ code: 'backup.damaged', exitCode: 5 })
    rmSync(join(dir, file))
    expect(await expectUnchanged(lake, () => restore(lake, dir))).toMatchObject({ code: 'backup.damaged' })

    for (const source of [join(dir, 'nothing'), mkdtempSync(join(tmpdir(), 'x-')), join(lake, 'catalog.ducklake')])
      expect(await expectUnchanged(lake, () => restore(lake, source)), source).toMatchObject({
        code: 'restore.source',
        exitCode: 2,
      })
    expect(await failureOf(restore(newLakeDir(), dir))).toMatchObject({ code: 'lake.missing' })
  })

  test.each([
    ['is nonsense', (lake: string) => spoilCatalog(lake)],
    ['is gone', (lake: string) => rmSync(join(lake, 'catalog.ducklake'))],
    [
      'was cut off',
      (lake: string) =>
        writeFileSync(
          join(lake, 'catalog.ducklake'),
          readFileSync(join(lake, 'catalog.ducklake')).subarray(0, 500_000),
        ),
    ],
    [
      'has the write-ahead file of another time',
      (lake: string) => copyFileSync(join(lake, 'old'), join(lake, 'catalog.ducklake')),
    ],
  ])('works when the current catalog %s, and keeps the replaced files', async (_, spoil) => {
    const { lake, catalog } = await committedLake(1)
    copyFileSync(join(lake, 'catalog.ducklake'), join(lake, 'old'))
    const dir = await backUp(lake)
    await runOver({ lake, catalog }, 10, 1)
    await catalog.publishCopy()
    // A run that died. Its commit is in the write-ahead file.
    await catalog.recordNetwork({
      network: 'n',
      networkId: 1,
      hrp: 'n',
      chains: [],
      nativeAssetId: null,
      durangoTime: null,
    })
    expect(existsSync(join(lake, 'catalog.ducklake.wal'))).toBe(true)
    spoil(lake)
    const was = existsSync(join(lake, 'catalog.ducklake')) ? readFileSync(join(lake, 'catalog.ducklake')) : null
    const error = await failureOf(openCatalog({ folder: lake }, tables))
    expect(error.hint).toContain('chainlake restore')
    const { before, kept, unnamed } = await restore(lake, dir)
    expect(before).toBeNull()
    expect(unnamed).toHaveLength(1)
    expect(await covered(lake)).toEqual([[0, 10]])
    expect(existsSync(join(lake, 'catalog.ducklake.wal'))).toBe(false)
    const [first = ''] = kept
    if (was !== null) expect(readFileSync(first).equals(was)).toBe(true)
    // lake.ducklake is newer than the backup, so it is kept too and can be restored.
    const published = kept.find((name) => name.includes('lake.ducklake.before') && !name.includes('catalog.')) ?? ''
    await catalog.publishCopy()
    await restore(lake, published)
    expect(await covered(lake)).toEqual([[0, 20]])
  })
})

describe('lake.ducklake', () => {
  test('can be restored and is then a catalog that its user can write', async () => {
    const { lake, catalog } = await committedLake(1)
    await catalog.publishCopy()
    rmSync(join(lake, 'catalog.ducklake'))
    const { contents } = await restore(lake, join(lake, 'lake.ducklake'))
    expect(contents.snapshot.snapshotId).toBe(1)
    expect(statSync(join(lake, 'catalog.ducklake')).mode & 0o777).toBe(0o644)
    await runOver({ lake, catalog }, 10, 1)
  })

  test('of a copied lake names the files in the folder of the copy', async () => {
    const { lake, catalog } = await committedLake(1)
    await catalog.publishCopy()
    const moved = newLakeDir()
    cpSync(lake, moved, { recursive: true })
    spoilCatalog(moved)
    await restore(moved, join(moved, 'lake.ducklake'))
    const [row] = await sql(moved, "select value from ducklake_metadata where key = 'data_path'")
    expect(row?.['value']).toBe(`${moved}/data/`)
  })
})
