import { randomUUID } from 'node:crypto'
import type { CatalogFile, FileColumnStats } from '../model.ts'
import type { Avro } from './avro.ts'
import { manifestEntrySchema } from './avro-schemas.ts'
import type { LakeTable } from './lake-table.ts'
import {
  comparePartitionValues,
  type PartitionSpec,
  type PartitionValue,
  partitionBytes,
  partitionTuple,
} from './partition-spec.ts'
import { type IcebergSchema, idsWithinLists, primitiveType } from './schema.ts'
import { singleValue } from './single-value.ts'

/** The status of a file in a manifest: the snapshot of the manifest kept it, added it or removed it. */
export const entryStatus = { existing: 0, added: 1, deleted: 2 } as const

type Pair<V> = { readonly key: number; readonly value: V }

/** A data file in a manifest. It states its sequence numbers instead of inheriting them, so that every reader has them. */
export type ManifestEntry = {
  readonly status: number
  readonly snapshot_id: number
  readonly sequence_number: number
  readonly file_sequence_number: number
  readonly data_file: {
    readonly content: 0
    readonly file_path: string
    readonly file_format: 'PARQUET'
    readonly partition: { readonly [name: string]: PartitionValue }
    readonly record_count: number
    readonly file_size_in_bytes: number
    readonly column_sizes: readonly Pair<number>[] | null
    readonly value_counts: readonly Pair<number>[] | null
    readonly null_value_counts: readonly Pair<number>[] | null
    readonly lower_bounds: readonly Pair<Buffer>[] | null
    readonly upper_bounds: readonly Pair<Buffer>[] | null
  }
}

/** A manifest in the manifest list of a snapshot. */
export type ManifestFile = {
  readonly manifest_path: string
  readonly manifest_length: number
  readonly partition_spec_id: 0
  readonly content: 0
  readonly sequence_number: number
  readonly min_sequence_number: number
  readonly added_snapshot_id: number
  readonly added_files_count: number
  readonly existing_files_count: number
  readonly deleted_files_count: number
  readonly added_rows_count: number
  readonly existing_rows_count: number
  readonly deleted_rows_count: number
  readonly partitions: readonly PartitionSummary[]
}

type PartitionSummary = {
  readonly contains_null: boolean
  readonly contains_nan: boolean
  readonly lower_bound: Buffer | null
  readonly upper_bound: Buffer | null
}

/** The snapshot that manifests are written for. */
export type NewSnapshot = { readonly id: number; readonly sequenceNumber: number }

/** The entry of a file that a snapshot adds, with the catalog's statistics of its columns. */
export function addedEntry(
  table: LakeTable,
  spec: PartitionSpec,
  snapshot: NewSnapshot,
  uri: string,
  file: CatalogFile,
  stats: readonly FileColumnStats[],
): ManifestEntry {
  const types = new Map(table.columns.map(({ id, type }) => [id, primitiveType(type)]))
  // No reader queries dropped columns, and a value in a list is not a value of its row.
  const known = stats.filter(({ columnId }) => types.has(columnId))
  const within = idsWithinLists(table.columns)
  const ofRows = known.filter(({ columnId }) => !within.has(columnId))
  const bounds = (of: 'min' | 'max') =>
    ofRows.flatMap(({ columnId, [of]: text }) => {
      const value = text === null ? null : singleValue(types.get(columnId) ?? '', text)
      return value === null ? [] : [{ key: columnId, value }]
    })
  const tuple = partitionTuple(spec, file.partition, file.path)
  return {
    status: entryStatus.added,
    snapshot_id: snapshot.id,
    sequence_number: snapshot.sequenceNumber,
    file_sequence_number: snapshot.sequenceNumber,
    data_file: {
      content: 0,
      file_path: uri,
      file_format: 'PARQUET',
      partition: Object.fromEntries(spec.fields.map(({ name }, position) => [name, tuple[position] ?? null])),
      record_count: file.rows,
      file_size_in_bytes: file.bytes,
      column_sizes: known.map(({ columnId, bytes }) => ({ key: columnId, value: bytes })),
      // Including nulls, as Iceberg counts.
      value_counts: ofRows.map(({ columnId, values, nulls }) => ({ key: columnId, value: values + nulls })),
      null_value_counts: ofRows.map(({ columnId, nulls }) => ({ key: columnId, value: nulls })),
      lower_bounds: bounds('min'),
      upper_bounds: bounds('max'),
    },
  }
}

/** Encodes entries as a manifest file: its unique name and its bytes. `describe` gives its record for a manifest list. */
export async function writeManifest(
  avro: Avro,
  { schema, spec, snapshot }: { schema: IcebergSchema; spec: PartitionSpec; snapshot: NewSnapshot },
  entries: readonly ManifestEntry[],
): Promise<{ name: string; bytes: Buffer; describe: (path: string) => ManifestFile }> {
  const metadata = {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': JSON.stringify(spec.fields),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  }
  const bytes = await avro.write(manifestEntrySchema(spec), metadata, entries)
  const name = `${randomUUID()}-m0.avro`
  return { name, bytes, describe: (path) => describeManifest(path, bytes.length, spec, snapshot, entries) }
}

function describeManifest(
  path: string,
  length: number,
  spec: PartitionSpec,
  snapshot: NewSnapshot,
  entries: readonly ManifestEntry[],
): ManifestFile {
  const of = (status: number) => entries.filter((entry) => entry.status === status)
  const rows = (some: readonly ManifestEntry[]) => some.reduce((sum, entry) => sum + entry.data_file.record_count, 0)
  const [added, existing, deleted] = [of(entryStatus.added), of(entryStatus.existing), of(entryStatus.deleted)]
  const live = [...added, ...existing]
  return {
    manifest_path: path,
    manifest_length: length,
    partition_spec_id: 0,
    content: 0,
    sequence_number: snapshot.sequenceNumber,
    min_sequence_number: live.reduce((least, entry) => Math.min(least, entry.sequence_number), snapshot.sequenceNumber),
    added_snapshot_id: snapshot.id,
    added_files_count: added.length,
    existing_files_count: existing.length,
    deleted_files_count: deleted.length,
    added_rows_count: rows(added),
    existing_rows_count: rows(existing),
    deleted_rows_count: rows(deleted),
    partitions: spec.fields.map(({ name }, position) =>
      summarize(
        spec.types[position] ?? 'string',
        entries.map((entry) => entry.data_file.partition[name] ?? null),
      ),
    ),
  }
}

function summarize(type: PartitionSpec['types'][number], values: readonly PartitionValue[]): PartitionSummary {
  const known = values.filter((value) => value !== null)
  const extreme = (sign: -1 | 1) =>
    known.reduce<string | number | null>(
      (best, value) => (best === null || sign * comparePartitionValues(value, best) > 0 ? value : best),
      null,
    )
  const bytes = (value: string | number | null) => (value === null ? null : partitionBytes(type, value))
  return {
    contains_null: known.length < values.length,
    contains_nan: false,
    lower_bound: bytes(extreme(-1)),
    upper_bound: bytes(extreme(1)),
  }
}
