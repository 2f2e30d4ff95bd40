import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { CatalogError } from '../../errors.ts'
import type { Lock, Locks } from '../session/backend.ts'
import { isLockConflict, isPermissionDenied, storageFailure } from './failure.ts'

/**
 * Locks that the operating system frees when their process dies. A lock is an open DuckDB file in a folder. Unlike process ids, these
 * locks work across containers that share the volume.
 */
export function folderLocks(folder: string): Locks {
  const fileOf = (name: string) => {
    if (/[/\\\0]/.test(name))
      throw new CatalogError('The catalog names a run that cannot have a lock.', {
        code: 'catalog.path',
        details: { run: name },
        hint: 'Nothing was changed. chainlake records no such run: find out who else writes to this catalog, and restore a backup that you trust with chainlake restore.',
      })
    return join(folder, `${name}${suffix}`)
  }
  return {
    reach: 'machine',
    take: async (name) => takeLock(fileOf(name)),
    isHeld: async (name) => isLockHeld(fileOf(name)),
    async held() {
      const names: string[] = []
      for (const name of await namesIn(folder)) if (await isLockHeld(fileOf(name))) names.push(name)
      return names
    },
    async removeFree() {
      for (const name of await namesIn(folder))
        if (!(await isLockHeld(fileOf(name)))) await rm(fileOf(name), { force: true })
    },
  }
}

const suffix = '.duckdb'

async function namesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storageFailure(error, folder)
  }
}

/** Files of the locks of this process. The operating system would grant them to the same process a second time. */
const held = new Set<string>()

/** Takes a lock with a new file name, so that no other process can hold it. */
export async function takeLock(file: string): Promise<Lock> {
  let instance: DuckDBInstance
  try {
    await mkdir(dirname(file), { recursive: true })
    instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '16MB' })
  } catch (error) {
    throw storageFailure(error, file)
  }
  held.add(file)
  return {
    release: async () => {
      if (!held.delete(file)) return
      instance.closeSync()
      await rm(file, { force: true })
    },
  }
}

/** Whether a live process holds the lock. The probe uses shared access, so that concurrent probes do not conflict. */
export async function isLockHeld(file: string): Promise<boolean> {
  if (held.has(file)) return true
  if (!existsSync(file)) return false
  try {
    const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '16MB', access_mode: 'READ_ONLY' })
    instance.closeSync()
    return false
  } catch (error) {
    // Without permission, the lock counts as held. Any other error means that the process died while it created the file.
    return isLockConflict(error) || isPermissionDenied(error)
  }
}
