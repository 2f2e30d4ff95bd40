import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog, RegisteredRun } from '../../src/catalog/catalog.ts'
import type { Part } from '../../src/model.ts'
import { createLake, endsOf, eventsPart, newLakeDir, stream, tables, writePart } from './lake.ts'

/** Commits ten rows of `events` in a separate file, for a run. */
export async function commitTen(lake: string, catalog: Catalog, run: RegisteredRun, from: number): Promise<Part> {
  const part = writePart(lake, eventsPart(run.id, from, from + 10))
  const slice = { from, to: from + 10 }
  const progress = { kind: 'slice', slice, ends: endsOf(slice.from, slice.to) } as const
  await catalog.commit({ runId: run.id, stream, tables: ['events'], parts: [part], progress, basis: null })
  return part
}

export type CommittedLake = { readonly lake: string; readonly catalog: Catalog; readonly parts: readonly Part[] }

/** A lake without active runs. Its only run has made this many commits of ten rows each. */
export async function committedLake(commits: number): Promise<CommittedLake> {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  return { lake, catalog, parts: await runOver({ lake, catalog }, 0, commits) }
}

/** A separate run that makes this many commits of ten rows each, from `from` on. */
export async function runOver(
  { lake, catalog }: Pick<CommittedLake, 'lake' | 'catalog'>,
  from: number,
  commits: number,
): Promise<Part[]> {
  const run = await catalog.startRun({ streams: [stream], command: 'test', writes: ['events'] })
  const parts: Part[] = []
  for (let each = 0; each < commits; each++) parts.push(await commitTen(lake, catalog, run, from + each * 10))
  await run.end('done')
  return parts
}

/** Overwrites the catalog with invalid bytes. */
export function spoilCatalog(lake: string): void {
  writeFileSync(join(lake, 'catalog.ducklake'), 'nonsense '.repeat(10_000))
}

/** The error of a promise. */
export function failureOf(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )
}
