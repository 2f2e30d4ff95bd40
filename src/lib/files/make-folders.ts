import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

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
