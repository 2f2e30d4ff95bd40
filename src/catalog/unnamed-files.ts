import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { LakePaths } from './paths.ts'

export type UnnamedFile = {
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly bytes: number
}

/** Files under `data/` that are not among those that a catalog names. */
export async function findUnnamed(paths: LakePaths, named: ReadonlySet<string>): Promise<UnnamedFile[]> {
  const entries = await readdir(paths.data, { recursive: true, withFileTypes: true }).catch(() => [])
  const found: UnnamedFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const absolute = join(entry.parentPath, entry.name)
    const path = relative(paths.lake, absolute).split(sep).join('/')
    if (!named.has(path)) found.push({ path, bytes: (await stat(absolute).catch(() => ({ size: 0 }))).size })
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}
