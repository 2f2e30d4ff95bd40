import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, copyFile, type FileHandle, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

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
