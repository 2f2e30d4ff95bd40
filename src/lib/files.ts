import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, type StatsFs, statfsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file that is being written. */
export type FileOutput = {
  readonly write: (text: string | Uint8Array) => Promise<void>
  /** Puts the file in its place. Readers see the whole old file or the whole new one. */
  readonly finish: () => Promise<void>
  /** Leaves the old file, if there is one. Does nothing after `finish`. */
  readonly discard: () => Promise<void>
}

/** Replaces a file with a text; see `openOutput`. */
export function replaceFile(file: string, text: string): Promise<void> {
  return writeOutput(file, [text])
}

async function writeOutput(file: string, pieces: Iterable<string> | AsyncIterable<Uint8Array>): Promise<void> {
  const output = await openOutput(file)
  try {
    for await (const piece of pieces) await output.write(piece)
    await output.finish()
  } finally {
    await output.discard()
  }
}

/**
 * Opens the file that a path names for writing. A regular file is replaced at the end; for a symbolic link, the file that it names. What is
 * not a regular file, such as a device, a FIFO or the standard output, is written through and stays.
 */
export async function openOutput(file: string): Promise<FileOutput> {
  const { path, isRegular } = await targetOf(file)
  const sink: Sink = isRegular ? await open(draftOf(path), 'w') : await openThrough(path)
  let isOpen = true
  return {
    write: (text) => sink.writeFile(text),
    finish: async () => {
      if (isRegular) await sink.sync()
      isOpen = false
      await sink.close()
      if (isRegular) await replaceByDraft(path)
    },
    discard: async () => {
      if (isOpen) await sink.close().catch(() => undefined)
      isOpen = false
      if (isRegular) await rm(draftOf(path), { force: true })
    },
  }
}

/** Replaces a file with one that a program writes under the path that it gets; see `openOutput`. */
export async function replaceByProgram(file: string, write: (path: string) => Promise<void>): Promise<void> {
  const { path, isRegular } = await targetOf(file)
  const folder = isRegular ? null : await mkdtemp(join(tmpdir(), 'chainlake-output-'))
  const draft = folder === null ? draftOf(path) : join(folder, 'output')
  try {
    await write(draft)
    if (folder === null) await replaceByDraft(path)
    else await writeOutput(path, createReadStream(draft))
  } finally {
    await rm(folder ?? draft, { recursive: true, force: true })
  }
}

