import { open } from 'node:fs/promises'

/** Makes new names in a folder durable. Windows does this by itself, and does not let a program open folders. */
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

/** Error codes of network and user-space file systems that cannot sync a folder. */
const noFolderSync = new Set(['EINVAL', 'ENOTSUP', 'EISDIR'])
