import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Field } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { chunksOf } from '../lib/arrays.ts'
import type { CatalogFile, LeafStats } from '../model.ts'
import {
  comparePartitionValues,
  type IcebergSchema,
  leafTypes,
  type PartitionSpec,
  partitionOf,
  singleValue,
} from './schema.ts'

/** The Avro schemas of Iceberg's manifests, version 2, with the field ids of the specification ("Manifests", "Manifest Lists"). */

const field = (name: string, id: number, type: AvroSchema) => ({ name, type, 'field-id': id })
const optional = (name: string, id: number, type: AvroSchema) => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
})
const record = (name: string, fields: readonly AvroSchema[]) => ({ type: 'record', name, fields })

/** Avro writes a map with keys other than text as an array of pairs. */
function mapOf(keyId: number, valueId: number, value: AvroSchema): AvroSchema {
  return {
    type: 'array',
    items: record(`k${keyId}_v${valueId}`, [field('key', keyId, 'int'), field('value', valueId, value)]),
    logicalType: 'map',
  }
}

/** The schema of the entries of a manifest. Their partitions have the fields of the spec. */
function manifestEntrySchema(spec: PartitionSpec): AvroSchema {
  const partition = spec.map(({ kind, field }) => optional(field.name, field['field-id'], kind.avro as AvroSchema))
  return record('manifest_entry', [
    field('status', 0, 'int'),
    optional('snapshot_id', 1, 'long'),
    optional('sequence_number', 3, 'long'),
    optional('file_sequence_number', 4, 'long'),
    field(
      'data_file',
      2,
      record('r2', [
        field('content', 134, 'int'),
        field('file_path', 100, 'string'),
        field('file_format', 101, 'string'),
        field('partition', 102, record('r102', partition)),
        field('record_count', 103, 'long'),
        field('file_size_in_bytes', 104, 'long'),
        optional('column_sizes', 108, mapOf(117, 118, 'long')),
        optional('value_counts', 109, mapOf(119, 120, 'long')),
        optional('null_value_counts', 110, mapOf(121, 122, 'long')),
        optional('lower_bounds', 125, mapOf(126, 127, 'bytes')),
        optional('upper_bounds', 128, mapOf(129, 130, 'bytes')),
      ]),
    ),
  ])
}

/** The part of an entry that names its file. With this schema the reader does not decode the rest. */
const entryPathSchema: AvroSchema = record('manifest_entry', [
  field('status', 0, 'int'),
  field('data_file', 2, record('r2', [field('file_path', 100, 'string')])),
])

export const manifestListSchema: AvroSchema = record('manifest_file', [
  field('manifest_path', 500, 'string'),
  field('manifest_length', 501, 'long'),
  field('partition_spec_id', 502, 'int'),
  field('content', 517, 'int'),
  field('sequence_number', 515, 'long'),
  field('min_sequence_number', 516, 'long'),
  field('added_snapshot_id', 503, 'long'),
  field('added_files_count', 504, 'int'),
  field('existing_files_count', 505, 'int'),
  field('deleted_files_count', 506, 'int'),
  field('added_rows_count', 512, 'long'),
  field('existing_rows_count', 513, 'long'),
  field('deleted_rows_count', 514, 'long'),
  optional('partitions', 507, {
    type: 'array',
    items: record('r508', [
      field('contains_null', 509, 'boolean'),
      optional('contains_nan', 518, 'boolean'),
      optional('lower_bound', 510, 'bytes'),
      optional('upper_bound', 511, 'bytes'),
    ]),
    'element-id': 508,
  }),
])

/** The part of the package `avsc` that this module uses. */
type Avsc = {
  readonly streams: {
    readonly BlockEncoder: new (
      schema: AvroSchema,
      options: { codec: string; metadata: Record<string, Buffer>; blockSize: number },
    ) => Duplex
    readonly BlockDecoder: new (options: { readerSchema?: AvroSchema }) => Duplex
  }
}

type AvroSchema = string | readonly AvroSchema[] | { readonly [attribute: string]: unknown }
type AvroRecord = { readonly [field: string]: unknown }

/** Bytes per block. The records of a block are compressed together. */
const blockBytes = 256 * 1024

/** Writes and reads Avro's object container files. */
export type Avro = ReturnType<typeof loadAvro>

