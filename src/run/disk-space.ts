import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { ChainlakeError, type ErrorFacts, StorageError } from '../errors.ts'
import { type FileSystem, fileSystemOf, temporaryName } from '../lib/files.ts'
import { bytesText } from '../lib/text.ts'
import type { Store } from '../store/store.ts'

/** Bytes left free on the disk of a lake, for the catalog, the views and other programs. */
const usualFloor = 256 * 2 ** 20

const hint =
  'Free some space, or use a --lake folder on a larger disk, and run again: the run resumes from the last commit.'

/** Bytes that a run leaves free. On a small disk this is a twentieth. */
export function floorOf({ totalBytes }: Pick<FileSystem, 'totalBytes'>): number {
  return Math.min(usualFloor, Math.floor(totalBytes / 20))
}

/** Throws StorageError `storage.space` when the work would fill the disk, as far as the file system reports its free space. */
export function verifyRoom(
  lakeDir: string,
  { what, bytes }: { readonly what: string; readonly bytes: number },
  spaceOf: typeof fileSystemOf = fileSystemOf,
): void {
  const space = spaceOf(lakeDir)
  if (space === null || space.totalBytes === 0 || bytes <= space.freeBytes - floorOf(space)) return
  throw noSpace(
    `The disk has too little space for ${what}: about ${bytesText(bytes)} are needed, ${bytesText(space.freeBytes)} are free.`,
    { lake: lakeDir, 'estimated bytes': bytes },
    space,
    `Nothing was fetched. ${hint} You can also export a part of the range with --to; estimates improve with the rows in the lake.`,
  )
}

function noSpace(message: string, facts: ErrorFacts, space: FileSystem, advice = hint): StorageError {
  return new StorageError(message, {
    code: 'storage.space',
    // Space may become free.
    kind: 'transient',
    details: { ...facts, 'free bytes': space.freeBytes, 'bytes left free': floorOf(space) },
    hint: advice,
  })
}

/**
 * The store of a run. When the disk has less free space than `floorOf`, `create` throws StorageError `storage.space`, so that commits can
 * still be published and other programs have space.
 */
export function aboveFloor(store: Store, lakeDir: string, spaceOf: typeof fileSystemOf = fileSystemOf): Store {
  return {
    ...store,
    async create(path) {
      const space = spaceOf(lakeDir)
      if (space === null || space.totalBytes === 0 || space.freeBytes >= floorOf(space)) return store.create(path)
      throw noSpace(
        `The disk is almost full: ${bytesText(space.freeBytes)} are free, and a run keeps ${bytesText(floorOf(space))} free.`,
        { lake: lakeDir },
        space,
      )
    },
  }
}

/**
 * A folder for data of large queries that do not fit into memory; `release` removes it. It is in the lake: that disk has enough space, and the
 * next run, repair, verification or report removes what a killed process has left. For a read-only lake it is in the system's folder for
 * temporary files.
 */
export async function takeSpillFolder(lakeDir: string, catalog: Pick<Catalog, 'registerOwner'>) {
  const owner = await catalog.registerOwner().catch((error: unknown) => {
    if (!(error instanceof ChainlakeError) || error.exitCode !== 5) throw error
    return null
  })
  const path = join(owner === null ? tmpdir() : lakeDir, temporaryName('lookup', owner?.id ?? 'reader'))
  return {
    path,
    release: async () => {
      // DuckDB creates the folder when it needs it, and leaves it behind when a query fails.
      await rm(path, { recursive: true, force: true })
      await owner?.release()
    },
  }
}
