import { createReadStream } from 'node:fs'
import { type FileHandle, lstat, mkdtemp, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/** A file that is being written. */
export type FileOutput = {
  readonly write: (text: string | Uint8Array) => Promise<void>
  /** Puts the file in its place. Readers see the whole old file or the whole new one. */
  readonly finish: () => Promise<void>
  /** Leaves the old file, if there is one. Does nothing after `finish`. */
  readonly discard: () => Promise<void>
}

/** Replaces a file with a text; see `openOutput`. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const output = await openOutput(file)
  try {
    await output.write(text)
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
  const sink = isRegular ? sinkOf(await open(draftOf(path), 'w')) : await openThrough(path)
  let isOpen = true
  return {
    write: sink.write,
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
    else await copyThrough(draft, path)
  } finally {
    await rm(folder ?? draft, { recursive: true, force: true })
  }
}

async function copyThrough(draft: string, file: string): Promise<void> {
  const output = await openOutput(file)
  try {
    for await (const bytes of createReadStream(draft)) await output.write(bytes)
    await output.finish()
  } finally {
    await output.discard()
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

type Sink = {
  readonly write: (data: string | Uint8Array) => Promise<void>
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a file to write at its end. A standard output that is a socket cannot be opened: its stream is used. */
async function openThrough(path: string): Promise<Sink> {
  try {
    return sinkOf(await open(path, 'a'))
  } catch (error) {
    const stream = [process.stdout, process.stderr].find(({ fd }) => path.endsWith(`/fd/${fd}`))
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO' || stream === undefined) throw error
    return {
      write: (data) => new Promise((done, fail) => stream.write(data, (failure) => (failure ? fail(failure) : done()))),
      sync: async () => undefined,
      close: async () => undefined,
    }
  }
}

function sinkOf(handle: FileHandle): Sink {
  return { write: (data) => handle.writeFile(data), sync: () => handle.sync(), close: () => handle.close() }
}
