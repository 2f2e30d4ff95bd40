import { expect, test } from 'vitest'
import { storageFailure } from '../../src/catalog/duckdb/catalog-lock.ts'
import { StorageError } from '../../src/errors.ts'
import { isOutOfInodes } from '../../src/lib/files.ts'
import { storageError } from '../../src/write/parquet-thread.ts'

/** A file system with these numbers of inodes. */
const withInodes = (files: number, ffree: number) => ({ bsize: 4096, bavail: 1, blocks: 2, type: 0, files, ffree })

const full = Object.assign(new Error("ENOSPC: no space left on device, open 'x'"), { code: 'ENOSPC' })

test('a file system without free inodes is distinguished from a full one', () => {
  expect(isOutOfInodes('/a/b', () => withInodes(100, 0))).toBe(true)
  expect(isOutOfInodes('/a/b', () => withInodes(100, 1))).toBe(false)
  // A file system that creates inodes on demand reports none.
  expect(isOutOfInodes('/a/b', () => withInodes(0, 0))).toBe(false)
})

test('a folder that cannot be checked is replaced by its parent', () => {
  const requested: string[] = []
  const count = (path: string) => {
    requested.push(path)
    if (path !== '/a') throw new Error('ENOENT')
    return withInodes(100, 0)
  }
  expect(isOutOfInodes('/a/b/c', count)).toBe(true)
  expect(requested).toEqual(['/a/b/c', '/a/b', '/a'])
  expect(
    isOutOfInodes('/a/b', () => {
      throw new Error('ENOSYS')
    }),
  ).toBe(false)
  expect(isOutOfInodes('/')).toBe(false)
})

test.each([
  ['of a part', () => storageError(full, '/lake/x.parquet', () => true)],
  ['of a file of the lake', () => storageFailure(full, '/lake/x', () => true)],
  [
    'of the catalog',
    () =>
      storageFailure(new Error('IO Error: Could not write file "x": No space left on device'), '/lake/x', () => true),
  ],
])('an error %s reports missing inodes with a hint', (_, error) => {
  expect(error()).toBeInstanceOf(StorageError)
  expect(error()).toMatchObject({
    code: 'storage.inodes',
    retryable: true,
    message: expect.stringMatching(/^The file system can hold no more files/),
    hint: expect.stringContaining('df -i'),
  })
})

test('an ENOSPC error means a full disk if inodes are free', () => {
  expect(storageError(full, '/x', () => false)).toMatchObject({ code: 'storage.full' })
  expect(storageFailure(full, '/x', () => false)).toMatchObject({ code: 'storage.full' })
})
