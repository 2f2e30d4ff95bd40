import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CachedChain, createdFile, indexFile } from './cache-format.ts'
import { generatorVersion, type IndexPath, indexPaths, type NetworkSettings } from './network.ts'
import { type IndexFile, openIndexFile } from './read-cache.ts'
import { type Progress, writeNetwork } from './write-cache.ts'

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
