import { existsSync, readdirSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { syncFolder } from '../lib/files.ts'
import { reachStep } from '../lib/step.ts'
import { inDataFolder } from './data-file-path.ts'
import type { NewFile, Store } from './store.ts'

/** Whether a folder contains, or once contained, data files of a lake. */
export function hasDataFolder(lakeDir: string): boolean {
  return existsSync(join(resolve(lakeDir), inDataFolder('')))
}

/** The data files of a lake in its folder. */
export function openFolderStore(lakeDir: string): Store {
  const lake = resolve(lakeDir)
  /** Folders that are known to be durable. Another thread or process may just have created the other folders of the lake. */
  const durable = new Set(upwards(lake))
  return {
    create: (path) => createFile(join(lake, path), durable),
    list: async (prefix) => listFiles(lake, prefix),
    sizes: async (paths) => paths.map((path) => sizeOf(join(lake, path))),
    open: (path) => open(join(lake, path), 'r'),
    remove: (path) => (path.endsWith('/') ? removeEmpty(join(lake, path)) : rm(join(lake, path), { force: true })),
    claim: async () => undefined,
    forget: async () => undefined,
    hold: async () => ({ release: async () => undefined }),
    url: (path) => join(lake, path),
    address: (path) => join(lake, path),
    remote: null,
    place: { kind: 'folder', lake },
  }
}

async function createFile(path: string, durable: Set<string>): Promise<NewFile> {
  reachStep('write.before-open')
  const folder = dirname(path)
  const first = await mkdir(folder, { recursive: true })
  if (first !== undefined)
    for (const made of upwards(folder)) {
      durable.delete(made)
      if (made === first) break
    }
  const handle = await open(path, 'wx+')
  reachStep('write.after-open')
  return {
    handle,
    path,
    async finish() {
      await syncFile(handle, path, durable)
      await handle.close()
    },
    async discard() {
      await handle.close()
      await rm(path, { force: true })
    },
  }
}

/**
 * Makes a file and its name durable: syncs the file, its folder, and the parent of each folder that is not known to be durable. Another
 * process may just have created such a folder.
 */
async function syncFile(handle: FileHandle, path: string, durable: Set<string>): Promise<void> {
  reachStep('write.before-fsync')
  await handle.sync()
  reachStep('write.between-fsyncs')
  const folder = dirname(path)
  await syncFolder(folder)
  for (const each of upwards(folder).filter((each) => !durable.has(each))) {
    await syncFolder(dirname(each))
    durable.add(each)
  }
  reachStep('write.after-fsync')
}

/** A folder and all its parents. */
function upwards(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}

/** Lists files and folders; ignores links and other entries. It is synchronous, because promises take twice the CPU. */
function listFiles(lake: string, prefix: string): string[] {
  const start = lake.length + 1
  return entriesOf(join(lake, prefix)).flatMap((entry) => {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) return []
    const path = `${entry.parentPath}${sep}${entry.name}${isFolder ? sep : ''}`.slice(start)
    return [sep === '/' ? path : path.split(sep).join('/')]
  })
}

function entriesOf(folder: string) {
  try {
    // Strips the separator at the end, which would be doubled in the paths of the entries.
    return readdirSync(resolve(folder), { recursive: true, withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** It is synchronous: reading 18,000 sizes takes 0.1 s this way, and 0.4 s with promises. */
function sizeOf(file: string): number | null {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true ? found.size : null
}

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
  })
}
