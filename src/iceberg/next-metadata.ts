import { randomUUID } from 'node:crypto'
import { type IcebergSnapshot, noSnapshot, type TableMetadata } from './metadata.ts'
import { lastPartitionId, type PartitionSpec } from './partition-spec.ts'
import { highestId, type IcebergSchema } from './schema.ts'
import { metadataName, type Version } from './table-folder.ts'

type NextState = {
  /** URI of the Iceberg folder of the table. */
  readonly home: string
  readonly schemas: readonly IcebergSchema[]
  readonly schema: IcebergSchema
  readonly spec: PartitionSpec
  readonly properties: TableMetadata['properties']
  /** The current snapshot; undefined for a table without files. */
  readonly snapshot: IcebergSnapshot | undefined
  readonly snapshots: readonly IcebergSnapshot[]
  readonly sequenceNumber: number
  readonly nowMs: number
  /** The versions with metadata files that stay. */
  readonly versions: ReadonlySet<number>
}

/** The metadata of a table that follow the current metadata. */
export function nextMetadata(next: NextState, current: Version | null): TableMetadata {
  const { home, schemas, schema, spec, properties, snapshot, snapshots, sequenceNumber, nowMs, versions } = next
  const before = current?.metadata
  return {
    'format-version': 2,
    'table-uuid': before?.['table-uuid'] ?? randomUUID(),
    location: home,
    'last-sequence-number': sequenceNumber,
    'last-updated-ms': Math.max(nowMs, snapshot?.['timestamp-ms'] ?? 0, (before?.['last-updated-ms'] ?? 0) + 1),
    'last-column-id': Math.max(highestId(schema.fields), before?.['last-column-id'] ?? 0),
    'current-schema-id': schema['schema-id'],
    schemas,
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: spec.fields }],
    'last-partition-id': lastPartitionId(spec),
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties,
    'current-snapshot-id': snapshot?.['snapshot-id'] ?? noSnapshot,
    refs: snapshot === undefined ? {} : { main: { 'snapshot-id': snapshot['snapshot-id'], type: 'branch' } },
    snapshots,
    'snapshot-log': snapshots.map((each) => ({
      'snapshot-id': each['snapshot-id'],
      'timestamp-ms': each['timestamp-ms'],
    })),
    'metadata-log': current === null ? [] : metadataLog(current, home, versions),
  }
}

function metadataLog(
  { version, metadata }: Version,
  home: string,
  kept: ReadonlySet<number>,
): TableMetadata['metadata-log'] {
  const own = {
    'metadata-file': `${home}/metadata/${metadataName(version)}`,
    'timestamp-ms': metadata['last-updated-ms'],
  }
  const names = new Set([...kept].map((each) => `${home}/metadata/${metadataName(each)}`))
  return [...metadata['metadata-log'], own].filter((entry) => names.has(entry['metadata-file']))
}