/** A file of this process next to another one, which it later replaces. */
function draftOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}`)
}

async function replaceByDraft(file: string): Promise<void> {
  await rename(draftOf(file), file)
  await syncFolder(dirname(file))
}

type Target = {
  readonly path: string
  /** Whether a draft may replace what is there; also true where nothing is. */
  readonly isRegular: boolean
}

/** The descriptors of processes: what they name stays, even a regular file, which is the output of a program. */
const descriptors = /^(\/dev|\/proc\/(self|thread-self|\d+)(\/task\/\d+)?)\/fd$/

/** Follows links, also one to a file that does not exist. */
async function targetOf(file: string): Promise<Target> {
  let path = resolve(file)
  for (let links = 0; links < 40; links++) {
    const folder = await realpath(dirname(path)).catch(() => dirname(path))
    if (descriptors.test(folder)) return { path, isRegular: false }
    const found = await lstat(path).catch(() => null)
    if (found?.isSymbolicLink() !== true) break
    path = resolve(folder, await readlink(path))
  }
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') throw error
    return null
  })
  return { path, isRegular: found === null || found.isFile() || found.isDirectory() }
}

type Sink = Pick<FileHandle, 'sync' | 'close'> & {
  readonly writeFile: (data: string | Uint8Array) => Promise<void>
}

/** Opens a file to write at its end. A standard output that is a socket cannot be opened: its stream is used. */
async function openThrough(path: string): Promise<Sink> {
  try {
    return await open(path, 'a')
  } catch (error) {
    const stream = [process.stdout, process.stderr].find(({ fd }) => path.endsWith(`/fd/${fd}`))
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO' || stream === undefined) throw error
    return {
      writeFile: (data) =>
        new Promise((done, fail) => stream.write(data, (failure) => (failure ? fail(failure) : done()))),
      sync: async () => undefined,
      close: async () => undefined,
    }
  }
}

/**
 * Creates a folder and its parent folders. Unlike `mkdir` with `recursive`, it also ends on file systems that answer ENOENT for a name that
 * they reject, such as `/proc`.
 */
export async function makeFolders(path: string): Promise<void> {
  const folder = resolve(path)
  if ((await missing(folder)) === null) return
  await makeFolders(dirname(folder))
  const error = await missing(folder)
  if (error !== null) throw error
}

/** Creates one folder. Returns the error when its parent folder is missing, and null when the folder exists. */
async function missing(folder: string): Promise<Error | null> {
  try {
    await mkdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return error as Error
    if (code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  }
  return null
}

/** Makes the contents of a file durable. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes new names in a folder durable. Windows does this by itself, and does not let a program open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!noFolderSync.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await folder.close()
  }
}

/** Error codes of network and user-space file systems that cannot sync a folder. */
const noFolderSync = new Set(['EINVAL', 'ENOTSUP', 'EISDIR'])

/** Errors of file systems without modes, such as SMB, Azure Files and some FUSE file systems. */
const refusals = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'])

/** Whether the file system refused to change the mode of a file. */
export function isModeRefusal(error: unknown): boolean {
  return refusals.has((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Changes the mode of a file. A mode only protects files from mistakes of other programs, so a file system that refuses it is no reason to
 * fail.
 */
export async function setMode(file: string | FileHandle, mode: number): Promise<void> {
  try {
    await (typeof file === 'string' ? chmod(file, mode) : file.chmod(mode))
  } catch (error) {
    if (!isModeRefusal(error)) throw error
  }
}

/** Copies a file to a new one, also where the copy cannot get the mode of the file. */
export async function copyToNew(from: string, to: string, mode: number): Promise<void> {
  try {
    await copyFile(from, to, mode)
  } catch (error) {
    if (!isModeRefusal(error)) throw error
    await rm(to, { force: true })
    await pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx' }))
  }
}

/**
 * Distinguishes a file from another one that later replaces it: inode and time of the last change in nanoseconds. A rename keeps the
 * identity.
 */
export async function fileIdentity(path: string): Promise<string> {
  const { ino, mtimeNs } = await stat(path, { bigint: true })
  return `${ino}-${mtimeNs}`
}

const pieceBytes = 1024 * 1024

/** SHA-256 of a whole file, in hexadecimal. It reads the next piece while it hashes the last one; two pieces of 1 MiB are in memory. */
export async function hashFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const pieces = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)] as const
  let at = 0
  let reading = file.read(pieces[0], 0, pieceBytes, at)
  for (let turn = 0; ; turn = 1 - turn) {
    const { bytesRead, buffer } = await reading
    if (bytesRead === 0) return hash.digest('hex')
    at += bytesRead
    reading = file.read(pieces[turn === 0 ? 1 : 0], 0, pieceBytes, at)
    // The next `await` handles a rejection. Without this handler an early rejection would count as unhandled.
    reading.catch(() => undefined)
    hash.update(buffer.subarray(0, bytesRead))
  }
}

/** `hashFile` of the file at a path. Throws the errors of the file system. */
export async function fileDigest(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    return await hashFile(file)
  } finally {
    await file.close()
  }
}

/**
 * The name of a temporary file or folder of a lake contains the id of its owner. The owner's process holds the lock of that id for as long
 * as it lives. Process ids would not work: containers that share a volume each have their own.
 */
type TemporaryKind = 'views' | 'lookup' | 'staged'

/** A new name in the lake's folder, without a suffix. */
export function temporaryName(kind: TemporaryKind, owner: string): string {
  return `.${kind}-${owner}-${randomBytes(6).toString('hex')}`
}

/** The owner of the temporary file or folder with this name in the lake's folder; null for other names. */
export function ownerOfTemporary(name: string): string | null {
  return /^\.(?:views|lookup|staged)-([0-9A-Za-z]+)-[0-9a-f]+(?:\.|$)/.exec(name)?.[1] ?? null
}

/** A refusal by a disk, with the same code and hint for every caller. */
type DiskRefusal = {
  readonly code: string
  /** Transient if someone may free space, or the program that fills the disk may end. */
  readonly kind: 'transient' | 'lasting'
  readonly problem: string
  readonly hint: string
}

type KnownRefusal = DiskRefusal & {
  readonly errors: readonly string[]
  /** Matches DuckDB's message, because DuckDB passes no error codes on. */
  readonly words: RegExp
}

const full = { code: 'storage.full', kind: 'transient' } as const
const readOnly = { code: 'storage.read-only', kind: 'lasting', problem: 'The lake cannot be written' } as const

const diskRefusals: readonly KnownRefusal[] = [
  {
    ...full,
    errors: ['ENOSPC'],
    words: /No space left|disk is full|not enough space/i,
    problem: 'The disk is full',
    hint: 'Free some space and start the run again: it resumes from the last commit.',
  },
  {
    ...full,
    errors: ['EDQUOT'],
    words: /quota exceeded/i,
    problem: 'The disk quota is used up',
    hint: 'Free some space or raise the quota, and start the run again: it resumes from the last commit.',
  },
  {
    ...full,
    // This is a limit of the process. It does not change while the process lives.
    kind: 'lasting',
    errors: ['EFBIG'],
    words: /File too large/i,
    problem: 'The file may not become that large',
    hint: 'Raise the limit on the size of files (ulimit -f) and start the run again: it resumes from the last commit.',
  },
  {
    ...readOnly,
    errors: ['EROFS'],
    words: /Read-only file system/i,
    hint: 'The file system is read-only; give --lake a folder that can be written to.',
  },
  {
    ...readOnly,
    errors: ['EACCES', 'EPERM'],
    words: /Permission denied|read-only mode/i,
    hint: 'The disk is read-only or the folder belongs to another user; give --lake a folder that this user may write.',
  },
]

/** The disk refusal behind an error of the file system, or of DuckDB at a file; null for an error that is not about the disk. */
export function diskRefusal(error: unknown, file: string, hasNoInodes = isOutOfInodes): DiskRefusal | null {
  if (!(error instanceof Error)) return null
  const code = (error as NodeJS.ErrnoException).code
  const found = diskRefusals.find(({ errors, words }) =>
    code === undefined ? isOfDuckDb(error) && words.test(error.message) : errors.includes(code),
  )
  if (found === undefined) return null
  const refusal = found.errors.includes('ENOSPC') && hasNoInodes(file) ? noInodes : found
  return { code: refusal.code, kind: refusal.kind, problem: refusal.problem, hint: refusal.hint }
}

/** Whether an error has the form of DuckDB's: `IO Error: …`. */
export function isOfDuckDb({ message }: Error): boolean {
  return /^[A-Z][A-Za-z ]* Error: /.test(message)
}

/**
 * Whether the file system of a path can hold no more files, although it may have free space. "No space left" then means this. False where
 * the file system does not count files, or `statfs` fails.
 */
export function isOutOfInodes(path: string, statfs?: Statfs): boolean {
  return fileSystemOf(path, statfs)?.freeFiles === 0
}

/** The refusal of a file system without free inodes. */
export const noInodes = {
  code: 'storage.inodes',
  // Someone may remove files.
  kind: 'transient',
  problem: 'The file system can hold no more files',
  hint: 'All its inodes are taken, however much space there is (see df -i). Remove files, or move the lake to a file system with more inodes, and run again: what is committed is safe.',
} as const

/** What `statfs` reports about the file system of a path. */
export type FileSystem = {
  /** Bytes that this user may still write. */
  readonly freeBytes: number
  readonly totalBytes: number
  /** Number of files that it can still hold; null where it does not count them. */
  readonly freeFiles: number | null
  /** The operating system's number for the kind of file system, such as 0x6969 for NFS. */
  readonly kind: number
}

/** `statfs` of a path. Throws where it fails. */
type Statfs = (path: string) => Pick<StatsFs, 'bsize' | 'bavail' | 'blocks' | 'files' | 'ffree' | 'type'>

/** The file system of a path, or of its nearest existing parent folder; null where `statfs` fails for all of them. */
export function fileSystemOf(path: string, statfs: Statfs = statfsSync): FileSystem | null {
  for (let place = path; ; place = dirname(place)) {
    try {
      const { bsize, bavail, blocks, files, ffree, type } = statfs(place)
      return {
        freeBytes: bavail * bsize,
        totalBytes: blocks * bsize,
        freeFiles: files > 0 ? ffree : null,
        kind: type >>> 0,
      }
    } catch {
      if (place === dirname(place)) return null
    }
  }
}

/** The hint for missing or damaged files of the lake. */
export const lostFilesHint =
  "Bring the files back from a copy of the lake's folder data/. If there is none: chainlake repair takes them out of the lake, and the next run fetches their rows again."
