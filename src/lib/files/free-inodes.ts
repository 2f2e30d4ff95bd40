import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** What `statfs` reports about a file system: how many files it may hold, and how many more. */
export type InodeCount = { readonly files: number; readonly ffree: number }

/**
 * Whether the file system of a path can hold no more files, although it may have free space. "No space left" then means this. False where
 * the file system does not count files, or `statfs` fails.
 */
export function isOutOfInodes(path: string, countOf: (path: string) => InodeCount = statfsSync): boolean {
  for (let place = path; ; place = dirname(place)) {
    try {
      const { files, ffree } = countOf(place)
      return files > 0 && ffree === 0
    } catch {
      // The file itself may not exist.
      if (place === dirname(place)) return false
    }
  }
}

/** The refusal of a file system without free inodes. */
export const noInodes = {
  code: 'storage.inodes',
  // Someone may remove files.
  retryable: true,
  problem: 'The file system can hold no more files',
  hint: 'All its inodes are taken, however much space there is (see df -i). Remove files, or move the lake to a file system with more inodes, and run again: what is committed is safe.',
} as const
