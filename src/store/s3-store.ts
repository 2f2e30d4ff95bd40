import { hash, randomBytes } from 'node:crypto'
import { constants, readdirSync, rmSync, statSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'
import { CatalogError, OtherSourceError, StorageError } from '../errors.ts'
import { chunksOf, definedOf, sumOf } from '../lib/arrays.ts'
import { copyToNew, fileSystemOf, temporaryName } from '../lib/files.ts'
import { reachStep } from '../lib/step.ts'
import { bytesText, counted } from '../lib/text.ts'
import { inDataFolder, readDataFileName } from './data-file-path.ts'
import { connectS3, download, headOf, placeText, readText, type S3, upload } from './s3-client.ts'
import {
  accessSql,
  type CacheLimits,
  keyOf,
  parseS3Address,
  type S3Access,
  type S3Place,
  s3AddressText,
} from './s3-place.ts'
import {
  type Claim,
  type Held,
  missingFile,
  type NewFile,
  type Store,
  type StoreAddress,
  type StoreKind,
} from './store.ts'

/** For more files than this, sizes come from listings with a thousand keys per request. */
const maxHeadRequests = 16
const concurrentHeadRequests = 8

/** Default limits of the cache in bytes. */
const defaultCache = { bytes: 2e9, maxDownload: 10e9 }

/** Lakes in S3. By default, the cache is in the folder of the lake. */
export const s3Stores: StoreKind<S3Place> = {
  open: openS3Store,
  placeAt: (lake, { url, settings }, { cache, cacheBytes, maxDownload, endpoint, region, pathStyle }) => ({
    kind: 's3',
    lake,
    ...parseS3Address('The data path of the catalog', url),
    ...recordedAccess(settings),
    ...definedOf({ endpoint, region, pathStyle }),
    cache: {
      folder: cache ?? join(lake, '.cache'),
      bytes: cacheBytes ?? defaultCache.bytes,
      maxDownload: maxDownload ?? defaultCache.maxDownload,
    },
  }),
  settingsOf: ({ endpoint, region, pathStyle }) =>
    definedOf({ endpoint, region, path_style: pathStyle?.toString() }) as StoreAddress['settings'],
}

function recordedAccess({ endpoint, region, path_style: style }: StoreAddress['settings']): S3Access {
  return definedOf({ endpoint, region, pathStyle: style === undefined ? undefined : style === 'true' })
}

/** The data files of a lake in an S3 bucket. New files are staged in the folder of the lake until they are uploaded. Reads go through a cache. */
export function openS3Store(place: S3Place): Store {
  const address = s3AddressText(place)
  let connected: Promise<S3> | undefined
  const connect = (): Promise<S3> => (connected ??= connectS3(place))
  const cache = openFileCache(place, connect)
  /** Ids of unfinished multipart uploads by path, as the last listing returned them. */
  const unfinished = new Map<string, string[]>()
  return {
    create: (path) => createStaged(path, place, connect, cache.keep),
    async list(prefix) {
      const s3 = await connect()
      const found = [...(await listed(s3, prefix)).keys()]
      for (const [path, uploads] of await listUnfinished(s3, prefix)) unfinished.set(path, uploads)
      return [...new Set([...found, ...[...unfinished.keys()].filter((path) => path.startsWith(prefix))])]
    },
    sizes: async (paths) => sizesOf(await connect(), paths),
    async open(path) {
      const held = await cache.hold([path])
      try {
        return await open(cache.path(path), 'r')
      } finally {
        // An open file stays readable after its name is removed.
        await held.release()
      }
    },
    async remove(path) {
      if (path.endsWith('/')) return
      const s3 = await connect()
      const target = { Bucket: place.bucket, Key: keyOf(place, path) }
      await s3.attempt('delete', target.Key, async () => {
        for (const UploadId of unfinished.get(path) ?? [])
          await s3.client.send(new s3.sdk.AbortMultipartUploadCommand({ ...target, UploadId }))
        await s3.client.send(new s3.sdk.DeleteObjectCommand(target))
      })
      unfinished.delete(path)
      await cache.forget(path)
    },
    claim: async (claim) => claimPlace(await connect(), claim),
    hold: cache.hold,
    forget: cache.forget,
    url: cache.path,
    address: (path) => `${address}/${path}`,
    remote: { url: address, name: placeText(place), accessSql: accessSql(place), probe: () => probeBucket(place) },
    place,
  }
}

/** Stages a file in the folder of the lake. The name of its folder contains the run, so that recovery removes it after a crash. */
async function createStaged(
  path: string,
  place: S3Place,
  connect: () => Promise<S3>,
  keep: (path: string, file: string) => Promise<void>,
): Promise<NewFile> {
  reachStep('write.before-open')
  const owner = readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId ?? 'unknown'
  const folder = join(place.lake, temporaryName('staged', owner))
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${randomBytes(6).toString('hex')}.parquet`)
  const handle = await open(file, 'wx+')
  reachStep('write.after-open')
  const clear = async (): Promise<void> => {
    await rm(file, { force: true })
    await rmdir(folder).catch(() => undefined)
  }
  return {
    handle,
    path: file,
    async finish() {
      reachStep('write.before-fsync')
      await handle.sync()
      reachStep('write.after-fsync')
      await upload(await connect(), path, { file, handle })
      await handle.close()
      await keep(path, file).catch(() => undefined)
      await clear()
    },
    async discard() {
      await handle.close()
      await clear()
    },
  }
}

async function sizesOf(s3: S3, paths: readonly string[]): Promise<(number | null)[]> {
  if (paths.length > maxHeadRequests) {
    const found = await listed(s3, commonFolder(paths))
    return paths.map((path) => found.get(path) ?? null)
  }
  const sizes: (number | null)[] = []
  for (const some of chunksOf(paths, concurrentHeadRequests)) {
    const heads = await Promise.all(some.map((path) => headOf(s3, keyOf(s3.place, path))))
    sizes.push(...heads.map((head) => head?.ContentLength ?? null))
  }
  return sizes
}

/** The longest common prefix of all paths that ends with `/`, or an empty text. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  let length = first.length
  for (const path of others) {
    let same = 0
    while (same < length && path[same] === first[same]) same++
    length = same
  }
  return first.slice(0, first.lastIndexOf('/', length - 1) + 1)
}

/** Sizes in bytes of the files below a prefix, by path. */
async function listed(s3: S3, prefix: string): Promise<Map<string, number>> {
  const { place, sdk, client } = s3
  const files = new Map<string, number>()
  const root = keyOf(place, '')
  const prefixed = { Bucket: place.bucket, Prefix: keyOf(place, prefix) }
  await s3.attempt('list', prefixed.Prefix, async () => {
    // Consoles create folders as objects with a slash at the end of their keys.
    for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, prefixed))
      for (const { Key = '', Size = 0 } of Contents) if (!Key.endsWith('/')) files.set(Key.slice(root.length), Size)
  })
  return files
}

/** Ids of unfinished multipart uploads, by path. */
async function listUnfinished(s3: S3, prefix: string): Promise<Map<string, string[]>> {
  const { place, sdk, client } = s3
  const unfinished = new Map<string, string[]>()
  const root = keyOf(place, '')
  let next: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | undefined = {}
  while (next !== undefined) {
    const at: ListMultipartUploadsCommandInput = { Bucket: place.bucket, Prefix: keyOf(place, prefix), ...next }
    const page: ListMultipartUploadsCommandOutput = await s3.attempt('list uploads', root, () =>
      client.send(new sdk.ListMultipartUploadsCommand(at)),
    )
    for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
      const path = Key.slice(root.length)
      unfinished.set(path, [...(unfinished.get(path) ?? []), UploadId])
    }
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    next = page.IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined
  }
  return unfinished
}

/** The object that records the owner of the files of a prefix. It is the only object that is ever overwritten. */
const claimName = 'lake.json'

type Stored = Pick<Claim, 'lake' | 'run'>

/** See `Store.claim`. An outdated copy of a catalog would treat the files of newer runs as leftovers of dead runs. */
async function claimPlace(s3: S3, { lake, run, knows }: Claim): Promise<void> {
  const { place, sdk, client, attempt } = s3
  const target = { Bucket: place.bucket, Key: keyOf(place, claimName) }
  const stored = await attempt(
    'get',
    target.Key,
    async (): Promise<Stored | null> => JSON.parse((await readText(s3, target.Key)) ?? 'null'),
  )
  const details = { data: s3AddressText(place), lake }
  if (stored !== null && stored.lake !== lake)
    throw new OtherSourceError('Another lake stores its files under this prefix of the bucket.', {
      code: 'lake.other-data',
      details: { ...details, 'lake there': stored.lake },
      hint: 'Set --data to another prefix, or --lake to the folder of that lake.',
    })
  if (stored !== null && stored.run !== null && !knows(stored.run))
    throw new CatalogError('Another copy of this lake has written to the bucket.', {
      code: 'catalog.other-writer',
      details: { ...details, 'run there': stored.run },
      hint: 'Only one lake folder may write to a lake in S3. Run chainlake with the folder of that run. To discard what that run wrote and continue with this catalog, run chainlake restore with this catalog.',
    })
  const text: Stored = { lake, run }
  await attempt('put', target.Key, () =>
    client.send(new sdk.PutObjectCommand({ ...target, ContentType: 'application/json', Body: JSON.stringify(text) })),
  )
}

/** See `Store.remote`. To test writing, it starts and aborts an upload. */
async function probeBucket(place: S3Place) {
  const { sdk, client, attempt } = await connectS3(place)
  const Bucket = place.bucket
  const Prefix = keyOf(place, inDataFolder(''))
  const list = new sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 })
  const { Contents = [] } = await attempt('list', Prefix, () => client.send(list))
  const target = { Bucket, Key: keyOf(place, 'doctor') }
  const mayWrite = await attempt('begin', target.Key, async () => {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target))
    await client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId }))
    return true as const
  }).catch((error: Error) => error)
  const versioning = await client.send(new sdk.GetBucketVersioningCommand({ Bucket })).catch(() => null)
  return {
    files: Contents.length,
    mayWrite,
    isVersioned: versioning?.Status === 'Enabled',
    skewMs: client.config.systemClockOffset ?? 0,
  }
}

const concurrentDownloads = 4
/** A live process updates the time of its folder at this interval. Without an update for `deadAfterMs`, it is dead. */
const heartbeatMs = 5 * 60_000
const deadAfterMs = 60 * 60_000

const removedAtExit = new Set<string>()

/** Uses one listener for all folders, because a process may open many stores. */
function removeAtExit(folder: string): void {
  if (removedAtExit.size === 0)
    process.once('exit', () => {
      for (const each of removedAtExit) rmSync(each, { recursive: true, force: true })
    })
  removedAtExit.add(folder)
}

/**
 * A local cache of files of a bucket. The least recently used files are removed first. Several processes share the folder. Each process
 * reads files through its own hard links, so that files stay readable after another process has removed them. A file gets its final name
 * when it is complete.
 */
function openFileCache(place: S3Place, connect: () => Promise<S3>) {
  const { folder, bytes, maxDownload } = place.cache
  const own = join(folder, hash('sha256', s3AddressText(place)).slice(0, 12))
  const files = join(own, 'files')
  const incoming = join(own, 'incoming')
  const held = join(own, `held-${randomBytes(6).toString('hex')}`)
  /** Number of holds per path. */
  const counts = new Map<string, number>()
  /** Running downloads by path. */
  const downloads = new Map<string, Promise<void>>()
  let hasHeartbeat = false
  /** Bytes that were added since the last cleanup. */
  let added = Number.POSITIVE_INFINITY

  const begin = async (): Promise<void> => {
    for (const each of [files, incoming, held]) await mkdir(each, { recursive: true })
    if (hasHeartbeat) return
    hasHeartbeat = true
    const touch = () => void utimes(held, new Date(), new Date()).catch(() => undefined)
    setInterval(touch, heartbeatMs).unref()
    removeAtExit(held)
  }
  const countAdded = async (more: number): Promise<void> => {
    added += more
    if (added <= bytes / 16) return
    added = 0
    await removeDead(own, incoming)
    await removeOldest(files, bytes)
  }
  /** Links a cached file to the folder of this process. Returns false if the file is not in the cache. */
  const linkCached = async (path: string): Promise<boolean> => {
    const [from, to] = [join(files, path), join(held, path)]
    await mkdir(dirname(to), { recursive: true })
    try {
      await link(from, to)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return false
      // The file system has no hard links, or the file has too many.
      if (code !== 'EEXIST' && !(await copyIfPresent(from, to))) return false
    }
    await utimes(from, new Date(), new Date()).catch(() => undefined)
    return true
  }
  const fetchOne = async (path: string): Promise<void> => {
    if (await linkCached(path)) return
    const draft = join(incoming, randomBytes(8).toString('hex'))
    try {
      await download(await connect(), keyOf(place, path), draft)
      // Links the file before it gets its name: another process may remove it from the cache at once.
      await mkdir(dirname(join(held, path)), { recursive: true })
      await link(draft, join(held, path)).catch(() => copyToNew(draft, join(held, path), constants.COPYFILE_EXCL))
      await mkdir(dirname(join(files, path)), { recursive: true })
      await rename(draft, join(files, path))
    } finally {
      await rm(draft, { force: true })
    }
  }
  const fetchAll = async (absent: readonly string[]): Promise<void> => {
    try {
      const notCached = absent.filter((path) => sizeOf(join(files, path)) === null)
      let needed = 0
      for (const [at, size] of (await sizesOf(await connect(), notCached)).entries()) {
        if (size === null) throw missingFile({ file: notCached[at] })
        needed += size
      }
      refuseTooMuch(notCached.length, needed, { maxDownload, folder: own })
      const left = absent.values()
      const worker = async (): Promise<void> => {
        for (const path of left) await fetchOne(path)
      }
      const ends = await Promise.allSettled(Array.from({ length: concurrentDownloads }, worker))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      if (needed > 0) await countAdded(needed)
    } finally {
      for (const path of absent) downloads.delete(path)
    }
  }
  const release = (path: string): void => {
    const count = (counts.get(path) ?? 0) - 1
    if (count > 0) return void counts.set(path, count)
    counts.delete(path)
    // Synchronous: the next caller must find the file either removed or held.
    rmSync(join(held, path), { force: true })
  }

  return {
    /** The path under which this process reads a file while it holds it. */
    path: (path: string) => join(held, path),
    /** Makes files readable. It downloads missing files. */
    async hold(paths: readonly string[]): Promise<Held> {
      const wanted = [...new Set(paths)]
      await begin()
      for (const path of wanted) counts.set(path, (counts.get(path) ?? 0) + 1)
      const free = (): void => wanted.forEach(release)
      try {
        // No await between the check and the entry in `downloads`: another query of this process may need the same files.
        const absent = wanted.filter((path) => !downloads.has(path) && sizeOf(join(held, path)) === null)
        const fetched = fetchAll(absent)
        for (const path of absent) downloads.set(path, fetched)
        await Promise.all([fetched, ...wanted.flatMap((path) => downloads.get(path) ?? [])])
        let isHeld = true
        return {
          release: async () => {
            if (isHeld) free()
            isHeld = false
          },
        }
      } catch (error) {
        free()
        throw error
      }
    },
    /** Moves a complete file into the cache, for example after its upload. */
    async keep(path: string, file: string): Promise<void> {
      await begin()
      const size = sizeOf(file) ?? 0
      if (size > bytes / 4) return
      await mkdir(dirname(join(files, path)), { recursive: true })
      await rename(file, join(files, path))
        .then(() => countAdded(size))
        // The file is on another disk.
        .catch(() => undefined)
    },
    forget: async (path: string) => rm(join(files, path), { force: true }),
  }
}

/** Copies a file. Returns false if it does not exist. */
async function copyIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await copyToNew(from, to, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null
}

type Limits = Pick<CacheLimits, 'maxDownload' | 'folder'>

function refuseTooMuch(files: number, needed: number, { maxDownload, folder }: Limits): void {
  const what = `${counted(files, 'file')} of ${bytesText(needed)}`
  if (needed > maxDownload)
    throw new StorageError(`This needs a download of ${what}; the limit is ${bytesText(maxDownload)}.`, {
      code: 'storage.max-download',
      details: { 'bytes to download': needed, 'limit in bytes': maxDownload },
      hint: `Query less (one network, a range of heights or times, fewer tables), or raise the limit: --max-download ${Math.ceil(needed / 1e9)}GB. DuckDB with httpfs reads views.sql without downloading whole files.`,
    })
  const space = needed > 0 ? fileSystemOf(folder) : null
  if (space !== null && space.totalBytes > 0 && space.freeBytes < needed)
    throw new StorageError(`This needs a download of ${what}, but only ${bytesText(space.freeBytes)} are free.`, {
      code: 'storage.space',
      kind: 'transient',
      details: { folder, 'bytes to download': needed, 'free bytes': space.freeBytes },
      hint: 'Free some disk space, or set --cache to a folder on a larger disk.',
    })
}

/** Removes the leftovers of processes that crashed. */
async function removeDead(own: string, incoming: string): Promise<void> {
  const names = await readdir(own).catch(() => [])
  const left = names.filter((name) => name.startsWith('held-')).map((name) => join(own, name))
  const drafts = (await readdir(incoming).catch(() => [])).map((name) => join(incoming, name))
  for (const path of [...left, ...drafts]) {
    const found = await stat(path).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > deadAfterMs) await rm(path, { recursive: true, force: true })
  }
}

async function removeOldest(files: string, bytes: number): Promise<void> {
  const entries = readdirSync(files, { recursive: true, withFileTypes: true })
  const found = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const facts = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined
    return facts === undefined ? [] : [{ path, size: facts.size, usedMs: facts.mtimeMs }]
  })
  let total = sumOf(found, 'size')
  for (const { path, size } of found.sort((a, b) => a.usedMs - b.usedMs)) {
    if (total <= bytes) return
    await rm(path, { force: true })
    // Removes the folder if it is empty; fails otherwise.
    await rmdir(dirname(path)).catch(() => undefined)
    total -= size
  }
}
