import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { ChainlakeError } from '../../errors.ts'
import { temporaryName } from '../../lib/files/temporary-name.ts'

/** Where questions about a whole lake may put what does not fit into memory. `release` removes it. */
export type SpillFolder = { readonly path: string; readonly release: () => Promise<void> }

/**
 * A name in the lake: there is room for it where the data are, and what a killed process leaves there the next run, repair, verification or
 * report removes. Beside a lake that may only be read, in the system's folder for temporary files.
 */
export async function takeSpillFolder(lakeDir: string, catalog: Pick<Catalog, 'own'>): Promise<SpillFolder> {
  try {
    const { id, release } = await catalog.own()
    return folderAt(join(lakeDir, temporaryName('lookup', id)), release)
  } catch (error) {
    if (!(error instanceof ChainlakeError) || error.exitCode !== 5) throw error
    return folderAt(join(tmpdir(), temporaryName('lookup', 'reader')), async () => undefined)
  }
}

/** DuckDB makes the folder when it needs one, and leaves it where a question failed. */
function folderAt(path: string, release: () => Promise<void>): SpillFolder {
  return {
    path,
    release: async () => {
      await rm(path, { recursive: true, force: true })
      await release()
    },
  }
}
