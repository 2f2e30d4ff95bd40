import { fileSystemOf, type Statfs } from './file-system.ts'

/**
 * Whether the file system of a path can hold no more files, although it may have free space. "No space left" then means this. False where
 * the file system does not count files, or `statfs` fails.
 */
export function isOutOfInodes(path: string, statfs?: Statfs): boolean {
  return fileSystemOf(path, statfs)?.freeFiles === 0
}

/** The refusal of a file system without free inodes. */
export const noInodes = {
  code: 'storage.inodes',
  // Someone may remove files.
  retryable: true,
  problem: 'The file system can hold no more files',
  hint: 'All its inodes are taken, however much space there is (see df -i). Remove files, or move the lake to a file system with more inodes, and run again: what is committed is safe.',
} as const
