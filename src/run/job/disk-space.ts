import { StorageError } from '../../errors.ts'
import { type FileSystem, fileSystemOf } from '../../lib/files/file-system.ts'
import { bytesText } from '../../lib/text/bytes-text.ts'
import type { Store } from '../../store/store.ts'

/** Left free on the disk of a lake: catalog, views and whatever else lives there need some room. */
const usualFloor = 256 * 2 ** 20

const hint =
  'Free some space, or give --lake a folder on a larger disk, and start the run again: it goes on behind the last commit.'

/** Bytes that a run leaves free: of a small disk a twentieth. */
export function floorOf({ totalBytes }: Pick<FileSystem, 'totalBytes'>): number {
  return Math.min(usualFloor, Math.floor(totalBytes / 20))
}

/**
 * Refuses to begin what would fill the disk. Nothing is refused where a file system does not say how full it is.
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
    `The disk has too little room for ${what}: about ${bytesText(bytes)} are to be written, ${bytesText(space.freeBytes)} are free.`,
    {
      code: 'storage.space',
      // Somebody may make room.
      retryable: true,
      details: { lake: lakeDir, 'estimated bytes': bytes, 'free bytes': space.freeBytes, 'bytes left free': floor },
      hint: `Nothing was fetched. ${hint} A part of a range fits with --to; what the lake holds then makes the estimate better.`,
    },
  )
}

/**
 * The store of a run: it makes no file any more once the disk has less free than `floorOf` says, so that what is committed can still be
 * published and the disk is not filled for others. `create` throws StorageError `storage.space` then.
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
    `The disk is almost full: ${bytesText(space.freeBytes)} are free, and a run leaves ${bytesText(floor)}.`,
    {
      code: 'storage.space',
      retryable: true,
      details: { lake: lakeDir, 'free bytes': space.freeBytes, 'bytes left free': floor },
      hint,
    },
  )
}
