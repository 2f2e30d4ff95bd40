import { open } from 'node:fs/promises'

/** Makes new names in a folder durable. Windows keeps them so by itself and does not let folders be opened. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!noFolderSync.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await folder.close()
  }
}

/** What network and user-space file systems say that cannot sync a folder. */
const noFolderSync = new Set(['EINVAL', 'ENOTSUP', 'EISDIR'])
