import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** What `statfs` says of the file system of a path. */
export type FileSystem = {
  /** Bytes that this user may still write. */
  readonly freeBytes: number
  readonly totalBytes: number
  /** Files that it may still take; null where it does not count them. */
  readonly freeFiles: number | null
  /** The number by which the system knows its kind, such as 0x6969 for NFS. */
  readonly kind: number
}

/** The file system of a path, or of the folder above it that is there; null where nothing can be asked. */
export function fileSystemOf(path: string): FileSystem | null {
  for (let place = path; ; place = dirname(place)) {
    try {
      const { bsize, bavail, blocks, files, ffree, type } = statfsSync(place)
      return {
        freeBytes: bavail * bsize,
        totalBytes: blocks * bsize,
        freeFiles: files > 0 ? ffree : null,
        kind: type >>> 0,
      }
    } catch {
      if (place === dirname(place)) return null
    }
  }
}
