import type { PartitionField } from './partition-spec.ts'
import type { IcebergField, IcebergSchema } from './schema.ts'

/** The metadata file of a table, version 2 (Iceberg specification, "Table Metadata"). */
export type TableMetadata = {
  readonly 'format-version': 2
  readonly 'table-uuid': string
  readonly location: string
  readonly 'last-sequence-number': number
  readonly 'last-updated-ms': number
  readonly 'last-column-id': number
  readonly 'current-schema-id': number
  readonly schemas: readonly IcebergSchema[]
  readonly 'default-spec-id': 0
  readonly 'partition-specs': readonly [{ readonly 'spec-id': 0; readonly fields: readonly PartitionField[] }]
  readonly 'last-partition-id': number
  readonly 'default-sort-order-id': 0
  readonly 'sort-orders': readonly [{ readonly 'order-id': 0; readonly fields: readonly [] }]
  readonly properties: Readonly<Record<string, string>>
  readonly 'current-snapshot-id': number
  readonly refs: { readonly main?: { readonly 'snapshot-id': number; readonly type: 'branch' } }
  readonly snapshots: readonly IcebergSnapshot[]
  readonly 'snapshot-log': readonly { readonly 'snapshot-id': number; readonly 'timestamp-ms': number }[]
  readonly 'metadata-log': readonly { readonly 'metadata-file': string; readonly 'timestamp-ms': number }[]
}

export type IcebergSnapshot = {
  readonly 'snapshot-id': number
  readonly 'parent-snapshot-id'?: number
  readonly 'sequence-number': number
  readonly 'timestamp-ms': number
  readonly 'manifest-list': string
  readonly summary: Readonly<Record<string, string>> & { readonly operation: string }
  readonly 'schema-id': number
}

/** Keys of a snapshot's summary that name the lake, its snapshot and its files. */
export const summaryKeys = {
  lake: 'chainlake.lake-id',
  snapshot: 'chainlake.snapshot-id',
  run: 'chainlake.run-id',
  files: 'chainlake.files-sha256',
} as const

/** The value of `current-snapshot-id` for a table without a snapshot. */
export const noSnapshot = -1

export function currentSnapshot(metadata: TableMetadata): IcebergSnapshot | undefined {
  return metadata.snapshots.find((each) => each['snapshot-id'] === metadata['current-snapshot-id'])
}

/** The schema with these fields: an earlier one, or a new one after the earlier ones. */
export function withSchema(
  before: readonly IcebergSchema[],
  fields: readonly IcebergField[],
): { readonly schemas: readonly IcebergSchema[]; readonly current: IcebergSchema } {
  const text = JSON.stringify(fields)
  const known = before.find((schema) => JSON.stringify(schema.fields) === text)
  if (known !== undefined) return { schemas: before, current: known }
  const id = Math.max(-1, ...before.map((schema) => schema['schema-id'])) + 1
  const current: IcebergSchema = { type: 'struct', 'schema-id': id, fields }
  return { schemas: [...before, current], current }
}
