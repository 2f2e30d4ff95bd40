import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CacheLimits } from '../../src/store/s3-place.ts'
import { openS3Store } from '../../src/store/s3-store.ts'
import type { Store } from '../../src/store/store.ts'
import { s3PlaceAt } from './s3-place-at.ts'
import { accessKey, type Fault, type S3Server, startS3Server } from './s3-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-s3-'))
let server: S3Server
let lake = ''
let lakes = 0
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  server = await startS3Server()
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  lake = join(folder, String(lakes++))
  mkdirSync(lake)
  server.objects.clear()
  server.halves.clear()
  server.fault = () => null
  server.requested.length = 0
})

const open = (limits: Partial<CacheLimits> = {}) => openS3Store(s3PlaceAt(server, lake, 'lakes/a', limits))
const path = 'data/t/000000000000-run-0.parquet'
const small = randomBytes(1000)
/** Sent in three parts. */
const large = randomBytes(20 * 1024 * 1024)

async function put(store: Store, at: string, bytes: Buffer): Promise<void> {
  const file = await store.create(at)
  try {
    await file.handle.write(bytes)
    await file.finish()
  } catch (error) {
    await file.discard()
    throw error
  }
}

async function readIt(store: Store, at: string): Promise<Buffer> {
  const held = await store.hold([at])
  const bytes = readFileSync(store.url(at))
  await held.release()
  return bytes
}

/** Fails so many consecutive requests of one kind. */
function failing(what: string, fault: Fault, times = 1): void {
  let left = times
  server.fault = (requested) => (requested.what === what && left-- > 0 ? fault : null)
}

const stagedIn = () => readdirSync(lake).filter((name) => name.startsWith('.staged-'))
const requests = (what: string) => server.requested.filter((requested) => requested.what === what).length

test('a file is uploaded once it is complete, stays in the cache and leaves no temporary file', async () => {
  const store = open()
  const file = await store.create(path)
  await file.handle.write(small)
  expect(server.objects.size).toBe(0)
  expect(stagedIn()).toHaveLength(1)
  await file.finish()
  expect(server.objects.get(`lakes/a/${path}`)?.bytes.equals(small)).toBe(true)
  expect(stagedIn()).toEqual([])
  expect((await readIt(store, path)).equals(small)).toBe(true)
  expect(requests('get')).toBe(0)
  expect(store.address(path)).toBe(`s3://lake/lakes/a/${path}`)
})

test('a large file is uploaded in parts and can be downloaded again', async () => {
  const store = open({ bytes: 1000 })
  await put(store, path, large)
  expect(requests('part')).toBe(3)
  expect(server.halves.size).toBe(0)
  expect((await readIt(store, path)).equals(large)).toBe(true)
  expect(requests('get')).toBe(1)
})

describe('an upload', () => {
  test.each<[what: string, fault: Fault, times: number, bytes: Buffer]>([
    ['put', 'slow-down', 3, small],
    ['put', 'lost', 2, small],
    // The object was stored, but the answer was lost. The second attempt is refused because the object exists.
    ['put', 'cut', 1, small],
    ['head', 'slow-down', 2, small],
    ['part', 'slow-down', 2, large],
    ['part', 'lost', 1, large],
    ['begin', 'slow-down', 1, large],
    ['complete', 'slow-down', 1, large],
    ['complete', 'cut', 1, large],
    // A service without conditional writes.
    ['put', 'not-implemented', 1, small],
  ])('succeeds even if %s requests fail with %s, %i times', async (what, fault, times, bytes) => {
    failing(what, fault, times)
    await put(open(), path, bytes)
    expect(server.objects.get(`lakes/a/${path}`)?.bytes.equals(bytes)).toBe(true)
    expect(server.halves.size).toBe(0)
  })

  test('that is incomplete is removed and never counts as complete', async () => {
    server.fault = ({ what }) => (what === 'get' ? 'wrong' : null)
    const store = open()
    const file = await store.create(path)
    await file.handle.write(small)
    const sent = file.finish()
    // The object changes before the program reads it back.
    const other = setInterval(() => {
      const found = server.objects.get(`lakes/a/${path}`)
      if (found !== undefined)
        server.objects.set(`lakes/a/${path}`, { ...found, bytes: small.subarray(1), etag: 'other' })
    }, 0)
    await expect(sent).rejects.toMatchObject({ code: 'storage.upload', exitCode: 5, retryable: true })
    clearInterval(other)
    await file.discard()
    expect(server.objects.size).toBe(0)
  })
})

