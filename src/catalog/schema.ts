import { type ColumnType, type Field, fieldsOf, type Table } from '../define/index.ts'
import { CatalogError, UnknownVersionError } from '../errors.ts'
import { inTransaction, type Session } from './session.ts'

/** The version of the DuckLake specification that chainlake writes. It refuses all others. */
export const ducklakeVersion = '1.0'

/** The oldest known version of the tables in the schema `chainlake`: that of the first release. */
const oldestVersion = 13
/**
 * Each upgrades the tables of the schema `chainlake` by one version, inside a transaction: the first one from `oldestVersion`.
 * `chainlakeTables` declares the latest version.
 */
const upgrades: readonly ((session: Session) => Promise<void>)[] = []
/** Current version of the tables in the schema `chainlake`. */
export const chainlakeVersion = oldestVersion + upgrades.length

/**
 * Refuses a catalog of an unknown version, before any other read or write. Returns the version of the tables in the schema `chainlake`.
 */
export async function checkVersions(session: Session, file: string): Promise<number> {
  const found = await readVersions(session, file)
  if (found.ducklake !== ducklakeVersion)
    throw unknownVersion('DuckLake', found.ducklake ?? 'none', ducklakeVersion, file)
  const { chainlake } = found
  if (chainlake === null || chainlake > chainlakeVersion)
    throw unknownVersion('chainlake', String(chainlake ?? 'none'), String(chainlakeVersion), file)
  if (chainlake < oldestVersion) throw earlierBuild(chainlake, file)
  return chainlake
}

/** Upgrades the tables of the schema `chainlake` from `version` to the newest version in one transaction. */
export async function upgrade(session: Session, version: number, steps = upgrades): Promise<void> {
  const missing = steps.slice(version - oldestVersion)
  if (missing.length === 0) return
  await inTransaction(session, async () => {
    for (const step of missing) await step(session)
    await session.run('UPDATE chainlake.version SET version = $1', [version + missing.length])
  })
}

async function readVersions(session: Session, file: string) {
  try {
    const [row] = await session.rows(
      "SELECT (SELECT value FROM main.ducklake_metadata WHERE key = 'version' AND scope IS NULL) AS ducklake, (SELECT max(version) FROM chainlake.version) AS chainlake",
    )
    return { ducklake: row?.['ducklake'] as string | null, chainlake: row?.['chainlake'] as number | null }
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Catalog Error: '))) throw error
    throw new CatalogError('This DuckDB file is not the catalog of a lake.', {
      code: 'catalog.unreadable',
      details: { file },
      hint: 'Nothing was changed. Set --lake to the folder of a lake, or to an empty folder.',
      cause: error,
    })
  }
}

function unknownVersion(what: string, found: string, known: string, file: string): UnknownVersionError {
  return new UnknownVersionError(
    `The catalog of the lake has ${what} version ${found}; this chainlake supports ${known}.`,
    {
      details: { file },
      hint: 'Nothing was changed. Use the version of chainlake that wrote the lake, or a newer one.',
    },
  )
}

function earlierBuild(found: number, file: string): UnknownVersionError {
  return new UnknownVersionError('This lake was written by a chainlake build before the first release.', {
    code: 'catalog.earlier-build',
    details: { file, 'version of the catalog': found, 'oldest known version': oldestVersion },
    hint: 'Nothing was changed. Export again into a new folder: chainlake run with another --lake.',
  })
}

