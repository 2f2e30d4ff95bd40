import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restoreCatalog } from '../../src/catalog/backup.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { lakePaths } from '../../src/catalog/lake.ts'
import { chainlakeVersion, upgrade } from '../../src/catalog/schema.ts'
import type { Session } from '../../src/catalog/session.ts'
import { committedLake, failureOf } from './committed-lake.ts'
import { stream, tables } from './lake.ts'
import { sql } from './sql.ts'

const setVersion = (version: number): string => `UPDATE chainlake.version SET version = ${version}`

describe('a catalog from a build before the first release', () => {
  test.each([1, 11])('of version %i is refused by every command and left unchanged', async (version) => {
    const { lake, catalog } = await committedLake(1)
    await sql(lake, setVersion(version))
    const file = join(lake, 'catalog.ducklake')
    const before = readFileSync(file)
    const copy = join(lake, '../copy.ducklake')
    copyFileSync(file, copy)
    for (const attempt of [
      () => openCatalog({ folder: lake }, tables),
      () => catalog.startRun({ streams: [stream], command: 'test' }),
      () => catalog.status(),
      () => restoreCatalog({ lake: { folder: lake }, source: copy }),
    ]) {
      const error = await failureOf(attempt())
      expect(error).toMatchObject({ name: 'UnknownVersionError', code: 'catalog.earlier-build', exitCode: 5 })
      expect(error.message).toBe('This lake was written by a chainlake build before the first release.')
      expect(error.details).toEqual({ file, 'version of the catalog': version, 'oldest known version': 13 })
      expect(error.hint).toContain('Export again into a new folder')
    }
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

/**
 * An example of an upgrade and its test: it changes the tables of the schema `chainlake` from one version to the next and fills new columns
 * from existing data. `upgrades` in `schema.ts` lists upgrades in order. No version has one yet, so this one exists only in the test.
 */
describe('an upgrade from the oldest version', () => {
  const addHost = async (session: Session) => {
    await session.run('ALTER TABLE chainlake.coverage ADD COLUMN host VARCHAR')
    await session.run(
      'UPDATE chainlake.coverage SET host = (SELECT host FROM chainlake.run WHERE run_id = last_run_id)',
    )
  }
  const write = async <T>(lake: string, work: (session: Session) => Promise<T>): Promise<T> => {
    const paths = lakePaths({ folder: lake })
    return (await paths.endpoint.open(paths, { waitMs: 5_000 })).write(work)
  }
  const hosts = 'SELECT slice_from, slice_to, host IS NOT NULL AS known FROM chainlake.coverage'
  const version = 'SELECT version FROM chainlake.version'

  test('keeps existing data, fills new columns and runs only once', async () => {
    const { lake, catalog } = await committedLake(2)
    await write(lake, (session) => upgrade(session, 13, [addHost]))
    expect(await sql(lake, version)).toEqual([{ version: '14' }])
    expect(await sql(lake, hosts)).toEqual([{ slice_from: '0', slice_to: '20', known: true }])
    await write(lake, (session) => upgrade(session, 14, [addHost]))
    expect(await sql(lake, version)).toEqual([{ version: '14' }])
    // A program without the upgrade refuses the lake.
    expect(await failureOf(catalog.snapshotId())).toMatchObject({ code: 'catalog.unknown-version' })
  })

  test('changes nothing if it fails', async () => {
    const { lake, catalog } = await committedLake(2)
    const fail = () => Promise.reject(new Error('the disk is full'))
    await expect(write(lake, (session) => upgrade(session, 13, [addHost, fail]))).rejects.toThrow('the disk is full')
    expect(await sql(lake, version)).toEqual([{ version: String(chainlakeVersion) }])
    await expect(sql(lake, hosts)).rejects.toThrow('host')
    expect(await catalog.snapshotId()).toBe(2)
  })
})
