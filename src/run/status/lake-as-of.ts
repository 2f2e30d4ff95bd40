import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tables } from '../../../schemas/index.ts'
import { type Catalog, type LakeAsOf, openCatalog } from '../../catalog/catalog.ts'
import type { Moment } from '../../catalog/files/as-of.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { shownIn } from '../../declared/lake-tables.ts'
import { ConfigError, VerifyError } from '../../errors.ts'
import { givenTimeNs } from '../../lib/text/time.ts'
import { writeViewsFile } from '../../views/publish.ts'

/** The id of a snapshot, or a time as `givenTimeNs` reads it. Throws ConfigError. */
export function parseMoment(text: string): Moment {
  if (/^\d{1,15}$/.test(text)) return { snapshotId: Number(text) }
  const ns = givenTimeNs(text)
  if (ns !== null) return { time: new Date(Number(ns / 1_000_000n)) }
  throw new ConfigError(`--as-of must be a snapshot or a time, not ${JSON.stringify(text)}.`, {
    code: 'config.as-of',
    hint: 'Use a snapshot number (chainlake status shows the current one), 2026-11-21 or 2026-11-21T10:35. A time without a zone is UTC.',
  })
}

/**
 * The files and declarations of a lake at a moment. All files still exist.
 *
 * @throws ConfigError `as-of.snapshot`; VerifyError `as-of.files` when one of them is gone.
 */
export async function lakeAsOf(lake: LakeLocation, moment: Moment): Promise<LakeAsOf> {
  return wholeLakeAsOf(lake, await openCatalog(lake, tables), moment)
}

async function wholeLakeAsOf(lake: LakeLocation, catalog: Catalog, moment: Moment): Promise<LakeAsOf> {
  const found = await catalog.asOf(moment)
  const { snapshot } = found.files
  const files = found.files.tables.flatMap((table) => table.files)
  const sizes = await catalog.store.sizes(files.map(({ path }) => path))
  const gone = files.filter((_, position) => (sizes[position] ?? null) === null)
  if (gone.length === 0) return found
  throw new VerifyError(
    `The lake cannot be shown as of snapshot ${snapshot.snapshotId}: some of its files are missing.`,
    {
      code: 'as-of.files',
      details: { lake: lake.folder, files: files.length, gone: gone.length, first: gone[0]?.path },
      hint: 'The files were removed. Choose a later snapshot; chainlake verify checks whether the current one is complete.',
    },
  )
}

/** Calls `use` with a temporary file of views that show the lake at a moment, and removes the file afterwards. */
export async function withLakeAsOf<T>(
  lake: LakeLocation,
  moment: Moment,
  use: (viewsFile: string) => Promise<T>,
): Promise<T> {
  const catalog = await openCatalog(lake, tables)
  const past = await wholeLakeAsOf(lake, catalog, moment)
  const folder = await mkdtemp(join(tmpdir(), 'chainlake-as-of-'))
  try {
    const file = join(folder, 'lake.duckdb')
    const { files, tables, views } = past
    await writeViewsFile(file, { lakeDir: lake.folder, store: catalog.store, files, ...shownIn(tables, views) })
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
