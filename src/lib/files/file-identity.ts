import { stat } from 'node:fs/promises'

/**
 * Distinguishes a file from another one that later replaces it: inode and time of the last change in nanoseconds. A rename keeps the
 * identity.
 */
export async function fileIdentity(path: string): Promise<string> {
  const { ino, mtimeNs } = await stat(path, { bigint: true })
  return `${ino}-${mtimeNs}`
}
