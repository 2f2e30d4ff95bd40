import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBatcher } from '../../src/batch/batcher.ts'
import { t, table } from '../../src/define/index.ts'
import { openLookup } from '../../src/lookup/lookup.ts'
import type { Store } from '../../src/store/store.ts'
import { openStore, storeKinds, storePlaceAt } from '../../src/store/store-kinds.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { flatStores } from './flat-store.ts'
import { accessKey, type S3Server, startS3Server } from './s3-server.ts'

const numbers = table({
  name: 'numbers',
  comment: 'For tests.',
  key: ['number'],
  sortBy: [],
  partitionBy: [],
  columns: { number: t.int64('Number.') },
})

const folder = mkdtempSync(join(tmpdir(), 'chainlake-store-'))
let thread: ParquetThread
let lakes = 0
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(async () => {
  await thread.close()
  rmSync(folder, { recursive: true })
})

/** A new folder. */
function newFolder(): string {
  const path = join(folder, String(lakes++))
  mkdirSync(path)
  return path
}

async function put(store: Store, path: string, text: string): Promise<void> {
  const file = await store.create(path)
  try {
    await file.handle.write(text)
    await file.finish()
  } catch (error) {
    await file.discard()
    throw error
  }
}

async function filesOf(store: Store, prefix: string): Promise<string[]> {
  return (await store.list(prefix)).filter((path) => !path.endsWith('/')).sort()
}

let server: S3Server
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  server = await startS3Server({ pageKeys: 2 })
})
afterAll(() => server.close())

storeKinds['flat'] = flatStores
const kinds = ['folder', 'flat', 's3']

