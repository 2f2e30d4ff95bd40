import { statSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './list-files.ts'
import type { LakePaths } from './paths.ts'

export type UnnamedFile = {
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly bytes: number
}

/** Files under `data/` that are not among those that a catalog names. */
export function findUnnamed(paths: LakePaths, named: ReadonlySet<string>): UnnamedFile[] {
  return listFiles(paths)
    .filter(({ path, isFolder }) => !isFolder && !named.has(path))
    .map(({ path }) => ({ path, bytes: statSync(join(paths.lake, path), { throwIfNoEntry: false })?.size ?? 0 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
