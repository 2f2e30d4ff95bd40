import { readdirSync } from 'node:fs'
import { sep } from 'node:path'
import type { LakePaths } from './paths.ts'

/** What lies under `data/`; paths are relative to the lake, with `/`. */
export type ListedFile = { readonly path: string; readonly name: string; readonly isFolder: boolean }

/** Lists the folders below `data/`; links and the like are no files of a lake. Without waiting: by promises it takes twice the CPU. */
export function listFiles(paths: LakePaths): ListedFile[] {
  const start = paths.lake.length + 1
  return entriesOf(paths.data).flatMap((entry) => {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) return []
    const path = `${entry.parentPath}${sep}${entry.name}`.slice(start)
    return [{ path: sep === '/' ? path : path.split(sep).join('/'), name: entry.name, isFolder }]
  })
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