test('a file is never overwritten, neither by an upload in parts nor by a single request', async () => {
  await put(open(), path, small)
  await expect(put(open(), path, large)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(put(open(), path, randomBytes(1000))).rejects.toMatchObject({ code: 'EEXIST' })
  expect(server.objects.get(`lakes/a/${path}`)?.bytes.equals(small)).toBe(true)
  expect(server.halves.size).toBe(0)
})

test('an incomplete upload is listed without a size and can be removed', async () => {
  server.halves.set('x', { key: `lakes/a/${path}`, parts: new Map(), metadata: {} })
  const store = open()
  expect(await store.list('data/')).toEqual([path])
  expect(await store.sizes([path])).toEqual([null])
  await store.remove(path)
  expect(server.halves.size).toBe(0)
  expect(await store.list('data/')).toEqual([])
})

describe('a download', () => {
  beforeEach(async () => {
    await put(open({ bytes: 1 }), path, large)
    server.requested.length = 0
  })

  test.each<[fault: Fault, times: number]>([
    ['truncated', 2],
    ['slow-down', 3],
    ['lost', 2],
  ])('is correct even if answers are %s, %i times', async (fault, times) => {
    failing('get', fault, times)
    expect((await readIt(open(), path)).equals(large)).toBe(true)
  })

  test('resumes where the connection broke', async () => {
    failing('get', 'truncated', 1)
    await readIt(open(), path)
    const last = server.requested.filter(({ what }) => what === 'get').at(-1)
    expect(last?.from).toBeGreaterThan(0)
  })

  test('with other bytes is refused and not cached', async () => {
    server.fault = ({ what }) => (what === 'get' ? 'wrong' : null)
    const store = open()
    await expect(store.hold([path])).rejects.toMatchObject({ code: 'verify.damaged', exitCode: 6 })
    server.fault = () => null
    expect((await readIt(store, path)).equals(large)).toBe(true)
  })

  test('of a missing file fails with an error that names the file', async () => {
    const gone = 'data/t/000000000000-run-1.parquet'
    await expect(open().hold([path, gone])).rejects.toMatchObject({
      code: 'verify.missing',
      exitCode: 6,
      details: { file: gone },
    })
  })
})

describe('the local cache', () => {
  const paths = Array.from({ length: 6 }, (_, at) => `data/t/00000000000${at}-run-${at}.parquet`)
  const each = randomBytes(100_000)
  beforeEach(async () => {
    const store = open({ bytes: 1 })
    for (const one of paths) await put(store, one, each)
    server.requested.length = 0
  })
  const cached = () =>
    readdirSync(join(lake, '.cache'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /files.*parquet$/.test(name),
    )

  test('downloads a file once for all readers', async () => {
    const [one, other] = [open(), open()]
    await Promise.all([readIt(one, paths[0]!), readIt(one, paths[0]!)])
    await readIt(other, paths[0]!)
    expect(requests('get')).toBe(1)
  })

  test('stays within its limit, removes the least recently used files and keeps files in use readable', async () => {
    const store = open({ bytes: 250_000 })
    const held = await store.hold(paths)
    expect(paths.every((one) => readFileSync(store.url(one)).equals(each))).toBe(true)
    expect(cached().length).toBeLessThanOrEqual(2)
    await held.release()
    expect(existsSync(store.url(paths[0]!))).toBe(false)
  })

  test('refuses a download above the limit with its size and a hint', async () => {
    const store = open({ maxDownload: 500_000 })
    await expect(store.hold(paths)).rejects.toMatchObject({
      code: 'storage.max-download',
      exitCode: 5,
      message: 'This needs a download of 6 files of 600.0 kB; the limit is 500.0 kB.',
      hint: expect.stringContaining('--max-download'),
    })
    expect(requests('get')).toBe(0)
    const held = await store.hold(paths.slice(0, 5))
    await held.release()
    await expect(store.hold(paths)).resolves.toBeDefined()
  })
})

describe('an S3 error with a hint', () => {
  test.each<[code: string, fault: Fault]>([
    ['storage.denied', 'denied'],
    ['storage.clock', 'skewed'],
  ])('has the code %s', async (code, fault) => {
    server.fault = () => fault
    const refused = await open()
      .list('data/')
      .catch((error) => error)
    expect(refused).toMatchObject({ code, exitCode: 5, retryable: false, details: { data: 's3://lake/lakes/a' } })
    expect(refused.hint).toMatch(/\.$/)
  })

  test('reports a missing bucket', async () => {
    const store = openS3Store({ ...s3PlaceAt(server, lake, 'a'), bucket: 'other' })
    await expect(store.list('data/')).rejects.toMatchObject({ code: 'storage.bucket', exitCode: 5 })
  })

  test('reports wrong credentials without showing them', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDOFSOMEBODY')
    const refused = await open()
      .list('data/')
      .catch((error) => error)
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey)
    expect(refused).toMatchObject({ code: 'storage.credentials', exitCode: 5 })
    const { inspect } = await import('node:util')
    expect(inspect(refused, { depth: 10, showHidden: true })).not.toMatch(/AKIDOFSOMEBODY|Signature=/)
  })
})

