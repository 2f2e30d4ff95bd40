import { readdir } from 'node:fs/promises'
import type { Inventory } from '../../catalog/catalog.ts'
import { StorageError } from '../../errors.ts'
import { keptCatalogTime } from '../../lib/kept-catalog.ts'
import { countText } from '../../lib/text/count-text.ts'
import { inDataFolder, readDataFileName } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import type { Finding, Remark } from '../lake/finding.ts'

/** The paths of all files under `data/`. List them before the inventory is read, so that the inventory names what is committed in between. */
export async function listDataFiles(store: Store): Promise<string[]> {
  try {
    return (await store.list(inDataFolder(''))).filter((path) => !path.endsWith('/')).sort()
  } catch (cause) {
    throw new StorageError('The folders under data/ of the lake cannot be listed.', {
      code: 'storage.list',
      cause,
      details: { reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'Let the user that runs chainlake read these folders, then verify again.',
    })
  }
}

type Known = {
  readonly store: Store
  readonly inventory: Inventory
  /** When a restore last replaced a catalog and kept the old one, in the format of run ids; null if no old catalog is kept. */
  readonly replaced: string | null
}

/**
 * When a restore last replaced a catalog that it kept in the folder of the lake: the kept catalog may name files of earlier runs. A lake with
 * its catalog in PostgreSQL and its files in S3 has no folder on a machine that has only read it.
 */
export async function lastReplaced(lakeDir: string): Promise<string | null> {
  const names = await readdir(lakeDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return (
    names
      .flatMap((name) => keptCatalogTime(name) ?? [])
      .sort()
      .at(-1) ?? null
  )
}

/** Checks that no file under `data/` is of unknown origin, and that the files of older snapshots and staged parts exist. */
export async function verifyNamed(
  paths: readonly string[],
  { store, inventory, replaced }: Known,
): Promise<{ findings: readonly Finding[]; remarks: readonly Remark[] }> {
  const named = new Set([
    ...inventory.tables.flatMap(({ files }) => files.map(({ path }) => path)),
    ...inventory.hidden.map(({ path }) => path),
  ])
  const findings: Finding[] = []
  const kept: string[] = []
  const left: string[] = []
  /** A catalog that was replaced may name files of runs that the current catalog does not know. */
  const isBeforeRestore = (runId: string) => !inventory.over.has(runId) && replaced !== null && runId < replaced
  for (const path of paths) {
    if (named.has(path)) continue
    const runId = readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId ?? null
    if (runId !== null && (inventory.writing.has(runId) || isBeforeRestore(runId))) kept.push(path)
    else if (runId !== null && inventory.over.has(runId)) left.push(path)
    else
      findings.push({
        kind: 'file.unknown',
        message: 'A file of unknown origin is under data/: neither the catalog nor any run knows it.',
        file: path,
      })
  }
  return { findings, remarks: [...remarksOf(kept, left), ...(await goneRemarks(store, inventory))] }
}

function remarksOf(kept: readonly string[], left: readonly string[]): Remark[] {
  const said: Remark[] = []
  if (kept.length > 0)
    said.push({
      message: `${countOf(kept.length, 'file')} of active runs, or of a catalog that a restore replaced, ${isAre(kept.length)} not in the catalog, such as ${kept[0]}.`,
    })
  if (left.length > 0)
    said.push({
      message: `${countOf(left.length, 'file')} of finished runs ${isAre(left.length)} not in the catalog, such as ${left[0]}. The next run removes ${left.length === 1 ? 'it' : 'them'}.`,
    })
  return said
}

async function goneRemarks(store: Store, { hidden }: Inventory): Promise<Remark[]> {
  const sizes = await store.sizes(hidden.map(({ path }) => path))
  const gone = hidden.filter(({ bytes }, position) => bytes !== null && sizes[position] !== bytes)
  if (gone.length === 0) return []
  return [
    {
      message: `${countOf(gone.length, 'file')} of older snapshots or incomplete observations ${isAre(gone.length)} missing or ${gone.length === 1 ? 'has' : 'have'} another size, such as ${gone[0]?.path}. No view shows ${gone.length === 1 ? 'it' : 'them'}.`,
    },
  ]
}

function countOf(count: number, what: string): string {
  return `${countText(count)} ${what}${count === 1 ? '' : 's'}`
}

function isAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
