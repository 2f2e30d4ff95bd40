import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { tables } from '../../schemas/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/catalog.ts'

/** Sources and hashes of the visible files, in commit order. */
export async function fileFacts(catalog: Catalog) {
  const { tables } = await catalog.inventory()
  return tables
    .flatMap(({ name: table, files }) =>
      files.map(({ id, path, sha256, sources }) => ({ id, table, path, sha256, sources })),
    )
    .sort((a, b) => a.id - b.id)
    .map(({ id: _, ...facts }) => facts)
}

/** Paths of files that are not visible: those of earlier snapshots, files that wait for removal, and staged files. */
export async function hiddenFiles(catalog: Catalog): Promise<string[]> {
  return (await catalog.inventory()).hidden.map(({ path }) => path)
}

/** The content of a lake without its run ids. It is equal for all ways to reach this state. */
export async function lakeState(lake: string) {
  const catalog = await openCatalog({ folder: lake }, tables)
  const files = await catalog.files()
  const named = files.tables.flatMap((table) => table.files.map((file) => file.path))
  const status = await catalog.status()
  const sources = new Map((await fileFacts(catalog)).map((facts) => [facts.path, facts.sources]))
  return {
    files: files.tables.map((table) => ({
      name: table.name,
      // Omits the run id and the part number from the path, because they depend on the run that wrote the file.
      files: table.files
        .map((file) => [file.path.replace(/-[0-9A-Za-z]+-\d+\./, '.'), file.rows, sources.get(file.path)])
        .sort(),
    })),
    streams: status.streams.map(({ stream, tables: own, stretches, observations }) => ({
      stream,
      tables: own,
      ...(stretches === null ? {} : { stretches }),
      ...(observations === null
        ? {}
        : { observations: observations.complete, isOpen: observations.openSince !== null }),
    })),
    stray: [
      ...symmetricDifference(
        new Set([...named, ...(await hiddenFiles(catalog))]),
        new Set(await filesBelow(join(lake, 'data'), lake)),
      ),
    ],
    leftovers: [
      ...(await readdir(lake)).filter((name) => name.startsWith('.') || name.endsWith('.wal')),
      ...(existsSync(join(lake, 'locks')) ? await readdir(join(lake, 'locks')) : []),
    ],
  }
}

function symmetricDifference(a: Set<string>, b: Set<string>): Set<string> {
  return new Set([...[...a].filter((value) => !b.has(value)), ...[...b].filter((value) => !a.has(value))])
}

async function filesBelow(folder: string, lake: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(lake, join(entry.parentPath, entry.name)))
}
