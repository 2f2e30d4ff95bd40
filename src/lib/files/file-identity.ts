import { stat } from 'node:fs/promises'

/** Tells one file from another that later takes its place: inode and time of its last change. A rename keeps it. */
export async function fileIdentity(path: string): Promise<string> {
  const { ino, mtimeNs } = await stat(path, { bigint: true })
  return `${ino}-${mtimeNs}`
}
