import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LakePaths } from './paths.ts'

/** Removes files that the catalog no longer names; `recoverLake` of a later run finds those that cannot be removed now. */
export async function removeDropped(paths: LakePaths, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(join(paths.lake, file), { force: true }).catch(() => undefined)
}
