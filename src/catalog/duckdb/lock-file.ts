import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Lock, Locks } from '../session/backend.ts'
import { isLockConflict, isPermissionDenied, storageFailure } from './failure.ts'

/**
 * Locks that the operating system frees when their process dies: an open DuckDB file in a folder. Unlike a process id they say the same
 * in each container that shares the volume.
 */
export function folderLocks(folder: string): Locks {
  const fileOf = (name: string) => join(folder, `${name}${suffix}`)
  return {
    reach: 'machine',
    take: (name) => takeLock(fileOf(name)),
    isHeld: (name) => isLockHeld(fileOf(name)),
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

/** By file: the locks of this process, which the operating system would grant it a second time. */
const held = new Set<string>()

/** Takes a lock that nobody else can hold: the name of its file is new. */
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

/** Whether a live process holds the lock. Probing with shared access does not disturb others that probe. */
export async function isLockHeld(file: string): Promise<boolean> {
  if (held.has(file)) return true
  if (!existsSync(file)) return false
  try {
    const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '16MB', access_mode: 'READ_ONLY' })
    instance.closeSync()
    return false
  } catch (error) {
    // Who may not ask takes it for held. Any other refusal is of a file whose process died while it was made.
    return isLockConflict(error) || isPermissionDenied(error)
  }
}
