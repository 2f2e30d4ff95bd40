import { type StatsFs, statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** What `statfs` reports about the file system of a path. */
export type FileSystem = {
  /** Bytes that this user may still write. */
  readonly freeBytes: number
  readonly totalBytes: number
  /** Number of files that it can still hold; null where it does not count them. */
  readonly freeFiles: number | null
  /** The operating system's number for the kind of file system, such as 0x6969 for NFS. */
  readonly kind: number
}

/** `statfs` of a path. Throws where it fails. */
export type Statfs = (path: string) => Pick<StatsFs, 'bsize' | 'bavail' | 'blocks' | 'files' | 'ffree' | 'type'>

/** The file system of a path, or of its nearest existing parent folder; null where `statfs` fails for all of them. */
export function fileSystemOf(path: string, statfs: Statfs = statfsSync): FileSystem | null {
  for (let place = path; ; place = dirname(place)) {
    try {
      const { bsize, bavail, blocks, files, ffree, type } = statfs(place)
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
