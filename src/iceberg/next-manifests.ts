import type { CatalogFile, FileColumnStats } from '../model.ts'
import type { Avro } from './avro.ts'
import { entryPathSchema } from './avro-schemas.ts'
import type { LakeTable } from './lake-table.ts'
import {
  addedEntry,
  entryStatus,
  type ManifestEntry,
  type ManifestFile,
  type NewSnapshot,
  writeManifest,
} from './manifest.ts'
import type { PartitionSpec } from './partition-spec.ts'
import type { IcebergSchema } from './schema.ts'

type NextManifests = {
  readonly manifests: readonly ManifestFile[]
  readonly added: Counted
  readonly removed: Counted
}

export type Counted = { readonly files: number; readonly rows: number; readonly bytes: number }

type ManifestsToWrite = {
  readonly avro: Avro
  readonly table: LakeTable
  readonly schema: IcebergSchema
  readonly spec: PartitionSpec
  readonly snapshot: NewSnapshot
  /** The URI of a file of the lake. */
  readonly uriOf: (path: string) => string
  readonly statsOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, readonly FileColumnStats[]>>
  /** The bytes of an earlier manifest. */
  readonly read: (uri: string) => Promise<Buffer>
  /** Writes a file; resolves to its URI. */
  readonly write: (name: string, bytes: Buffer) => Promise<string>
}

/** Files per manifest. Readers read a manifest as a whole, and chainlake rewrites it when one of its files is removed. */
const mostEntries = 1_000
/** When this many manifests are less than half full, chainlake merges them. */
const mostSmall = 20

/**
 * Writes the manifests of a snapshot of a table, given those of the previous snapshot. It reuses a manifest unchanged if all files of that
 * manifest stay.
 */
export async function writeNextManifests(
  before: readonly ManifestFile[],
  options: ManifestsToWrite,
): Promise<NextManifests> {
  const { avro, table, snapshot, uriOf, read } = options
  const live = new Set(table.files.map(({ path }) => uriOf(path)))
  const published = new Set<string>()
  const kept: ManifestFile[] = []
  const written: ManifestFile[] = []
  const removed: ManifestEntry[] = []
  for (const manifest of before.filter(hasFiles)) {
    const bytes = await read(manifest.manifest_path)
    const paths = (await avro.read(bytes, entryPathSchema)).flatMap(pathOf)
    for (const path of paths) published.add(path)
    if (paths.every((path) => live.has(path))) {
      kept.push(manifest)
      continue
    }
    const entries = liveEntries(await avro.read(bytes)).map((entry) => carried(entry, live, snapshot))
    removed.push(...entries.filter(({ status }) => status === entryStatus.deleted))
    written.push(...(await writeEntries(entries, options)))
  }
  const small = kept.filter((manifest) => filesOf(manifest) < mostEntries / 2)
  const merged = small.length < mostSmall ? new Set<ManifestFile>() : new Set(small)
  const toMerge: ManifestEntry[] = []
  for (const { manifest_path } of merged)
    toMerge.push(
      ...liveEntries(await avro.read(await read(manifest_path))).map((entry) => carried(entry, live, snapshot)),
    )
  written.push(...(await writeEntries(toMerge, options)))
  const added = inPartitions(table.files.filter(({ path }) => !published.has(uriOf(path))))
  written.push(...(await writeAdded(added, options)))
  return {
    manifests: [...kept.filter((manifest) => !merged.has(manifest)), ...written],
    added: countFiles(added),
    removed: {
      files: removed.length,
      rows: removed.reduce((sum, { data_file }) => sum + data_file.record_count, 0),
      bytes: removed.reduce((sum, { data_file }) => sum + data_file.file_size_in_bytes, 0),
    },
  }
}

export function countFiles(files: readonly CatalogFile[]): Counted {
  return {
    files: files.length,
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** Sorts files by partition, because readers skip whole manifests by their partitions. */
function inPartitions(files: readonly CatalogFile[]): CatalogFile[] {
  const keyed = files.map((file) => ({ file, key: JSON.stringify(file.partition) }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.file.id - b.file.id)).map(({ file }) => file)
}

/** Only the statistics of one manifest are in memory at a time. */
async function writeAdded(files: readonly CatalogFile[], options: ManifestsToWrite): Promise<ManifestFile[]> {
  const { table, spec, snapshot, uriOf, statsOf } = options
  const manifests: ManifestFile[] = []
  for (let from = 0; from < files.length; from += mostEntries) {
    const some = files.slice(from, from + mostEntries)
    const stats = await statsOf(some.map(({ id }) => id))
    const entries = some.map((file) =>
      addedEntry(table, spec, snapshot, uriOf(file.path), file, stats.get(file.id) ?? []),
    )
    manifests.push(...(await writeEntries(entries, options)))
  }
  return manifests
}

async function writeEntries(
  entries: readonly ManifestEntry[],
  { avro, schema, spec, snapshot, write }: ManifestsToWrite,
): Promise<ManifestFile[]> {
  const manifests: ManifestFile[] = []
  for (let from = 0; from < entries.length; from += mostEntries) {
    const some = entries.slice(from, from + mostEntries)
    const { name, bytes, describe } = await writeManifest(avro, { schema, spec, snapshot }, some)
    manifests.push(describe(await write(name, bytes)))
  }
  return manifests
}

/** An earlier entry with its status in the new snapshot. */
function carried(entry: ManifestEntry, live: ReadonlySet<string>, snapshot: NewSnapshot): ManifestEntry {
  return live.has(entry.data_file.file_path)
    ? { ...entry, status: entryStatus.existing }
    : { ...entry, status: entryStatus.deleted, snapshot_id: snapshot.id }
}

function liveEntries(records: readonly unknown[]): ManifestEntry[] {
  return (records as ManifestEntry[]).filter(({ status }) => status !== entryStatus.deleted)
}

function pathOf(record: unknown): string[] {
  const { status, data_file } = record as ManifestEntry
  return status === entryStatus.deleted ? [] : [data_file.file_path]
}

function filesOf(manifest: ManifestFile): number {
  return manifest.added_files_count + manifest.existing_files_count
}

function hasFiles(manifest: ManifestFile): boolean {
  return filesOf(manifest) > 0
}
