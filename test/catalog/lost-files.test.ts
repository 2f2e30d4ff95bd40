import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Part } from '../../src/model.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { createLake, endsOf, eventsPart, newLakeDir, stream, tables, writePart } from './lake.ts'

const start = (catalog: Catalog, writes: string[]) => catalog.startRun({ streams: [stream], command: 'test', writes })

async function lakeOfTwo(): Promise<{ lake: string; catalog: Catalog; parts: Part[] }> {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const run = await start(catalog, ['events'])
  const parts = [writePart(lake, eventsPart(run.id, 0, 10)), writePart(lake, eventsPart(run.id, 10, 20, 1))]
  for (const [index, part] of parts.entries()) {
    const slice = { from: index * 10, to: index * 10 + 10 }
    const progress = { kind: 'slice', slice, ends: endsOf(slice.from, slice.to) } as const
    await catalog.commit({ runId: run.id, stream, tables: ['events'], parts: [part], progress, basis: null })
  }
  await run.end('done')
  return { lake, catalog, parts }
}

describe('a missing data file or one with the wrong size', () => {
  test('stops a run before it starts if the run writes the table, and the error names the file', async () => {
    const { lake, catalog, parts } = await lakeOfTwo()
    const [one, two] = parts.map((part) => part.path)
    truncateSync(join(lake, two ?? ''), 7)
    const refused = async () => {
      const before = readdirSync(lake, { recursive: true })
      const error = await start(catalog, ['names', 'events']).then(
        () => expect.fail('it began'),
        (failure) => failure,
      )
      expect(error).toMatchObject({ name: 'VerifyError', code: 'verify.files', exitCode: 6 })
      expect(error.hint).toMatch(/copy of the lake's folder data\/.*chainlake repair/)
      // The catalog has registered nothing and removed nothing.
      expect(readdirSync(lake, { recursive: true })).toEqual(before)
      return error
    }
    const other = await refused()
    expect(other.message).toBe('The run cannot begin: a file of the lake has the wrong size.')
    expect(other.details).toMatchObject({ tables: 'events', gone: 0, first: `${two} (7 bytes instead of 100)` })
    rmSync(join(lake, one ?? ''))
    const both = await refused()
    expect(both.message).toContain('2 files of the lake are missing or have the wrong size')
    expect(both.details).toMatchObject({ gone: 1, 'of another size': 1 })
    expect(both.details.first).toContain(`${one} (gone)`)
    for (const part of parts) writePart(lake, part)
    await (await start(catalog, ['events'])).end('done')
    // A folder is not a file.
    rmSync(join(lake, one ?? ''))
    mkdirSync(join(lake, one ?? ''))
    await refused()
  })

  test('is reported to runs of other tables', async () => {
    const { lake, catalog, parts } = await lakeOfTwo()
    expect((await start(catalog, ['events'])).lost).toEqual([])
    const path = parts[0]?.path ?? ''
    rmSync(join(lake, path))
    const run = await catalog.startRun({
      streams: [{ ...stream, path: 'X/block' }],
      command: 'test',
      writes: ['names'],
    })
    expect(run.lost).toEqual([{ table: 'events', path, bytes: 100, found: null }])
    await run.end('done')
  })
})

test('an incomplete reading starts again when one of its files is gone', async () => {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const run = await start(catalog, ['events'])
  const { id } = await catalog.openObservation({ runId: run.id, stream })
  const parts = [writePart(lake, eventsPart(run.id, 0, 10)), writePart(lake, eventsPart(run.id, 10, 20, 1))]
  await catalog.stage({ runId: run.id, observationId: id, parts, cursor: 'page 3' })
  await run.end('stopped')
  const whole = await start(catalog, ['events'])
  expect(whole.recovery).toMatchObject({ removed: [], restarted: [] })
  // While its run is alive, other runs do not touch it.
  expect((await catalog.openObservation({ runId: whole.id, stream })).cursor).toBe('page 3')
  rmSync(join(lake, parts[0]?.path ?? ''))
  const beside = await catalog.startRun({ streams: [{ ...stream, path: 'X/block' }], command: 'test' })
  expect(beside.recovery.restarted).toEqual([])
  await beside.end('done')
  await whole.end('stopped')
  const next = await start(catalog, ['events'])
  expect(next.recovery.restarted).toEqual([id])
  expect(next.recovery.removed).toEqual([parts[1]?.path])
  const again = await catalog.openObservation({ runId: next.id, stream })
  expect(again).toMatchObject({ cursor: null, parts: [] })
  expect(again.id > id).toBe(true)
  await next.end('done')
})

test('18,000 files are looked at in a third of a second of CPU', async () => {
  const { findLost } = await import('../../src/catalog/lost-files.ts')
  const lake = newLakeDir()
  const files = Array.from({ length: 18_000 }, (_, n) => ({
    table: 't',
    path: `data/t/${n % 180}/${n}.parquet`,
    bytes: 1,
  }))
  for (const { path } of files) {
    mkdirSync(dirname(join(lake, path)), { recursive: true })
    writeFileSync(join(lake, path), 'x')
  }
  const before = process.cpuUsage()
  expect(await findLost(openFolderStore(lake), files)).toEqual([])
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(300)
  rmSync(lake, { recursive: true })
})
