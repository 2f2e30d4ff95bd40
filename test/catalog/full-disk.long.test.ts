import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { storageFailure } from '../../src/catalog/duckdb/catalog-lock.ts'
import { StorageError } from '../../src/errors.ts'
import { createLake, newLakeDir } from './lake.ts'
import { lakeState } from './lake-state.ts'
import { startChild } from './process.ts'

// A limit on file sizes (in blocks of 512 bytes) refuses writes in the middle of a commit, like a full disk.
describe('a disk that fills up', () => {
  test('ends the run with a clear error, keeps all commits, and the next run resumes', async () => {
    const lake = newLakeDir()
    await createLake({ folder: lake }, tables)
    expect((await startChild(['export', lake, 'P', '50', '10']).ended).code).toBe(0)
    const child = startChild(['export', lake, 'P', '100000', '10'], { limit: 'ulimit -f 128' })
    expect((await child.ended).code).toBe(1)
    const failure = child.said.find((message) => 'error' in message)
    expect(failure).toMatchObject({ error: 'StorageError', code: 'storage.full' })
    const last = Math.max(50, ...child.said.map((message) => message['committed'] ?? 0))
    expect((await startChild(['export', lake, 'P', String(last + 20), '10']).ended).code).toBe(0)
    const state = await lakeState(lake)
    expect(state.stray).toEqual([])
    expect(state.leftovers).toEqual([])
    expect(state.streams[0]?.tables.map((table) => table.slices)).toEqual([
      [{ from: 0, to: last + 20 }],
      [{ from: 0, to: last + 20 }],
    ])
  })
})

describe('the code of a storage error', () => {
  test.each([
    ['IO Error: Could not write file "x": No space left on device', 'storage.full'],
    ['IO Error: Cannot open file "x": Read-only file system', 'storage.read-only'],
    ['IO Error: Cannot open file "x": Permission denied', 'storage.read-only'],
    [
      'IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 68.',
      'catalog.unknown-version',
    ],
    ['FATAL Error: fsync failed!', 'storage.eio'],
    ['IO Error: Could not write file "x": Input/output error', 'storage.eio'],
    ['FATAL Error: Failed: database has been invalidated because of a previous fatal error.', 'storage.eio'],
    ['IO Error: Could not set lock on file "x": No locks available', 'storage.locks'],
    ['IO Error: Could not set lock on file "x": Operation not supported', 'storage.locks'],
    ['IO Error: Corrupt database file: computed checksum 1 does not match', 'catalog.unreadable'],
  ])('%s', (message, code) => {
    expect(storageFailure(new Error(message), 'x')).toMatchObject({ code, details: { file: 'x' } })
  })

  test('depends on the system error, and other errors stay unchanged', () => {
    const failed = (code: string) => Object.assign(new Error(`${code}: refused`), { code })
    expect(storageFailure(failed('ENOSPC'), 'x')).toMatchObject({ code: 'storage.full' })
    expect(storageFailure(failed('EROFS'), 'x')).toMatchObject({ code: 'storage.read-only' })
    expect(storageFailure(failed('EIO'), 'x')).toBeInstanceOf(StorageError)
    const own = new StorageError('own')
    expect(storageFailure(own, 'x')).toBe(own)
    const bug = new TypeError('x is not a function')
    expect(storageFailure(bug, 'x')).toBe(bug)
  })
})