test('the files of a lake are refused to another lake and to an outdated copy', async () => {
  const knows = (run: string) => run === 'one'
  await open().claim({ lake: 'a', run: 'one', knows })
  await open().claim({ lake: 'a', run: 'two', knows })
  await expect(open().claim({ lake: 'b', run: 'three', knows })).rejects.toMatchObject({ code: 'lake.other-data' })
  await expect(open().claim({ lake: 'a', run: 'three', knows })).rejects.toMatchObject({ code: 'catalog.other-writer' })
  await open().claim({ lake: 'a', run: null, knows: () => true })
  await open().claim({ lake: 'a', run: 'three', knows })
})

/** Every kind of request to S3, and what the store says. */
async function everyRequest(): Promise<unknown> {
  const store = open()
  await store.claim({ lake: 'a', run: 'one', knows: () => true })
  await put(store, path, small)
  const big = path.replace('0.parquet', '1.parquet')
  await put(store, big, large)
  server.halves.set('left', { key: 'lakes/a/data/t/left.parquet', parts: new Map(), metadata: {} })
  const listed = [...(await store.list('data/'))].sort()
  await store.remove('data/t/left.parquet')
  await store.forget(path)
  const read = await readIt(store, path)
  await store.remove(big)
  await store.claim({ lake: 'a', run: 'two', knows: (run) => run === 'one' })
  return { listed, sizes: await store.sizes([path, big]), read: read.equals(small), halves: server.halves.size }
}

describe('one failed request of any kind changes nothing:', () => {
  const faults = ['slow-down', 'lost', 'cut', 'truncated'] as const
  test.each(faults)('%s', { timeout: 120_000 }, async (fault) => {
    const quiet = await everyRequest()
    const asked = server.requested.map(({ what }) => what)
    expect(new Set(asked)).toEqual(
      new Set(['get', 'put', 'head', 'begin', 'part', 'complete', 'list', 'list-uploads', 'abort', 'delete']),
    )
    for (const [position, what] of asked.entries()) {
      server.objects.clear()
      server.halves.clear()
      rmSync(lake, { recursive: true })
      mkdirSync(lake)
      let at = 0
      server.fault = () => (at++ === position ? fault : null)
      expect(await everyRequest().catch(String), `${fault} of request ${position}, ${what}`).toEqual(quiet)
    }
  })
})
