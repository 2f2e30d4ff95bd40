import { readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { LakeLocation } from '../../catalog/place.ts'
import { type Avro, loadAvro } from '../../iceberg/manifest.ts'
import { type Draft, draftTable, fileUri, icebergFolder, lakeUri, metadataName } from '../../iceberg/table.ts'
import { replaceFile } from '../../lib/files.ts'
import type { LakeSnapshot } from '../../model.ts'
import { chooseTables, type Publishing, type TablesTarget } from './publication.ts'

const chosenErrors = { table: { code: 'iceberg.table' }, view: { code: 'iceberg.view' } }

type IcebergOptions = {
  /** Where readers find the lake. Null: the location of the last publication, or the folder of the lake. */
  readonly location?: string | null
  /** Names of the tables; null: all tables of the lake. */
  readonly tables?: readonly string[] | null
  readonly now?: () => Date
}

/** The content of `iceberg/publication.json`: the metadata versions that show one state of the lake. */
type IcebergPublication = {
  readonly schema: 'chainlake.iceberg.v1'
  readonly lakeId: string
  readonly snapshotId: number
  readonly publishedAt: string
  /** Where readers find the lake. */
  readonly location: string
  /** Whether the user set the location. Otherwise it is the folder of the lake, and follows it when it is moved. */
  readonly locationGiven: boolean
  readonly tables: readonly PublishedTable[]
}

type PublishedTable = {
  readonly table: string
  /** Relative to the lake. */
  readonly metadata: string
  readonly version: number
  /** Snapshot of the Iceberg table; null without files. */
  readonly icebergSnapshotId: number | null
  /** The snapshot of the lake that last changed its files. */
  readonly snapshotId: number | null
  readonly rows: number
  readonly files: number
  readonly bytes: number
}

export type IcebergSummary = IcebergPublication & {
  readonly runId: string
  /** Tables that this publication has changed. */
  readonly changed: readonly {
    readonly table: string
    readonly addedFiles: number
    readonly removedFiles: number
  }[]
  /** Tables that this publication has read and found unchanged. */
  readonly unchanged: readonly string[]
}

const publicationName = 'publication.json'

/**
 * Tables of the lake as Apache Iceberg: metadata next to the Parquet files, which do not change. First all new metadata is written, invisible
 * to readers; then the tables are switched one by one; then `publication.json` records which versions belong together. The next publication
 * completes or removes what a crashed one has left. A stop between two tables changes nothing.
 *
 * @throws ConfigError `package.missing`. Publishing throws ConfigError `iceberg.table`, `iceberg.view`, `iceberg.location`; SchemaError for
 * what Iceberg cannot express; CatalogError for metadata of others.
 */
export function icebergTarget(lake: LakeLocation, options: IcebergOptions = {}): TablesTarget<IcebergSummary> {
  const avro = loadAvro()
  return {
    lake,
    command: 'publish iceberg',
    failure: {
      message: 'The Iceberg metadata could not be written.',
      code: 'storage.iceberg',
      folder: resolve(lake.folder),
      hint: 'The previous publication is intact. Check the free space and the permissions of the folder iceberg in the lake, then publish again.',
    },
    open: (publishing) => openTables(publishing, options, avro),
  }
}

export async function readPublication(lakeDir: string): Promise<IcebergPublication | null> {
  const text = await readFile(join(resolve(lakeDir), icebergFolder, publicationName), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
      throw error
    },
  )
  try {
    return text === null ? null : (JSON.parse(text) as IcebergPublication)
  } catch {
    // The file is replaced in one step, so somebody has edited it. The next publication rewrites it.
    return null
  }
}

async function openTables(
  { lakeDir, catalog, owner, stop }: Publishing,
  { tables = null, now = () => new Date(), ...options }: IcebergOptions,
  avro: Avro,
): ReturnType<TablesTarget<IcebergSummary>['open']> {
  const before = await readPublication(lakeDir)
  const location = options.location ?? (before?.locationGiven === true ? before.location : lakeUri(lakeDir))
  const dataLocation = catalog.store.remote?.url ?? location
  const known = new Set((await catalog.snapshots()).map(stateText))
  const { snapshot, chosen } = await chooseTables(catalog, tables, chosenErrors)
  const at = now()
  const drafts: Draft[] = []
  return {
    drafts: (async function* () {
      for (const { table, files } of chosen) {
        stop.throwIfAborted()
        const draft = await draftTable({
          avro,
          table,
          files,
          folder: { path: join(lakeDir, icebergFolder, table.name, 'metadata'), table: table.name },
          location,
          dataLocation,
          lake: snapshot,
          has: (earlier) => known.has(stateText(earlier)),
          statsOf: (ids) => catalog.fileStats(ids),
          nowMs: at.getTime(),
        })
        drafts.push(draft)
        yield draft
      }
    })(),
    finish: async () => {
      const publication: IcebergPublication = {
        schema: 'chainlake.iceberg.v1',
        lakeId: snapshot.lakeId,
        snapshotId: snapshot.snapshotId,
        publishedAt: at.toISOString(),
        location,
        locationGiven: location !== fileUri(lakeDir),
        tables: [...othersOf(before, location, drafts), ...drafts.map(publishedTable)],
      }
      if (drafts.length > 0) await writePublication(join(lakeDir, icebergFolder), publication)
      for (const draft of drafts) await draft.clean()
      return {
        ...publication,
        changed: drafts.flatMap(({ table, change }) =>
          change === null ? [] : [{ table, addedFiles: change.added.files, removedFiles: change.removed.files }],
        ),
        unchanged: drafts.flatMap(({ table, change }) => (change === null ? [table] : [])),
        runId: owner,
      }
    },
  }
}

/** Only one process publishes a lake as Iceberg at a time, so all drafts are of dead ones. */
async function writePublication(folder: string, publication: IcebergPublication): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(`.${publicationName}.`)) await rm(join(folder, name), { force: true })
  await replaceFile(join(folder, publicationName), `${JSON.stringify(publication, null, 1)}\n`)
}

/** Tables that this publication does not change. */
function othersOf(before: IcebergPublication | null, location: string, drafts: readonly Draft[]): PublishedTable[] {
  if (before === null || before.location !== location) return []
  return before.tables.filter(({ table }) => drafts.every((draft) => draft.table !== table))
}

function publishedTable({ table, version, snapshotId, lakeSnapshotId, total }: Draft): PublishedTable {
  return {
    table,
    metadata: `${icebergFolder}/${table}/metadata/${metadataName(version)}`,
    version,
    icebergSnapshotId: snapshotId,
    snapshotId: lakeSnapshotId,
    ...total,
  }
}

function stateText({ lakeId, snapshotId, runId }: LakeSnapshot): string {
  return JSON.stringify([lakeId, snapshotId, runId])
}
