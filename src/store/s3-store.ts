import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'
import { VerifyError } from '../errors.ts'
import { chunksOf } from '../lib/chunks.ts'
import { temporaryName } from '../lib/files/temporary-name.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import { reachStep } from '../lib/step.ts'
import { claimPlace } from './claim-place.ts'
import { readDataFileName } from './data-file-path.ts'
import { download } from './download.ts'
import { openFileCache } from './file-cache.ts'
import { probeBucket } from './probe-bucket.ts'
import { connectS3, placeText, type S3 } from './s3-client.ts'
import { accessSql, keyOf, parseS3Address, type S3Access, type S3Place, s3AddressText } from './s3-place.ts'
import type { NewFile, Store, StoreKind } from './store.ts'
import { headOf, upload } from './upload.ts'

/** For more files than this, sizes come from listings with a thousand keys per request. */
const maxHeadRequests = 16
const concurrentHeadRequests = 8

/** Default limits of the cache in bytes. */
const defaultCache = { bytes: 2e9, maxDownload: 10e9 }

/** Lakes in S3. By default, the cache is in the folder of the lake. */
export const s3Stores: StoreKind<S3Place> = {
  open: openS3Store,
  placeAt: (lake, { url, settings }, { cache, cacheBytes, maxDownload, ...given }) => ({
    kind: 's3',
    lake,
    ...parseS3Address('The data path of the catalog', url),
    ...recordedAccess(settings),
    ...knownAccess(given),
    cache: {
      folder: cache ?? join(lake, '.cache'),
      bytes: cacheBytes ?? defaultCache.bytes,
      maxDownload: maxDownload ?? defaultCache.maxDownload,
    },
  }),
  settingsOf: (place) => {
    const { pathStyle, ...access } = knownAccess(place)
    return { ...access, ...(pathStyle === undefined ? {} : { path_style: String(pathStyle) }) }
  },
}

function recordedAccess({ path_style: style, ...settings }: Readonly<Record<string, string>>): S3Access {
  return knownAccess({ ...settings, ...(style === undefined ? {} : { pathStyle: style === 'true' }) })
}

function knownAccess({ endpoint, region, pathStyle }: S3Access): S3Access {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  }
}

/** The data files of a lake in an S3 bucket. New files are staged in the folder of the lake until they are uploaded. Reads go through a cache. */
export function openS3Store(place: S3Place): Store {
  const address = s3AddressText(place)
  const cache = openFileCache(place.cache, address)
  let connected: Promise<S3> | undefined
  const connect = (): Promise<S3> => {
    connected ??= connectS3(place)
    return connected
  }
  /** Ids of unfinished multipart uploads by path, as the last listing returned them. */
  const unfinished = new Map<string, string[]>()
  const hold = async (paths: readonly string[]) => {
    const s3 = await connect()
    return cache.hold(paths, {
      sizes: async (wanted) => knownSizes(wanted, await sizesOf(s3, wanted)),
      fetch: (path, to) => download(s3, keyOf(place, path), to),
    })
  }
  const store: Store = {
    create: (path) => createStaged(path, place, connect, cache.keep),
    async list(prefix) {
      const s3 = await connect()
      const found = [...(await listed(s3, prefix)).keys()]
      for (const [path, uploads] of await listUnfinished(s3, prefix)) unfinished.set(path, uploads)
      return [...new Set([...found, ...[...unfinished.keys()].filter((path) => path.startsWith(prefix))])]
    },
    sizes: async (paths) => sizesOf(await connect(), paths),
    async open(path) {
      const held = await hold([path])
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
    readable: hold,
    forget: cache.forget,
    url: cache.path,
    address: (path) => `${address}/${path}`,
    remote: { url: address, name: placeText(place), accessSql: accessSql(place), probe: () => probeBucket(place) },
    place,
  }
  return store
}

function knownSizes(paths: readonly string[], sizes: readonly (number | null)[]): number[] {
  return sizes.map((size, position) => {
    if (size !== null) return size
    throw new VerifyError('A file of a table is missing.', {
      code: 'verify.missing',
      details: { file: paths[position] },
      hint: `All other committed data is safe. ${lostFilesHint}`,
    })
  })
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
  for (const some of chunksOf(paths, concurrentHeadRequests))
    sizes.push(
      ...(await Promise.all(some.map((path) => headOf(s3, keyOf(s3.place, path))))).map(
        (head) => head?.ContentLength ?? null,
      ),
    )
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
  let next: string | undefined
  do {
    const page = await s3.attempt('list', keyOf(place, prefix), () =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket: place.bucket,
          Prefix: keyOf(place, prefix),
          ...(next === undefined ? {} : { ContinuationToken: next }),
        }),
      ),
    )
    // Consoles create folders as objects with a slash at the end of their keys.
    for (const { Key = '', Size = 0 } of page.Contents ?? [])
      if (!Key.endsWith('/')) files.set(Key.slice(root.length), Size)
    next = page.IsTruncated === true ? page.NextContinuationToken : undefined
  } while (next !== undefined)
  return files
}

/** Ids of unfinished multipart uploads, by path. */
async function listUnfinished(s3: S3, prefix: string): Promise<Map<string, string[]>> {
  const { place, sdk, client } = s3
  const unfinished = new Map<string, string[]>()
  const root = keyOf(place, '')
  let next: Marker | undefined = {}
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

type Marker = Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'>