/** The tables of chainlake in the schema `chainlake` of the catalog. A change needs an upgrade. */
export const chainlakeTables = tablesOf(`
version: version BIGINT NOT NULL
-- The committed slices of each (table, stream). Adjacent slices are merged; run and snapshot are those of the last commit. If records are
-- containers, the ids of their blocks are stored, too.
coverage: network VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT NOT NULL,
  slice_to BIGINT NOT NULL, first_id VARCHAR, first_parent_id VARCHAR, last_id VARCHAR, row_count BIGINT NOT NULL,
  byte_count BIGINT NOT NULL, last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL, first_block_id VARCHAR,
  first_block_parent_id VARCHAR, last_block_id VARCHAR
-- Every stream, with what runs declared about it; see StreamFacts. The column stream is its text, which other tables refer to.
-- Parameters, tables, overlapping paths and beginnings are JSON.
stream: stream VARCHAR NOT NULL, network VARCHAR NOT NULL, path VARCHAR NOT NULL, kind VARCHAR, chain VARCHAR, parameters VARCHAR NOT NULL,
  pipeline VARCHAR, walk VARCHAR NOT NULL, unit VARCHAR NOT NULL, tables VARCHAR NOT NULL, read_again BIGINT NOT NULL,
  overlapping VARCHAR NOT NULL, begins VARCHAR NOT NULL, node_id VARCHAR
-- The views of own pipelines as JSON, with the snapshots that show them. Each comes after the views that it reads.
own_view: begin_snapshot BIGINT NOT NULL, end_snapshot BIGINT, position BIGINT NOT NULL, view_name VARCHAR NOT NULL,
  declaration VARCHAR NOT NULL
-- Every run. A run is alive while it holds the lock with its id. Recovery sets the column ended of crashed runs.
run: run_id VARCHAR NOT NULL, pid BIGINT NOT NULL, host VARCHAR NOT NULL, command VARCHAR NOT NULL, streams VARCHAR[] NOT NULL,
  started TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ, outcome VARCHAR
-- The networks of the lake. The facts come from their nodes or from known constants.
source: network VARCHAR NOT NULL, network_id BIGINT NOT NULL, hrp VARCHAR NOT NULL, native_asset_id VARCHAR, durango_time BIGINT
source_chain: network VARCHAR NOT NULL, alias VARCHAR NOT NULL, blockchain_id VARCHAR NOT NULL, vm_id VARCHAR, subnet_id VARCHAR NOT NULL
-- Final blocks that identify an EVM chain: chains from one genesis may share their chain id. Of each chain the two lowest known ones and
-- the highest one.
chain_anchor: network VARCHAR NOT NULL, chain_id VARCHAR NOT NULL, block_number BIGINT NOT NULL, block_hash VARCHAR NOT NULL
-- The committed stretches of a list, newest first by position. Keys are lists of texts.
stretch: stream VARCHAR NOT NULL, position BIGINT NOT NULL, top_keys VARCHAR[] NOT NULL, top_time BIGINT, bottom_keys VARCHAR[] NOT NULL,
  bottom_time BIGINT, token VARCHAR, token_at_ms BIGINT, reached_end BOOLEAN NOT NULL, hole VARCHAR, item_count BIGINT NOT NULL
-- Every observation. It is open while outcome is null; a stream has at most one open observation. run_id is the run that opened it last.
observation: observation_id VARCHAR NOT NULL, stream VARCHAR NOT NULL, observed_at_ms BIGINT NOT NULL, run_id VARCHAR NOT NULL,
  cursor_token VARCHAR, cursor_at_ms BIGINT, completed TIMESTAMPTZ, outcome VARCHAR
-- Parts of open observations: durable, but not visible. Partition and statistics are JSON.
staged_part: observation_id VARCHAR NOT NULL, position BIGINT NOT NULL, table_name VARCHAR NOT NULL, path VARCHAR NOT NULL,
  row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, footer_bytes BIGINT NOT NULL, partition_values VARCHAR NOT NULL,
  leaf_stats VARCHAR NOT NULL, sha256 VARCHAR NOT NULL
-- Rows and bytes that commits without a slice have added to a (table, stream).
written: stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL,
  last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL
-- Compute units spent at services, in periods of ten minutes, by the fingerprint of the API key ('none' without a key).
spent_units: origin VARCHAR NOT NULL, key_fingerprint VARCHAR NOT NULL, period_ms BIGINT NOT NULL, units BIGINT NOT NULL
-- The sources of each data file: one row for each stream and slice that may have rows in it. The slice is null for streams that are not
-- read by ranges. All rows of a file have the same hash, run and number of rows. Streams share a file only if all of them are small.
-- run_id is the run that wrote the file.
file: data_file_id BIGINT NOT NULL, stream VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT, run_id VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL, row_count BIGINT NOT NULL
-- Files that compaction made from other files. The level is the maximum number of times that their rows were rewritten.
compacted_file: data_file_id BIGINT NOT NULL, level BIGINT NOT NULL
-- Removed files with rows that no source can return again, by stream and slice. Until these have been read again, stored versions up to
-- observed_to may not be the latest ones.
loss: table_name VARCHAR NOT NULL, network VARCHAR, stream VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT, row_count BIGINT NOT NULL,
  observed_to TIMESTAMPTZ NOT NULL, lost_at TIMESTAMPTZ NOT NULL
-- When a run last reached the head of each stream.
reached: stream VARCHAR NOT NULL, reached_ms BIGINT NOT NULL
-- Measurements of the last complete run of each job: its duration, records of ranges and requests of lists.
measure: job VARCHAR NOT NULL, pipeline VARCHAR NOT NULL, ended_ms BIGINT NOT NULL, duration_ms BIGINT NOT NULL,
  record_count BIGINT NOT NULL, request_count BIGINT NOT NULL
-- Row counts of each commit of a list, by (table, stream): rows in the items that it read, rows that were new, and rows that the lake or
-- the commit already had. progress_items is the number of items by which the progress of the stream grew. A removal adds negative rows.
list_commit: snapshot_id BIGINT NOT NULL, run_id VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL,
  rows_read BIGINT NOT NULL, rows_new BIGINT NOT NULL, rows_known BIGINT NOT NULL, progress_items BIGINT NOT NULL
-- Gaps of a (table, stream) that the user accepted. Accepted ends of lists are in the table stretch.
accepted_gap: stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT NOT NULL, slice_to BIGINT NOT NULL
-- Slices that a repair removed from a (table, stream), even if they were read again; null for streams that are not read by ranges.
removed: stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT
`)

