import { open } from 'node:fs/promises'

/** Makes the contents of a file durable. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
