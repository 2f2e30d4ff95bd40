import { hash, randomBytes } from 'node:crypto'
import { constants, readdirSync, rmSync, statSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageError } from '../errors.ts'
import { fileSystemOf } from '../lib/files/file-system.ts'
import { bytesText } from '../lib/text/bytes-text.ts'
import type { CacheLimits } from './s3-place.ts'
import type { Held } from './store.ts'

/**
 * Files of a bucket that lie here, too: what was used longest ago goes first. Several processes share the folder: each reads by links of its
 * own, so that what another one removes stays readable; a file gets its name when it is whole.
 */
export type FileCache = {
  /** Where this process reads a file while it holds it. */
  readonly path: (path: string) => string
  /** Makes files readable; `fetch` brings those that are not here. */
  readonly hold: (paths: readonly string[], fetch: Fetching) => Promise<Held>
  /** Takes a file that is whole, such as one that was just sent. */
  readonly keep: (path: string, file: string) => Promise<void>
  readonly forget: (path: string) => Promise<void>
}

export type Fetching = {
  /** Bytes of files; throws where one is gone. */
  readonly sizes: (paths: readonly string[]) => Promise<readonly number[]>
  /** Puts a file at a path where nothing is yet, durably. */
  readonly fetch: (path: string, to: string) => Promise<void>
}

/** Files that are fetched at once. */
const fetchedAtOnce = 4
/** A process that lives says so this often; one that has not for much longer is dead. */
const beatMs = 5 * 60_000
const deadAfterMs = 60 * 60_000

const leaving = new Set<string>()

/** One listener for all: a process may open many stores. */
function removeAtExit(folder: string): void {
  if (leaving.size === 0)
    process.once('exit', () => {
      for (const each of leaving) rmSync(each, { recursive: true, force: true })
    })
  leaving.add(folder)
}

/** `name` tells the bucket and prefix. */
export function openFileCache({ folder, bytes, maxDownload }: CacheLimits, name: string): FileCache {
  const own = join(folder, hash('sha256', name).slice(0, 12))
  const files = join(own, 'files')
  const incoming = join(own, 'incoming')
  const held = join(own, `held-${randomBytes(6).toString('hex')}`)
  const counts = new Map<string, number>()
  const coming = new Map<string, Promise<void>>()
  let begun = false
  let added = Number.POSITIVE_INFINITY

  const begin = async (): Promise<void> => {
    for (const each of [files, incoming, held]) await mkdir(each, { recursive: true })
    if (begun) return
    begun = true
    const beat = setInterval(() => void utimes(held, new Date(), new Date()).catch(() => undefined), beatMs)
    beat.unref()
    removeAtExit(held)
  }
  const trim = async (): Promise<void> => {
    added = 0
    await removeDead(own, incoming)
    await removeOldest(files, bytes)
  }
  const addedSome = async (more: number): Promise<void> => {
    added += more
    if (added > bytes / 16) await trim()
  }
  /** Links a file that is here to where this process reads it; false where it is not here. */
  const linked = async (path: string): Promise<boolean> => {
    const [from, to] = [join(files, path), join(held, path)]
    await mkdir(dirname(to), { recursive: true })
    try {
      await link(from, to)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return false
      // A file system without links, or a file with too many.
      if (code !== 'EEXIST' && !(await copyFile(from, to, constants.COPYFILE_EXCL).then(() => true, isMissing)))
        return false
    }
    await utimes(from, new Date(), new Date()).catch(() => undefined)
    return true
  }
  const bring = async (path: string, fetch: Fetching['fetch']): Promise<void> => {
    if (await linked(path)) return
    const draft = join(incoming, randomBytes(8).toString('hex'))
    try {
      await fetch(path, draft)
      // Linked before it has its name: another process may make room at once.
      await mkdir(dirname(join(held, path)), { recursive: true })
      await link(draft, join(held, path)).catch(() => copyFile(draft, join(held, path), constants.COPYFILE_EXCL))
      await mkdir(dirname(join(files, path)), { recursive: true })
      await rename(draft, join(files, path))
    } finally {
      await rm(draft, { force: true })
    }
  }
  const bringAll = async (absent: readonly string[], { sizes, fetch }: Fetching): Promise<void> => {
    try {
      const far = absent.filter((path) => sizeOf(join(files, path)) === null)
      const needed = (await sizes(far)).reduce((sum, size) => sum + size, 0)
      refuseTooMuch({ files: far.length, needed, maxDownload, folder: own })
      const left = absent.values()
      const take = async (): Promise<void> => {
        for (const path of left) await bring(path, fetch)
      }
      const ends = await Promise.allSettled(Array.from({ length: fetchedAtOnce }, take))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      if (needed > 0) await addedSome(needed)
    } finally {
      for (const path of absent) coming.delete(path)
    }
  }
  const release = (path: string): void => {
    const count = (counts.get(path) ?? 0) - 1
    if (count > 0) {
      counts.set(path, count)
      return
    }
    counts.delete(path)
    // At once: who asks next must find it gone, or held.
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
        // Nothing is waited for between the look and the note of who brings what: another question of this process may be about the same.
        const absent = wanted.filter((path) => !coming.has(path) && sizeOf(join(held, path)) === null)
        const brought = bringAll(absent, { sizes, fetch })
        for (const path of absent) coming.set(path, brought)
        await Promise.all([brought, ...wanted.flatMap((path) => coming.get(path) ?? [])])
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
        .then(() => addedSome(size))
        // On another disk.
        .catch(() => undefined)
    },
    forget: async (path) => rm(join(files, path), { force: true }),
  }
}

function isMissing(error: unknown): boolean {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
  throw error
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
  const what = `${files.toLocaleString('en-US')} ${files === 1 ? 'file' : 'files'} of ${bytesText(needed)}`
  if (needed > maxDownload)
    throw new StorageError(`${what} would have to be fetched, and at most ${bytesText(maxDownload)} may be.`, {
      code: 'storage.max-download',
      details: { 'bytes to fetch': needed, 'bytes that may be': maxDownload },
      hint: `Ask for less (a network, a range of heights or times, fewer tables), or allow it: --max-download ${Math.ceil(needed / 1e9)}GB. A DuckDB with httpfs reads views.sql without fetching whole files.`,
    })
  const space = needed > 0 ? fileSystemOf(folder) : null
  if (space !== null && space.totalBytes > 0 && space.freeBytes < needed)
    throw new StorageError(`${what} are to be fetched, and ${bytesText(space.freeBytes)} are free.`, {
      code: 'storage.space',
      retryable: true,
      details: { folder, 'bytes to fetch': needed, 'free bytes': space.freeBytes },
      hint: 'Free some space, or give --cache a folder on a larger disk.',
    })
}

/** What processes have left that did not end by themselves. */
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
    // Folders that are left empty go; others say so.
    await rmdir(dirname(path)).catch(() => undefined)
    total -= size
  }
}
