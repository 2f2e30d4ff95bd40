import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { ChainlakeError } from '../../errors.ts'
import { temporaryName } from '../../lib/files/temporary-name.ts'

/** A folder for data of large queries that do not fit into memory. `release` removes it. */
type SpillFolder = { readonly path: string; readonly release: () => Promise<void> }

/**
 * A folder in the lake: that disk has enough space, and the next run, repair, verification or report removes what a killed process has left.
 * For a read-only lake it is in the system's folder for temporary files.
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

/** DuckDB creates the folder when it needs it, and leaves it behind when a query fails. */
function folderAt(path: string, release: () => Promise<void>): SpillFolder {
  return {
    path,
    release: async () => {
      await rm(path, { recursive: true, force: true })
      await release()
    },
  }
}