/** @throws ConfigError `package.missing` where the optional package is not installed. */
export function loadAvro(module = 'avsc') {
  const { BlockEncoder, BlockDecoder } = required(module).streams
  return {
    /**
     * Writes a file of records, with texts in its metadata. Attributes of the schema that Avro does not know, such as `field-id`, stay in it.
     */
    write: async (
      schema: AvroSchema,
      metadata: Readonly<Record<string, string>>,
      records: readonly AvroRecord[],
    ): Promise<Buffer> => {
      const texts = Object.entries(metadata).map(([key, text]) => [key, Buffer.from(text)])
      const options = { codec: 'deflate', metadata: Object.fromEntries(texts), blockSize: blockBytes }
      return Buffer.concat(await passed<Buffer>(new BlockEncoder(schema, options), records))
    },
    /** Reads the records of a file; with a schema, only the fields of that schema. */
    read: (file: Buffer, schema?: AvroSchema): Promise<AvroRecord[]> =>
      passed<AvroRecord>(new BlockDecoder(schema === undefined ? {} : { readerSchema: schema }), [file]),
  }
}

function required(module: string): Avsc {
  try {
    return createRequire(import.meta.url)(module)
  } catch (cause) {
    throw new ConfigError('Publishing as Iceberg needs a package that is not installed.', {
      code: 'package.missing',
      details: { package: module, cause: cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : '' },
      hint: 'Install it in the folder of chainlake: npm install avsc@5.7.9. Nothing was published.',
      cause,
    })
  }
}

/** Writes all of `input` to a stream, and returns everything that the stream gives. */
async function passed<T>(stream: Duplex, input: readonly unknown[]): Promise<T[]> {
  const output: T[] = []
  await pipeline(Readable.from(input), stream, async (all: AsyncIterable<T>) => {
    for await (const each of all) output.push(each)
  })
  return output
}

/** The status of a file in a manifest: the snapshot of the manifest kept it, added it or removed it. */
const entryStatus = { existing: 0, added: 1, deleted: 2 } as const

/** A data file in a manifest. */
type ManifestEntry = ReturnType<typeof addedEntry>

/** A manifest in the manifest list of a snapshot. */
type ManifestFile = ReturnType<typeof describeManifest>

/** The snapshot that manifests are written for. */
type NewSnapshot = { readonly id: number; readonly sequenceNumber: number }

/**
 * The entry of a file that a snapshot adds, with the catalog's statistics of its columns. It states its sequence numbers instead of inheriting
 * them, so that every reader has them.
 */
function addedEntry(
  leaves: ReturnType<typeof leafTypes>,
  spec: PartitionSpec,
  snapshot: NewSnapshot,
  uri: string,
  file: CatalogFile,
  stats: readonly LeafStats[],
) {
  // No reader queries dropped columns.
  const known = stats.filter(({ fieldId }) => leaves.has(fieldId))
  const ofRows = known.filter(({ fieldId }) => leaves.get(fieldId)?.isInList === false)
  const bounds = (of: 'min' | 'max') =>
    ofRows.flatMap(({ fieldId, [of]: text }) => {
      const value = text === null ? null : singleValue(leaves.get(fieldId)?.type ?? '', text)
      return value === null ? [] : [{ key: fieldId, value }]
    })
  return {
    status: entryStatus.added as number,
    snapshot_id: snapshot.id,
    sequence_number: snapshot.sequenceNumber,
    file_sequence_number: snapshot.sequenceNumber,
    data_file: {
      content: 0,
      file_path: uri,
      file_format: 'PARQUET',
      partition: partitionOf(spec, file.partition, file.path),
      record_count: file.rows,
      file_size_in_bytes: file.bytes,
      column_sizes: known.map(({ fieldId, columnBytes }) => ({ key: fieldId, value: columnBytes })),
      // Including nulls, as Iceberg counts.
      value_counts: ofRows.map(({ fieldId, valueCount }) => ({ key: fieldId, value: valueCount })),
      null_value_counts: ofRows.map(({ fieldId, nullCount }) => ({ key: fieldId, value: nullCount })),
      lower_bounds: bounds('min'),
      upper_bounds: bounds('max'),
    },
  }
}

