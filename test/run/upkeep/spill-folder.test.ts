import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { StorageError } from '../../../src/errors.ts'
import { takeSpillFolder } from '../../../src/run/disk-space.ts'

const lake = mkdtempSync(join(tmpdir(), 'chainlake-spill-'))
afterAll(() => rmSync(lake, { recursive: true, force: true }))

/** Simulates DuckDB when a query needs more memory than it has and the process dies in the middle. */
function spillInto(path: string): void {
  mkdirSync(path)
  writeFileSync(join(path, 'duckdb_temp_storage_DEFAULT-0.tmp'), 'rows')
}

test('the spill folder is in the lake, belongs to a live process, and is removed on release', async () => {
  let isOwned = true
  const release = async () => {
    isOwned = false
  }
  const spill = await takeSpillFolder(lake, { registerOwner: async () => ({ id: '01ABC', release }) })
  expect(dirname(spill.path)).toBe(lake)
  spillInto(spill.path)
  await spill.release()
  expect([existsSync(spill.path), isOwned]).toEqual([false, false])
})

test('the spill folder of a read-only lake is in the folder for temporary files', async () => {
  const own = async () => {
    throw new StorageError('read-only', { code: 'storage.permission' })
  }
  const spill = await takeSpillFolder(lake, { registerOwner: own })
  expect(dirname(spill.path)).toBe(tmpdir())
  spillInto(spill.path)
  await spill.release()
  expect(existsSync(spill.path)).toBe(false)
})
