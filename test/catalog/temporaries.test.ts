import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalogOf } from '../../src/catalog/catalog.ts'
import { openDuckdbFile } from '../../src/catalog/duckdb/duckdb-file.ts'
import { lakePaths } from '../../src/catalog/lake.ts'
import type { Backend } from '../../src/catalog/session.ts'
import { StorageError } from '../../src/errors.ts'
import { temporaryName } from '../../src/lib/files.ts'
import { createLake, newLakeDir, stream } from './lake.ts'
import { startChild } from './process.ts'

const temporaries = (lake: string) => readdirSync(lake).filter((name) => /^\.(views|lookup)-/.test(name))

test('temporary files are removed once the lock of their owner is free', async () => {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const child = startChild(['hold-stream', lake, 'X'])
  const { run: alive } = await child.waitFor('run')
  const own = await catalog.registerOwner()
  const kept = [alive, own.id].flatMap((owner) => {
    const [file, folder] = [`${temporaryName('views', owner)}.duckdb`, temporaryName('lookup', owner)]
    writeFileSync(join(lake, file), '')
    mkdirSync(join(lake, folder))
    writeFileSync(join(lake, folder, 'spilled'), '')
    return [file, folder]
  })
  const dead = [
    '.views-20260101T000000000Zabcdef-0a1b2c3d4e5f.duckdb.wal',
    '.lookup-20260101T000000000Zabcdef-0a1b2c3d4e5f',
  ]
  for (const name of dead) writeFileSync(join(lake, name), '')

  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  expect(temporaries(lake).sort()).toEqual([...kept].sort())
  child.process.kill('SIGKILL')
  await child.ended
  const next = await catalog.registerOwner()
  expect(temporaries(lake).sort()).toEqual(kept.slice(2).sort())
  await own.release()
  await (await catalog.registerOwner()).release()
  expect(temporaries(lake).sort()).toEqual([])
  await next.release()
  await run.end('done')
  expect(readdirSync(join(lake, 'locks'))).toEqual([`run-${alive}.duckdb`])
})

test('an owner that fails to close the catalog leaves no lock', async () => {
  const lake = newLakeDir()
  await createLake({ folder: lake }, tables)
  const paths = lakePaths({ folder: lake })
  const backend = openDuckdbFile(paths, { waitMs: 1_000 })
  const failing: Backend = {
    ...backend,
    write: async (work, waiting) => {
      await backend.write(work, waiting)
      throw new StorageError('The catalog could not be closed.')
    },
  }
  const catalog = await openCatalogOf(failing, paths, tables)
  await expect(catalog.registerOwner()).rejects.toThrow('The catalog could not be closed.')
  expect(await backend.locks.held()).toEqual([])
})

test('a dead run is reported only once', async () => {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const child = startChild(['hold-stream', lake, 'X'])
  const { run: dead, part } = await child.waitFor('run')
  child.process.kill('SIGKILL')
  await child.ended
  const recoveries: unknown[] = []
  for (let each = 0; each < 3; each++) {
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    recoveries.push(run.recovery)
    await run.end('done')
  }
  const nothing = { died: [], removed: [], unknown: [], restarted: [] }
  expect(recoveries).toEqual([{ ...nothing, died: [dead], removed: [part] }, nothing, nothing])
  expect((await catalog.status()).streams.map(({ lastRun }) => lastRun?.state)).toEqual(['done', 'died'])
})
