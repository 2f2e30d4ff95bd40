import { existsSync } from 'node:fs'
import { open, readdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBatcher } from '../../src/batch/batcher.ts'
import { t, table } from '../../src/define/index.ts'
import { StorageError } from '../../src/errors.ts'
import type { Store } from '../../src/store/store.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { lakeFolder } from './lake-folder.ts'
import { writeRows } from './write-rows.ts'

/** A store with files on a device that is always full. */
function fullDisk(): Store {
  const store = lake.store()
  return {
    ...store,
    create: async (path) => {
      await writeFile(store.url(path), '')
      const handle = await open('/dev/full', 'r+')
      const discard = async () => {
        await handle.close()
        await store.remove(path)
      }
      return { handle, path: '/dev/full', finish: () => handle.sync(), discard }
    },
  }
}

const numbers = table({
  name: 'numbers',
  comment: 'A table for tests.',
  key: ['number'],
  sortBy: ['number'],
  partitionBy: [],
  columns: { number: t.int64('Number.'), text: t.hex('Text.') },
})

const others = table({
  name: 'others',
  comment: 'A table for tests.',
  key: ['number'],
  sortBy: ['number'],
  partitionBy: [],
  columns: { number: t.text('Number.'), text: t.hex('Text.') },
})

function* numberRows(count: number): Generator<object> {
  for (let number = 0; number < count; number++) yield { number, text: Math.random().toString(36) }
}

function batchOf(rows: number): Uint8Array<ArrayBuffer> {
  const batcher = createBatcher(numbers)
  for (const row of numberRows(rows)) batcher.append(row)
  return batcher.drain()[0]!.ipc
}

const lake = lakeFolder()
let thread: ParquetThread
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(() => thread.close())

describe('a part that cannot be finished', () => {
  test('fails when the disk is full, and leaves no file', async () => {
    const file = lake.path('full-disk-1.parquet')
    await expect(writeRows(thread, file, numbers, numberRows(10), {}, fullDisk())).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage.full',
      message: expect.stringContaining('The disk is full'),
      details: { file },
    })
    expect(existsSync(file)).toBe(false)
  })

  test('refuses later writes when the disk becomes full; other parts are not affected', async () => {
    const file = lake.path('full-disk-2.parquet')
    const other = thread.openPart(lake.store(), 'other.parquet', numbers)
    await other.write(batchOf(10))
    const part = thread.openPart(fullDisk(), 'full-disk-2.parquet', numbers)
    const writes = async () => {
      for (let i = 0; i < 40; i++) await part.write(batchOf(40_000))
    }
    await expect(writes()).rejects.toMatchObject({ code: 'storage.full' })
    await expect(part.write(batchOf(1))).rejects.toBeInstanceOf(StorageError)
    await expect(part.finish()).rejects.toMatchObject({ code: 'storage.full' })
    await part.abort()
    expect(existsSync(file)).toBe(false)
    expect(await other.finish()).toMatchObject({ rows: 10 })
  })

  test('neither overwrites nor removes a file that already exists', async () => {
    const file = lake.path('there.parquet')
    await writeFile(file, 'mine')
    const part = thread.openPart(lake.store(), 'there.parquet', numbers)
    await expect(part.write(batchOf(1))).rejects.toMatchObject({ code: 'storage.eexist' })
    await part.abort()
    expect(existsSync(file)).toBe(true)
  })

  test('fails when a file is in the place of its folder', async () => {
    await writeFile(lake.path('in-the-way'), '')
    const part = thread.openPart(lake.store(), 'in-the-way/part.parquet', numbers)
    await expect(part.write(batchOf(1))).rejects.toMatchObject({ name: 'StorageError', exitCode: 5 })
    await expect(part.finish()).rejects.toMatchObject({ name: 'StorageError' })
  })

  test('removes its file when it is aborted', async () => {
    const part = thread.openPart(lake.store(), 'aborted/a.parquet', numbers)
    await part.write(batchOf(50_000))
    await part.abort()
    await part.abort()
    expect(await readdir(lake.path('aborted'))).toEqual([])
    await expect(part.write(batchOf(1))).rejects.toBeInstanceOf(StorageError)
  })

  test('leaves no file when it is aborted before the first write', async () => {
    const file = lake.path('aborted/b.parquet')
    await thread.openPart(lake.store(), 'aborted/b.parquet', numbers).abort()
    expect(existsSync(file)).toBe(false)
  })

  test('fails without rows, and leaves no file', async () => {
    const file = lake.path('empty.parquet')
    await expect(thread.openPart(lake.store(), 'empty.parquet', numbers).finish()).rejects.toMatchObject({
      message: 'A part needs rows.',
    })
    expect(existsSync(file)).toBe(false)
  })

  test('fails with bytes that are not Arrow, and leaves no file', async () => {
    const file = lake.path('garbage.parquet')
    const part = thread.openPart(lake.store(), 'garbage.parquet', numbers)
    await part.write(batchOf(10))
    await part.write(new Uint8Array(1000).fill(7))
    await expect(part.finish()).rejects.toBeInstanceOf(StorageError)
    expect(existsSync(file)).toBe(false)
  })

  test('fails with batches of two schemas, and leaves no file', async () => {
    const own = createParquetThread()
    const file = lake.path('mixed.parquet')
    const part = own.openPart(lake.store(), 'mixed.parquet', numbers)
    await part.write(batchOf(10))
    const batcher = createBatcher(others)
    batcher.append({ number: 'x', text: 'y' })
    await part.write(batcher.drain()[0]!.ipc)
    await expect(part.finish()).rejects.toBeInstanceOf(StorageError)
    expect(existsSync(file)).toBe(false)
    await own.close()
  })

  test('fails when its thread is closed', async () => {
    const own = createParquetThread()
    const part = own.openPart(lake.store(), 'closed.parquet', numbers)
    await part.write(batchOf(10))
    const finished = part.finish()
    const refused = expect(finished).rejects.toBeInstanceOf(StorageError)
    await own.close()
    await refused
    const late = own.openPart(lake.store(), 'late.parquet', numbers)
    await expect(late.write(batchOf(1))).rejects.toBeInstanceOf(StorageError)
    // Abort closes the file. An open file would be closed by the garbage collector, with a warning.
    await late.abort()
    expect(existsSync(lake.path('late.parquet'))).toBe(false)
  })
})