/**
 * The tables of the DuckLake 1.0 specification, in the schema `main` of the catalog. All 28 exist, even the unused ones, so that the
 * `ducklake` extension of DuckDB accepts the file.
 */
export const ducklakeTables = tablesOf(`
ducklake_metadata: "key" VARCHAR NOT NULL, "value" VARCHAR NOT NULL, "scope" VARCHAR, scope_id BIGINT
ducklake_snapshot: snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMP WITH TIME ZONE, schema_version BIGINT, next_catalog_id BIGINT,
  next_file_id BIGINT
ducklake_snapshot_changes: snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR, author VARCHAR, commit_message VARCHAR,
  commit_extra_info VARCHAR
ducklake_schema: schema_id BIGINT PRIMARY KEY, schema_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_name VARCHAR,
  path VARCHAR, path_is_relative BOOLEAN
ducklake_table: table_id BIGINT, table_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, table_name VARCHAR,
  path VARCHAR, path_is_relative BOOLEAN
ducklake_view: view_id BIGINT, view_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, view_name VARCHAR,
  dialect VARCHAR, "sql" VARCHAR, column_aliases VARCHAR
ducklake_column: column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, table_id BIGINT, column_order BIGINT, column_name VARCHAR,
  column_type VARCHAR, initial_default VARCHAR, default_value VARCHAR, nulls_allowed BOOLEAN, parent_column BIGINT,
  default_value_type VARCHAR, default_value_dialect VARCHAR
ducklake_tag: object_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, "key" VARCHAR, "value" VARCHAR
ducklake_column_tag: table_id BIGINT, column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, "key" VARCHAR, "value" VARCHAR
ducklake_data_file: data_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, file_order BIGINT,
  path VARCHAR, path_is_relative BOOLEAN, file_format VARCHAR, record_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT,
  row_id_start BIGINT, partition_id BIGINT, encryption_key VARCHAR, mapping_id BIGINT, partial_max BIGINT
ducklake_delete_file: delete_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, data_file_id BIGINT,
  path VARCHAR, path_is_relative BOOLEAN, format VARCHAR, delete_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT,
  encryption_key VARCHAR, partial_max BIGINT
ducklake_file_column_stats: data_file_id BIGINT, table_id BIGINT, column_id BIGINT, column_size_bytes BIGINT, value_count BIGINT,
  null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, extra_stats VARCHAR
ducklake_file_variant_stats: data_file_id BIGINT, table_id BIGINT, column_id BIGINT, variant_path VARCHAR, shredded_type VARCHAR,
  column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN,
  extra_stats VARCHAR
ducklake_table_stats: table_id BIGINT, record_count BIGINT, next_row_id BIGINT, file_size_bytes BIGINT
ducklake_table_column_stats: table_id BIGINT, column_id BIGINT, contains_null BOOLEAN, contains_nan BOOLEAN, min_value VARCHAR,
  max_value VARCHAR, extra_stats VARCHAR
ducklake_partition_info: partition_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT
ducklake_partition_column: partition_id BIGINT, table_id BIGINT, partition_key_index BIGINT, column_id BIGINT, "transform" VARCHAR
ducklake_file_partition_value: data_file_id BIGINT, table_id BIGINT, partition_key_index BIGINT, partition_value VARCHAR
ducklake_files_scheduled_for_deletion: data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, schedule_start TIMESTAMP WITH TIME ZONE
ducklake_inlined_data_tables: table_id BIGINT, table_name VARCHAR, schema_version BIGINT
ducklake_column_mapping: mapping_id BIGINT, table_id BIGINT, "type" VARCHAR
ducklake_name_mapping: mapping_id BIGINT, column_id BIGINT, source_name VARCHAR, target_field_id BIGINT, parent_column BIGINT,
  is_partition BOOLEAN
ducklake_schema_versions: begin_snapshot BIGINT, schema_version BIGINT, table_id BIGINT
ducklake_macro: schema_id BIGINT, macro_id BIGINT, macro_name VARCHAR, begin_snapshot BIGINT, end_snapshot BIGINT
ducklake_macro_impl: macro_id BIGINT, impl_id BIGINT, dialect VARCHAR, "sql" VARCHAR, "type" VARCHAR
ducklake_macro_parameters: macro_id BIGINT, impl_id BIGINT, column_id BIGINT, parameter_name VARCHAR, parameter_type VARCHAR,
  default_value VARCHAR, default_value_type VARCHAR
ducklake_sort_info: sort_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT
ducklake_sort_expression: sort_id BIGINT, table_id BIGINT, sort_key_index BIGINT, expression VARCHAR, dialect VARCHAR,
  sort_direction VARCHAR, null_order VARCHAR
`)

