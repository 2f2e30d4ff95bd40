import { open } from 'node:fs/promises'
import { hashFile } from './hash-file.ts'

/** `hashFile` of the file at a path. Throws the errors of the file system. */
export async function fileDigest(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    return await hashFile(file)
  } finally {
    await file.close()
  }
}
