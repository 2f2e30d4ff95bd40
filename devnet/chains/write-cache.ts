import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { encodeCb58 } from '../../codec/ids.ts'
import { CacheError } from '../errors.ts'
import { type CachedChain, createdFile, indexFile } from './cache-format.ts'
import { createIndexFile } from './index-file.ts'
import { createNetwork, indexPaths, type Network, type NetworkSettings } from './network.ts'

/** Reports the progress of the generation, in P-Chain containers. */
export type Progress = (progress: { readonly containers: number; readonly of: number }) => void

const progressEvery = 1_000
/** After this many steps, the event loop can run other work. */
const breatheEvery = 64

/**
 * Generates a network into a folder. The folder gets its name only when the network is complete. Throws `CacheError` if it cannot be
 * written.
 */
export async function writeNetwork(
  folder: string,
  settings: NetworkSettings,
  steps: number,
  onProgress: Progress,
): Promise<void> {
  const temporary = `${folder}.${process.pid}.${Math.trunc(performance.now() * 1000)}.tmp`
  try {
    mkdirSync(temporary, { recursive: true })
  } catch (cause) {
    throw storageError(cause, folder)
  }
  try {
    await writeAll(temporary, settings, steps, onProgress)
    renameSync(temporary, folder)
  } catch (cause) {
    rmSync(temporary, { recursive: true, force: true })
    // Another process may have generated the same network meanwhile.
    if (!existsSync(join(folder, createdFile))) throw storageError(cause, folder)
  }
}

/** Converts errors of the file system to `CacheError` with a hint. Returns other errors unchanged. */
function storageError(cause: unknown, path: string): unknown {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === undefined) return cause
  return new CacheError('The simulated network cannot be kept in its cache.', {
    code: 'storage.devnet-cache',
    details: { path, reason: code },
    hint: 'Free some space (a block of each chain takes about 8 kB), or name another folder for the cache.',
    cause,
  })
}

async function writeAll(folder: string, settings: NetworkSettings, steps: number, onProgress: Progress): Promise<void> {
  const network = createNetwork(settings)
  const files = indexPaths.map((path) => ({ path, writer: createIndexFile(join(folder, indexFile(path))) }))
  try {
    for (let step = 0; step < steps; step += 1) {
      const made = network.step()
      for (const { path, writer } of files) writer.addStep(made[path])
      if (step % breatheEvery === 0) await breathe()
      if (step % progressEvery === 0) onProgress({ containers: step, of: steps })
    }
    for (const { writer } of files) writer.finish()
  } finally {
    for (const { writer } of files) writer.close()
  }
  writeFileSync(join(folder, createdFile), JSON.stringify(createdChains(network)))
  onProgress({ containers: steps, of: steps })
}

function createdChains({ created }: Network): CachedChain[] {
  return created.map(({ id, name, subnetId, height }) => {
    return { id: encodeCb58(id), name, subnetId: encodeCb58(subnetId), height }
  })
}
