import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatorVersion } from '../chain/generator.ts'
import { type ChainFile, openChain } from './read.ts'
import { type Progress, writeChain } from './write.ts'

/** Where generated chains are kept when nobody says it. */
export const defaultCacheDir = join(tmpdir(), 'chainlake-devnet')

/**
 * A chain of a seed with at least `count` containers: out of the cache, where a longer one does as well since it begins the
 * same, or generated into it.
 */
export async function cachedChain(
  folder: string,
  seed: number,
  count: number,
  onProgress: Progress = () => {},
): Promise<ChainFile> {
  const found = findCached(folder, seed, count)
  if (found !== null) return openChain(found)
  const path = join(folder, fileName(seed, count))
  await writeChain(path, seed, count, onProgress)
  return openChain(path)
}

function fileName(seed: number, count: number): string {
  return `p-seed${seed}-v${generatorVersion}-${count}.containers`
}

/** The shortest file that is long enough. */
function findCached(folder: string, seed: number, count: number): string | null {
  const pattern = new RegExp(`^${fileName(seed, 0).replace(/-0\.containers$/, '-(\\d+)\\.containers')}$`)
  const counts = listFolder(folder).flatMap((name) => {
    const match = pattern.exec(name)
    return match === null || Number(match[1]) < count ? [] : [Number(match[1])]
  })
  return counts.length === 0 ? null : join(folder, fileName(seed, Math.min(...counts)))
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Writing the file says what is wrong with the folder.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
