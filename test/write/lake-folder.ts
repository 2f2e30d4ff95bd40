import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openFolderStore } from '../../src/store/folder-store.ts'
import type { Store } from '../../src/store/store.ts'

/** A temporary folder for the tests of one file. It is removed at the end. */
export function lakeFolder(): { path(name: string): string; store(): Store } {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chainlake-write-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return { path: (name) => join(folder, name), store: () => openFolderStore(folder) }
}
