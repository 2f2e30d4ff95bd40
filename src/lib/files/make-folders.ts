import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it. Unlike `mkdir` with `recursive`, it also ends on file systems that answer ENOENT for a
 * name that they do not want, such as `/proc`.
 */
export async function makeFolders(path: string): Promise<void> {
  const folder = resolve(path)
  if ((await missing(folder)) === null) return
  await makeFolders(dirname(folder))
  const error = await missing(folder)
  if (error !== null) throw error
}

/** Makes one folder; gives the error when the one above is missing, null when the folder is there. */
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
