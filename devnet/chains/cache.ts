import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { encodeCb58 } from '../../codec/ids.ts'
import { CacheError } from '../errors.ts'
import {
  type CachedChain,
  createdFile,
  createIndexFile,
  type IndexFile,
  indexFile,
  openIndexFile,
} from './index-file.ts'
import {
  createNetwork,
  generatorVersion,
  type IndexPath,
  indexPaths,
  type Network,
  type NetworkSettings,
} from './network.ts'

/** The default folder for generated networks. */
export const defaultCacheDir = join(tmpdir(), 'chainlake-devnet')

/** A generated network with its number of steps. */
export type CachedNetwork = {
  readonly steps: number
  readonly created: readonly CachedChain[]
  readonly indexes: Readonly<Record<IndexPath, IndexFile>>
  close(): Promise<void>
}

/**
 * Returns a network with at least this many steps. A longer network in the cache is also usable, because it starts with the same
 * containers. If the cache has none, the network is generated into it.
 */
export async function cachedNetwork(
  cacheDir: string,
  settings: NetworkSettings,
  steps: number,
  onProgress: Progress = () => {},
): Promise<CachedNetwork> {
  const found = findCached(cacheDir, settings, steps)
  if (found !== null) return openNetwork(cacheDir, settings, found)
  await writeNetwork(join(cacheDir, folderName(settings, steps)), settings, steps, onProgress)
  return openNetwork(cacheDir, settings, steps)
}

async function openNetwork(cacheDir: string, settings: NetworkSettings, steps: number): Promise<CachedNetwork> {
  const folder = join(cacheDir, folderName(settings, steps))
  const opened = await Promise.all(
    indexPaths.map(async (path) => [path, await openIndexFile(join(folder, indexFile(path)))] as const),
  )
  return {
    steps,
    created: JSON.parse(readFileSync(join(folder, createdFile), 'utf8')) as CachedChain[],
    indexes: Object.fromEntries(opened) as Record<IndexPath, IndexFile>,
    close: async () => {
      await Promise.all(opened.map(([, file]) => file.close()))
    },
  }
}

function folderName({ seed, legacy = false, issued = [] }: NetworkSettings, steps: number): string {
  const branch = issued.length === 0 ? '' : `-${hash('sha256', JSON.stringify(issued), 'hex').slice(0, branchLetters)}`
  return `seed${seed}-v${generatorVersion}${legacy ? '-legacy' : ''}${branch}-${steps}`
}

/** Length of the hash in the folder name that identifies the issued transactions: they make a network differ from others of its seed. */
const branchLetters = 16

/** The number of steps of the shortest cached network that is long enough. */
function findCached(cacheDir: string, settings: NetworkSettings, steps: number): number | null {
  const pattern = new RegExp(`^${folderName(settings, 0).replace(/-0$/, '-(\\d+)')}$`)
  const lengths = listFolder(cacheDir).flatMap((name) => {
    const match = pattern.exec(name)
    return match === null || Number(match[1]) < steps ? [] : [Number(match[1])]
  })
  return lengths.length === 0 ? null : Math.min(...lengths)
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // The write of the network reports what is wrong with the folder.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Reports the progress of the generation, in P-Chain containers. */
export type Progress = (progress: { readonly containers: number; readonly of: number }) => void

const progressEvery = 1_000
/** After this many steps, the event loop can run other work. */
const breatheEvery = 64

/**
 * Generates a network into a folder. The folder gets its name only when the network is complete. Throws `CacheError` if it cannot be
 * written.
 */
async function writeNetwork(
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