/** The record of a manifest for a manifest list. */
function describeManifest(
  path: string,
  length: number,
  spec: PartitionSpec,
  snapshot: NewSnapshot,
  entries: readonly ManifestEntry[],
) {
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
    partitions: spec.map(({ kind, field: { name } }) =>
      summarize(
        kind,
        entries.map((entry) => entry.data_file.partition[name] ?? null),
      ),
    ),
  }
}

function summarize({ bytesOf }: PartitionSpec[number]['kind'], values: readonly (string | number | null)[]) {
  const known = values.filter((value) => value !== null).sort(comparePartitionValues)
  const bytes = (value: string | number | undefined) => (value === undefined ? null : bytesOf(value))
  return {
    contains_null: known.length < values.length,
    contains_nan: false,
    lower_bound: bytes(known[0]),
    upper_bound: bytes(known.at(-1)),
  }
}

type ManifestsToWrite = {
  readonly avro: Avro
  readonly columns: readonly Field[]
  /** All files of the table. */
  readonly files: readonly CatalogFile[]
  readonly schema: IcebergSchema
  readonly spec: PartitionSpec
  readonly snapshot: NewSnapshot
  /** The URI of a file of the lake. */
  readonly uriOf: (path: string) => string
  readonly statsOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, readonly LeafStats[]>>
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
export async function writeNextManifests(before: readonly Record<string, unknown>[], options: ManifestsToWrite) {
  const { avro, files, snapshot, uriOf, read } = options
  const live = new Set(files.map(({ path }) => uriOf(path)))
  const published = new Set<string>()
  const kept: ManifestFile[] = []
  const written: ManifestFile[] = []
  const removed: ManifestEntry[] = []
  const carriedIn = async (bytes: Buffer): Promise<ManifestEntry[]> =>
    liveEntries(await avro.read(bytes)).map((entry) => carried(entry, live, snapshot))
  const filled = (before as readonly unknown[] as readonly ManifestFile[]).filter((each) => filesOf(each) > 0)
  for (const manifest of filled) {
    const bytes = await read(manifest.manifest_path)
    const paths = liveEntries(await avro.read(bytes, entryPathSchema)).map(({ data_file }) => data_file.file_path)
    for (const path of paths) published.add(path)
    if (paths.every((path) => live.has(path))) {
      kept.push(manifest)
      continue
    }
    const entries = await carriedIn(bytes)
    removed.push(...entries.filter(({ status }) => status === entryStatus.deleted))
    written.push(...(await writeEntries(entries, options)))
  }
  const small = kept.filter((manifest) => filesOf(manifest) < mostEntries / 2)
  const merged = small.length < mostSmall ? new Set<ManifestFile>() : new Set(small)
  const toMerge: ManifestEntry[] = []
  for (const { manifest_path } of merged) toMerge.push(...(await carriedIn(await read(manifest_path))))
  written.push(...(await writeEntries(toMerge, options)))
  const added = inPartitions(files.filter(({ path }) => !published.has(uriOf(path))))
  written.push(...(await writeAdded(added, options)))
  return {
    manifests: [...kept.filter((manifest) => !merged.has(manifest)), ...written],
    added: countFiles(added),
    removed: countFiles(
      removed.map(({ data_file: { record_count: rows, file_size_in_bytes: bytes } }) => ({ rows, bytes })),
    ),
  }
}

export function countFiles(files: readonly Pick<CatalogFile, 'rows' | 'bytes'>[]) {
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
  const { columns, spec, snapshot, uriOf, statsOf } = options
  const leaves = leafTypes(columns)
  const manifests: ManifestFile[] = []
  for (const some of chunksOf(files, mostEntries)) {
    const stats = await statsOf(some.map(({ id }) => id))
    const entries = some.map((file) =>
      addedEntry(leaves, spec, snapshot, uriOf(file.path), file, stats.get(file.id) ?? []),
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
  const metadata = {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': JSON.stringify(spec.map(({ field }) => field)),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  }
  for (const some of chunksOf(entries, mostEntries)) {
    const bytes = await avro.write(manifestEntrySchema(spec), metadata, some)
    const path = await write(`${randomUUID()}-m0.avro`, bytes)
    manifests.push(describeManifest(path, bytes.length, spec, snapshot, some))
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

function filesOf(manifest: ManifestFile): number {
  return manifest.added_files_count + manifest.existing_files_count
}
