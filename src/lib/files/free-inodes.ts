import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** What `statfs` says of a file system: how many files it may hold and how many more. */
export type InodeCount = { readonly files: number; readonly ffree: number }

/**
 * Whether the file system of a path may hold no more files, however much space it has: then "no space left" means that.
 * False where it does not count them, or nothing can be asked.
 */
export function lacksInodes(path: string, countOf: (path: string) => InodeCount = statfsSync): boolean {
  for (let place = path; ; place = dirname(place)) {
    try {
      const { files, ffree } = countOf(place)
      return files > 0 && ffree === 0
    } catch {
      // The file itself may not have come to be.
      if (place === dirname(place)) return false
    }
  }
}

/** What an error of this kind says. */
export const noInodes = {
  code: 'storage.inodes',
  // Files may be removed.
  retryable: true,
  problem: 'The file system can hold no more files',
  hint: 'All its inodes are taken, however much space there is (see df -i). Remove files, or move the lake to a file system with more inodes, and run again: what is committed is safe.',
} as const