describe.each(kinds)('a store: %s', (kind) => {
  let store: Store
  beforeEach(() => {
    const url = `${kind}://lake/lakes/${lakes}`
    const settings = { endpoint: server.url, path_style: 'true' }
    store = openStore(storePlaceAt(newFolder(), { url, settings }, {}))
  })

  test('opens again from its location, which is plain data', async () => {
    await put(store, 'data/a/000000000001-run-0.parquet', 'one')
    expect(store.place.kind).toBe(kind)
    expect(await openStore(structuredClone(store.place)).sizes(['data/a/000000000001-run-0.parquet'])).toEqual([3])
  })

  test('refuses paths from a catalog that lead out of the data folder, or that no data file has', async () => {
    const name = '000000000001-run-0.parquet'
    const outside = [
      `../${name}`,
      `data/../${name}`,
      `data/a/../../${name}`,
      `data/a/./${name}`,
      `data//${name}`,
      `/data/${name}`,
      `data/a/..\\..\\${name}`,
      `data/a/\0/${name}`,
      'data/..',
      name,
    ]
    for (const path of outside) {
      const uses = [
        store.create(path),
        store.list(`${path}/`),
        store.sizes([path]),
        store.open(path),
        store.remove(path),
        store.remove(`${path}/`),
        store.hold([path]),
        store.forget(path),
      ]
      for (const use of await Promise.allSettled(uses))
        expect(use, path).toMatchObject({ reason: { code: 'catalog.path', details: {} } })
      expect(() => store.url(path)).toThrow('not a data file')
      expect(() => store.address(path)).toThrow('not a data file')
    }
    for (const use of [store.open('data/notes.txt'), store.remove('data/notes.txt')])
      await expect(use).rejects.toMatchObject({ code: 'catalog.path' })
  })

  test('has a URL if it is remote, and none if it is in a folder', () => {
    expect(store.remote?.url).toBe(kind === 's3' ? store.address('').slice(0, -1) : undefined)
  })

  test('lists finished files by their names', async () => {
    expect(await store.list('data/')).toEqual([])
    await put(store, 'data/a/month=2026-11/000000000001-run-0.parquet', 'one')
    await put(store, 'data/a/000000000002-run-0.parquet', 'second')
    await put(store, 'data/ab/3%2F.parquet', '')
    expect(await filesOf(store, 'data/')).toEqual([
      'data/a/000000000002-run-0.parquet',
      'data/a/month=2026-11/000000000001-run-0.parquet',
      'data/ab/3%2F.parquet',
    ])
    expect(await filesOf(store, 'data/a/')).toEqual([
      'data/a/000000000002-run-0.parquet',
      'data/a/month=2026-11/000000000001-run-0.parquet',
    ])
    expect(await filesOf(store, 'data/b/')).toEqual([])
    const requested = [
      'data/ab/3%2F.parquet',
      'data/000000000009-run-0.parquet',
      'data/a/000000000002-run-0.parquet',
      'data/a',
    ]
    expect(await store.sizes(requested)).toEqual([0, null, 6, null])
    const held = await store.hold(['data/a/000000000002-run-0.parquet'])
    expect(readFileSync(store.url('data/a/000000000002-run-0.parquet'), 'utf8')).toBe('second')
    await held.release()
    const file = await store.open('data/a/000000000002-run-0.parquet')
    expect(await file.readFile('utf8')).toBe('second')
    await file.close()
    expect(store.url('data/a/000000000002-run-0.parquet').startsWith(store.url('data/'))).toBe(true)
  })

  test('never overwrites a file', async () => {
    await put(store, 'data/a/000000000001-run-0.parquet', 'one')
    await expect(put(store, 'data/a/000000000001-run-0.parquet', 'other')).rejects.toMatchObject({ code: 'EEXIST' })
    const attempts = await Promise.allSettled(
      ['x', 'y'].map((text) => put(store, 'data/a/000000000002-run-0.parquet', text)),
    )
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await store.sizes(['data/a/000000000001-run-0.parquet', 'data/a/000000000002-run-0.parquet'])).toEqual([
      3, 1,
    ])
  })

  test('contains nothing of a discarded file', async () => {
    const file = await store.create('data/a/000000000001-run-0.parquet')
    await file.handle.write('some')
    await file.discard()
    expect(await filesOf(store, 'data/')).toEqual([])
    await put(store, 'data/a/000000000001-run-0.parquet', 'again')
    expect(await store.sizes(['data/a/000000000001-run-0.parquet'])).toEqual([5])
  })

  test('removes files, and removes folders once they are empty', async () => {
    await put(store, 'data/a/b/000000000001-run-0.parquet', 'one')
    await put(store, 'data/a/000000000002-run-0.parquet', 'two')
    await store.remove('data/a/b/000000000001-run-0.parquet')
    await store.remove('data/a/b/000000000001-run-0.parquet')
    await store.remove('data/a/')
    expect(await filesOf(store, 'data/')).toEqual(['data/a/000000000002-run-0.parquet'])
    const folders = (await store.list('data/'))
      .filter((path) => path.endsWith('/'))
      .sort()
      .reverse()
    await store.remove('data/a/000000000002-run-0.parquet')
    for (const path of [...folders, 'data/x/']) await store.remove(path)
    expect(await store.list('data/')).toEqual([])
  })

  test('stores the Parquet files of a run, and DuckDB can read them', async () => {
    const path = 'data/numbers/000000000000-run-0.parquet'
    const part = thread.openPart(store, path, numbers)
    const batcher = createBatcher(numbers)
    for (let number = 0; number < 1000; number++) batcher.append({ number })
    for (const batch of batcher.drain()) await part.write(batch.ipc)
    const { sha256, bytes, rows } = await part.finish()
    expect(rows).toBe(1000)
    expect(await store.sizes([path])).toEqual([bytes])
    const held = await store.hold([path])
    expect(hash('sha256', readFileSync(store.url(path)))).toBe(sha256)
    await held.release()
    const lookup = openLookup(newFolder(), 'test', store)
    let read = 0
    for await (const found of lookup.rows({ table: numbers, files: [path] })) read += found.length
    expect(read).toBe(1000)
    const gone = lookup
      .rows({ table: numbers, files: [path, 'data/000000000009-run-0.parquet'] })
      [Symbol.asyncIterator]()
      .next()
    await expect(gone).rejects.toMatchObject({
      code: 'verify.missing',
      details: { file: 'data/000000000009-run-0.parquet' },
    })
    await lookup.close()
    const again = createBatcher(numbers)
    again.append({ number: 1 })
    const refused = thread.openPart(store, path, numbers)
    const written = (async () => {
      for (const batch of again.drain()) await refused.write(batch.ipc)
      await refused.finish()
    })()
    await expect(written).rejects.toMatchObject({ code: 'storage.eexist' })
    expect(await store.sizes([path])).toEqual([bytes])
  })
})
