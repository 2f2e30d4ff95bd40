import { hash, randomBytes, randomUUID } from 'node:crypto'
import { CatalogError } from '../errors.ts'
import { reachStep } from '../lib/step.ts'
import type { FileColumnStats, LakeSnapshot } from '../model.ts'
import type { Avro } from './avro.ts'
import { manifestListSchema } from './avro-schemas.ts'
import { keptVersions, removeUnnamed } from './cleaning.ts'
import type { LakeTable } from './lake-table.ts'
import { icebergFolder } from './location.ts'
import type { ManifestFile } from './manifest.ts'
import { currentSnapshot, type IcebergSnapshot, summaryKeys, type TableMetadata, withSchema } from './metadata.ts'
import { type Counted, countFiles, writeNextManifests } from './next-manifests.ts'
import { nextMetadata } from './next-metadata.ts'
import { type PartitionSpec, partitionSpec } from './partition-spec.ts'
import { type IcebergSchema, schemaFields } from './schema.ts'
import { snapshotSummary } from './summary.ts'
import {
  beginDraft,
  hint,
  metadataName,
  readCurrent,
  readNamed,
  revealDraft,
  type TableFolder,
  type Version,
  writeDraft,
  writeUnnamed,
} from './table-folder.ts'

type TableToPublish = {
  readonly avro: Avro
  readonly table: LakeTable
  readonly folder: TableFolder
  /** The URI at which readers find the lake. */
  readonly location: string
  /** The URI at which they find its data files: in the lake, or in its bucket. */
  readonly dataLocation: string
  /** The snapshot of the catalog to publish. */
  readonly lake: LakeSnapshot
  /** Whether the catalog still has an earlier snapshot, and so all of its files. */
  readonly has: (snapshot: LakeSnapshot) => boolean
  readonly statsOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, readonly FileColumnStats[]>>
  readonly nowMs: number
}

/** The next version of a published table. Readers do not see it until `reveal`. */
export type Draft = {
  readonly table: string
  readonly version: number
  /** The changes; null if the table is already published as it is. */
  readonly change: { readonly added: Counted; readonly removed: Counted } | null
  readonly snapshotId: number | null
  /** The snapshot of the catalog since which the files are the same. */
  readonly lakeSnapshotId: number | null
  readonly total: Counted
  readonly reveal: () => Promise<void>
  /** Removes the files that readers have not seen for a while. Returns the number of removed files. */
  readonly clean: () => Promise<number>
}

/** Published tables keep at most this many snapshots. */
const mostSnapshots = 50

/**
 * Writes the files that a table needs to show the data files of the catalog: manifests, their list, and metadata that are not visible yet.
 *
 * @throws SchemaError for a type or a partitioning that Iceberg does not have; CatalogError for metadata that chainlake has not written.
 */
export async function draftTable(options: TableToPublish): Promise<Draft> {
  const { table, folder, location, lake, nowMs } = options
  const fields = schemaFields(table)
  const spec = partitionSpec(table)
  const current = await readCurrent(folder)
  refuseForeign(folder, current, lake)
  const home = `${location}/${icebergFolder}/${table.name}`
  // Paths are absolute: metadata with another location or other partitions cannot be extended.
  const isBase = current !== null && current.metadata.location === home && hasSpec(current.metadata, spec)
  const base = isBase ? current.metadata : null
  const { schemas, current: schema } = withSchema(current?.metadata.schemas ?? [], fields)
  const files = digestOf(table)
  const shown = base === null ? undefined : currentSnapshot(base)
  const isSame = shown === undefined ? table.files.length === 0 : shown.summary[summaryKeys.files] === files
  const kept = keptSnapshots(base, isSame ? shown : undefined, options.has)
  const properties = propertiesOf(table, lake)
  const total = countFiles(table.files)
  const facts = { table: table.name, total }
  if (base !== null && isSame && kept.length === base.snapshots.length && isCurrent(base, schema, properties)) {
    const { version } = current as Version
    return {
      ...facts,
      version,
      change: null,
      ...ids(shown),
      reveal: () => hint(folder, version),
      clean: async () => 0,
    }
  }
  const version = (current?.version ?? 0) + 1
  const wasLeft = await beginDraft(folder)
  reachStep('iceberg.after-begin')
  const next = isSame
    ? {
        snapshot: shown,
        added: nothing,
        removed: nothing,
        sequenceNumber: current?.metadata['last-sequence-number'] ?? 0,
      }
    : await nextSnapshot(options, { base, before: current?.metadata ?? null, shown, schema, spec, files, home, total })
  const { snapshot } = next
  const snapshots = snapshot === undefined || snapshot === shown ? kept : [...kept, snapshot]
  const versions = current === null ? new Set<number>() : await keptVersions(folder, current.version, nowMs)
  const { sequenceNumber } = next
  const state = { home, schemas, schema, spec, properties, snapshot, snapshots, sequenceNumber, nowMs, versions }
  await writeDraft(folder, nextMetadata(state, current))
  return {
    ...facts,
    version,
    change: { added: next.added, removed: next.removed },
    ...ids(snapshot),
    reveal: () => revealDraft(folder, version),
    clean: () => removeUnnamed(folder, options.avro, { version, nowMs, wasLeft }),
  }
}

const nothing: Counted = { files: 0, rows: 0, bytes: 0 }

