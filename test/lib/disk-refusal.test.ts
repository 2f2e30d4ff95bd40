import { expect, test } from 'vitest'
import { writing } from '../../src/catalog/backup.ts'
import { storageFailure } from '../../src/catalog/duckdb/catalog-lock.ts'
import { diskRefusal } from '../../src/lib/files.ts'
import { lookupFailure } from '../../src/lookup/engine.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { storageError } from '../../src/write/parquet-thread.ts'

const file = '/lake/x'
const store = openFolderStore('/lake')
const failed = (code: string) => Object.assign(new Error(`${code}: refused, open 'x'`), { code })
const duckdb = (words: string) => new Error(`IO Error: Could not write file "x": ${words}`)

test.each([
  ['ENOSPC', 'No space left on device', 'storage.full', true],
  ['EDQUOT', 'Disk quota exceeded', 'storage.full', true],
  ['EFBIG', 'File too large', 'storage.full', false],
  ['EROFS', 'Read-only file system', 'storage.read-only', false],
  ['EACCES', 'Permission denied', 'storage.read-only', false],
])('%s has the same code for every caller and wording', async (error, words, code, retryable) => {
  const refusal = { name: 'StorageError', exitCode: 5, code, retryable, hint: diskRefusal(failed(error), file)?.hint }
  expect(refusal.hint).toBeTruthy()
  expect(storageError(failed(error), file)).toMatchObject(refusal)
  expect(storageFailure(failed(error), file)).toMatchObject(refusal)
  expect(storageFailure(duckdb(words), file)).toMatchObject(refusal)
  expect(await lookupFailure(duckdb(words), { lakeDir: '/lake', store, files: [] })).toMatchObject({ code })
  await expect(writing(file, () => Promise.reject(failed(error)))).rejects.toMatchObject({ code })
})

test('other errors are not reported as disk errors', () => {
  expect(diskRefusal(failed('ENOENT'), file)).toBeNull()
  expect(diskRefusal(new Error('No space left on device'), file)).toBeNull()
  expect(diskRefusal('No space left on device', file)).toBeNull()
})
