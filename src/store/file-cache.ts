import { hash, randomBytes } from 'node:crypto'
import { constants, readdirSync, rmSync, statSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageError } from '../errors.ts'
import { copyToNew } from '../lib/files/file-mode.ts'
import { fileSystemOf } from '../lib/files/file-system.ts'
import { bytesText } from '../lib/text/bytes-text.ts'
import { countText } from '../lib/text/count-text.ts'
import type { CacheLimits } from './s3-place.ts'
import type { Held } from './store.ts'

/**
 * A local cache of files of a bucket. The least recently used files are removed first. Several processes share the folder. Each process
 * reads files through its own hard links, so that files stay readable after another process has removed them. A file gets its final name
 * when it is complete.
 */
type FileCache = {
  /** The path under which this process reads a file while it holds it. */
  readonly path: (path: string) => string
  /** Makes files readable. It downloads missing files with `fetch`. */
  readonly hold: (paths: readonly string[], fetch: Fetching) => Promise<Held>
  /** Moves a complete file into the cache, for example after its upload. */
  readonly keep: (path: string, file: string) => Promise<void>
  readonly forget: (path: string) => Promise<void>
}

type Fetching = {
  /** Sizes of files in bytes. Throws if one is missing. */
  readonly sizes: (paths: readonly string[]) => Promise<readonly number[]>
  /** Downloads a file to a new path and syncs it. */
  readonly fetch: (path: string, to: string) => Promise<void>
}

/** Maximum number of concurrent downloads. */
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

/** `name` identifies the bucket and prefix. */
export function openFileCache({ folder, bytes, maxDownload }: CacheLimits, name: string): FileCache {
  const own = join(folder, hash('sha256', name).slice(0, 12))
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
  const fetchOne = async (path: string, fetch: Fetching['fetch']): Promise<void> => {
    if (await linkCached(path)) return
    const draft = join(incoming, randomBytes(8).toString('hex'))
    try {
      await fetch(path, draft)
      // Links the file before it gets its name: another process may remove it from the cache at once.
      await mkdir(dirname(join(held, path)), { recursive: true })
      await link(draft, join(held, path)).catch(() => copyToNew(draft, join(held, path), constants.COPYFILE_EXCL))
      await mkdir(dirname(join(files, path)), { recursive: true })
      await rename(draft, join(files, path))
    } finally {
      await rm(draft, { force: true })
    }
  }
  const fetchAll = async (absent: readonly string[], { sizes, fetch }: Fetching): Promise<void> => {
    try {
      const notCached = absent.filter((path) => sizeOf(join(files, path)) === null)
      const needed = (await sizes(notCached)).reduce((sum, size) => sum + size, 0)
      refuseTooMuch({ files: notCached.length, needed, maxDownload, folder: own })
      const left = absent.values()
      const worker = async (): Promise<void> => {
        for (const path of left) await fetchOne(path, fetch)
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
    if (count > 0) {
      counts.set(path, count)
      return
    }
    counts.delete(path)
    // Synchronous: the next caller must find the file either removed or held.
    rmSync(join(held, path), { force: true })
  }

  return {
    path: (path) => join(held, path),
    async hold(paths, { sizes, fetch }) {
      const wanted = [...new Set(paths)]
      await begin()
      for (const path of wanted) counts.set(path, (counts.get(path) ?? 0) + 1)
      const free = (): void => wanted.forEach(release)
      try {
        // No await between the check and the entry in `downloads`: another query of this process may need the same files.
        const absent = wanted.filter((path) => !downloads.has(path) && sizeOf(join(held, path)) === null)
        const fetched = fetchAll(absent, { sizes, fetch })
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
    async keep(path, file) {
      await begin()
      const size = sizeOf(file) ?? 0
      if (size > bytes / 4) return
      await mkdir(dirname(join(files, path)), { recursive: true })
      await rename(file, join(files, path))
        .then(() => countAdded(size))
        // The file is on another disk.
        .catch(() => undefined)
    },
    forget: async (path) => rm(join(files, path), { force: true }),
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

type Needed = {
  readonly files: number
  readonly needed: number
  readonly maxDownload: number
  readonly folder: string
}

function refuseTooMuch({ files, needed, maxDownload, folder }: Needed): void {
  const what = `${countText(files)} ${files === 1 ? 'file' : 'files'} of ${bytesText(needed)}`
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
      retryable: true,
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
    if (found !== null && ageMs(found.mtimeMs) > deadAfterMs) await rm(path, { recursive: true, force: true })
  }
}

function ageMs(timeMs: number): number {
  return Date.now() - timeMs
}

async function removeOldest(files: string, bytes: number): Promise<void> {
  const entries = readdirSync(files, { recursive: true, withFileTypes: true })
  const found = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const facts = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined
    return facts === undefined ? [] : [{ path, size: facts.size, usedMs: facts.mtimeMs }]
  })
  let total = found.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size } of found.sort((a, b) => a.usedMs - b.usedMs)) {
    if (total <= bytes) return
    await rm(path, { force: true })
    // Removes the folder if it is empty; fails otherwise.
    await rmdir(dirname(path)).catch(() => undefined)
    total -= size
  }
}