function ids(snapshot: IcebergSnapshot | undefined): Pick<Draft, 'snapshotId' | 'lakeSnapshotId'> {
  return {
    snapshotId: snapshot?.['snapshot-id'] ?? null,
    lakeSnapshotId: snapshot === undefined ? null : Number(snapshot.summary[summaryKeys.snapshot]),
  }
}

/** Creates a new snapshot and writes its manifests. */
async function nextSnapshot(
  { avro, table, folder, dataLocation, lake, statsOf, nowMs }: TableToPublish,
  {
    base,
    before,
    shown,
    schema,
    spec,
    files,
    home,
    total,
  }: {
    base: TableMetadata | null
    before: TableMetadata | null
    shown: IcebergSnapshot | undefined
    schema: IcebergSchema
    spec: PartitionSpec
    files: string
    home: string
    total: Counted
  },
) {
  const id = newSnapshotId(before)
  const sequenceNumber = (before?.['last-sequence-number'] ?? 0) + 1
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    await writeUnnamed(folder, name, bytes)
    return `${home}/metadata/${name}`
  }
  const read = (uri: string) => readNamed(folder, uri)
  const earlier = shown === undefined ? [] : await avro.read(await read(shown['manifest-list']))
  const { manifests, added, removed } = await writeNextManifests(earlier as ManifestFile[], {
    avro,
    table,
    schema,
    spec,
    snapshot: { id, sequenceNumber },
    uriOf: (path) => `${dataLocation}/${path}`,
    statsOf,
    read,
    write,
  })
  const parent = shown?.['snapshot-id']
  const metadata = {
    'snapshot-id': String(id),
    'parent-snapshot-id': parent === undefined ? 'null' : String(parent),
    'sequence-number': String(sequenceNumber),
    'format-version': '2',
  }
  const list = await write(
    `snap-${id}-1-${randomUUID()}.avro`,
    await avro.write(manifestListSchema, metadata, manifests),
  )
  reachStep('iceberg.after-manifests')
  const snapshot: IcebergSnapshot = {
    'snapshot-id': id,
    ...(parent === undefined ? {} : { 'parent-snapshot-id': parent }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': Math.max(nowMs, (base?.['last-updated-ms'] ?? 0) + 1),
    'manifest-list': list,
    summary: snapshotSummary({ added, removed, total }, lake, files),
    'schema-id': schema['schema-id'],
  }
  return { snapshot, added, removed, sequenceNumber }
}

/** A random number of 52 bits that no snapshot of the table has. JSON and the Avro writer keep it exact. */
function newSnapshotId(before: TableMetadata | null): number {
  const id = Number(randomBytes(8).readBigUInt64BE() >> 12n)
  return id === 0 || before?.snapshots.some((each) => each['snapshot-id'] === id) ? newSnapshotId(before) : id
}

/** The snapshots that have all their files: those that the catalog still has, and the one that shows the current files. */
function keptSnapshots(
  base: TableMetadata | null,
  same: IcebergSnapshot | undefined,
  has: (snapshot: LakeSnapshot) => boolean,
): IcebergSnapshot[] {
  const kept = base?.snapshots.filter((snapshot) => snapshot === same || has(lakeSnapshotOf(snapshot))) ?? []
  return kept.slice(same === undefined ? 1 - mostSnapshots : -mostSnapshots)
}

function lakeSnapshotOf({ summary }: IcebergSnapshot): LakeSnapshot {
  return {
    lakeId: summary[summaryKeys.lake] ?? '',
    snapshotId: Number(summary[summaryKeys.snapshot]),
    runId: summary[summaryKeys.run] ?? null,
  }
}

/** Distinguishes the files of a table from any other list of files: no file ever gets the name of another. */
function digestOf({ files }: LakeTable): string {
  return hash('sha256', files.map(({ path }) => `${path}\n`).join(''))
}

function hasSpec(metadata: TableMetadata, spec: PartitionSpec): boolean {
  return JSON.stringify(metadata['partition-specs'][0].fields) === JSON.stringify(spec.fields)
}

function isCurrent(base: TableMetadata, schema: IcebergSchema, properties: TableMetadata['properties']): boolean {
  return (
    base['current-schema-id'] === schema['schema-id'] && JSON.stringify(base.properties) === JSON.stringify(properties)
  )
}

/** Data files belong to the lake. `gc.enabled` keeps engines from removing files that only earlier snapshots name. */
function propertiesOf({ comment }: LakeTable, { lakeId }: LakeSnapshot): TableMetadata['properties'] {
  return { ...(comment === null ? {} : { comment }), 'gc.enabled': 'false', [summaryKeys.lake]: lakeId }
}

function refuseForeign(folder: TableFolder, current: Version | null, { lakeId }: LakeSnapshot): void {
  if (current === null) return
  const { metadata, version } = current
  const snapshot = currentSnapshot(metadata)
  const isOwn =
    metadata.properties?.[summaryKeys.lake] === lakeId &&
    (snapshot === undefined || snapshot.summary[summaryKeys.files] !== undefined)
  if (isOwn) return
  throw new CatalogError(`The Iceberg metadata of ${folder.table} were not written by chainlake for this lake.`, {
    code: 'iceberg.foreign',
    details: { folder: folder.path, file: metadataName(version) },
    hint: 'Another program or another lake has written here, but published tables are only for reading. Remove the folder and publish again; the data files are elsewhere and stay.',
  })
}