/** The columns of each table. A line is `name: columns`, an indented line continues it, and `--` begins a comment. */
function tablesOf(text: string): { readonly [name: string]: string } {
  const tables: { [name: string]: string } = {}
  const declared = text.replaceAll(/^--.*\n/gm, '').replaceAll(/\n +/g, ' ')
  for (const line of declared.trim().split('\n')) {
    const [, name = '', columns] = /^(\w+): ([^-:]+)$/.exec(line) ?? []
    if (columns === undefined || name in tables) throw new Error(`Not a new table with its columns: ${line}`)
    tables[name] = columns
  }
  return tables
}

/** A column in the catalog. Nested columns follow their parent. */
export type CatalogColumn = {
  readonly id: number
  /** Position among the columns of the table, counted from 1. Nested columns follow their parent. */
  readonly order: number
  readonly name: string
  /** Type name in DuckLake: `int64`, `varchar`, `decimal(20,0)`, `list`, `struct`. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string
}

/** The catalog columns of a declared table, depth first. */
export function catalogColumns(table: Table): CatalogColumn[] {
  let order = 0
  const visit = (field: Field, parentId: number | null): CatalogColumn[] => [
    {
      id: field.id,
      order: ++order,
      name: field.name,
      type: catalogType(field.column.type),
      nullable: field.column.nullable,
      parentId,
      comment: field.column.comment,
    },
    ...field.children.flatMap((child) => visit(child, field.id)),
  ]
  return fieldsOf(table).flatMap((field) => visit(field, null))
}

export function isLeaf(column: CatalogColumn): boolean {
  return column.type !== 'list' && column.type !== 'struct'
}

function catalogType(type: ColumnType): string {
  switch (type.kind) {
    case 'text':
      return 'varchar'
    case 'double':
      return 'float64'
    case 'decimal':
      return `decimal(${type.precision},0)`
    case 'timestamp':
      return 'timestamptz'
    default:
      return type.kind
  }
}
