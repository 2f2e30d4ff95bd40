import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { reachStep } from '../lib/step.ts'

/** Creates a file that must not be there yet, with its folders; `newFolders` gets the folders that were made. */
export async function createPartFile(path: string, newFolders: Set<string>): Promise<FileHandle> {
  reachStep('write.before-open')
  const folder = dirname(resolve(path))
  const first = await mkdir(folder, { recursive: true })
  if (first !== undefined)
    for (const made of upwards(folder)) {
      newFolders.add(made)
      if (made === first) break
    }
  const file = await open(path, 'wx+')
  reachStep('write.after-open')
  return file
}

/**
 * Makes a file durable, and its name: the folder that has it, and for each folder not known to be durable the folder
 * above. `newFolders` is shared by the parts of a run, since one may stand in a folder that another has just made.
 */
export async function syncPart(file: FileHandle, path: string, newFolders: Set<string>): Promise<void> {
  reachStep('write.before-fsync')
  await file.sync()
  reachStep('write.between-fsyncs')
  const folder = dirname(resolve(path))
  await syncFolder(folder)
  for (const made of upwards(folder).filter((each) => newFolders.has(each))) {
    await syncFolder(dirname(made))
    newFolders.delete(made)
  }
  reachStep('write.after-fsync')
}

/** Windows keeps names durable by itself and does not let folders be opened. */
async function syncFolder(path: string): Promise<void> {
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

/** A folder and all above it. */
function upwards(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
