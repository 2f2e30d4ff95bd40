import { StorageError } from '../../errors.ts'
import { type FileSystem, fileSystemOf } from '../../lib/files/file-system.ts'
import { bytesText } from '../../lib/text/bytes-text.ts'
import type { Store } from '../../store/store.ts'

/** Bytes left free on the disk of a lake, for the catalog, the views and other programs. */
const usualFloor = 256 * 2 ** 20

const hint =
  'Free some space, or use a --lake folder on a larger disk, and run again: the run resumes from the last commit.'

/** Bytes that a run leaves free. On a small disk this is a twentieth. */
export function floorOf({ totalBytes }: Pick<FileSystem, 'totalBytes'>): number {
  return Math.min(usualFloor, Math.floor(totalBytes / 20))
}

/**
 * Throws when the work would fill the disk. Never throws when the file system does not report its free space.
 *
 * @throws StorageError `storage.space`.
 */
export function verifyRoom(
  lakeDir: string,
  { what, bytes }: { readonly what: string; readonly bytes: number },
  spaceOf: typeof fileSystemOf = fileSystemOf,
): void {
  const space = spaceOf(lakeDir)
  if (space === null || space.totalBytes === 0) return
  const floor = floorOf(space)
  if (bytes <= space.freeBytes - floor) return
  throw new StorageError(
    `The disk has too little space for ${what}: about ${bytesText(bytes)} are needed, ${bytesText(space.freeBytes)} are free.`,
    {
      code: 'storage.space',
      // Space may become free.
      retryable: true,
      details: { lake: lakeDir, 'estimated bytes': bytes, 'free bytes': space.freeBytes, 'bytes left free': floor },
      hint: `Nothing was fetched. ${hint} You can also export a part of the range with --to; estimates improve with the rows in the lake.`,
    },
  )
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
      if (space !== null && space.totalBytes > 0 && space.freeBytes < floorOf(space)) throw almostFull(lakeDir, space)
      return store.create(path)
    },
  }
}

function almostFull(lakeDir: string, space: FileSystem): StorageError {
  const floor = floorOf(space)
  return new StorageError(
    `The disk is almost full: ${bytesText(space.freeBytes)} are free, and a run keeps ${bytesText(floor)} free.`,
    {
      code: 'storage.space',
      retryable: true,
      details: { lake: lakeDir, 'free bytes': space.freeBytes, 'bytes left free': floor },
      hint,
    },
  )
}
