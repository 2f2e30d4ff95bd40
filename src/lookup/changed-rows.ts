import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import type { Table } from '../define/index.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import type { Store } from '../store/store.ts'
import { keySql } from './key-text.ts'
import { tableRows } from './table-rows.ts'
import { tableSource } from './table-source.ts'

export type ChangedRows = {
  /** A table with versions. */
  readonly table: Table
  /** Files of the observation. Their rows have version hashes. */
  readonly staged: readonly string[]
  /** Files of the lake. */
  readonly files: readonly string[]
  /** Ids of the complete observations of the same stream. */
  readonly observationIds: readonly string[]
  readonly observation: { readonly id: string /** µs since 1970 UTC. */; readonly observedAt: bigint }
}

/**
 * The new versions of a complete observation. First, the staged rows that differ from their latest version, or have a latest version that is
 * not present; of several staged rows with the same key, the last one counts. Then, for tables with a column `present`, the rows that an
 * earlier observation of the stream saw last and that are missing now: with `present` false and the new observation.
 */
export async function* changedRows(
  connection: DuckDBConnection,
  store: Store,
  { table, staged, files, observationIds, observation }: ChangedRows,
): AsyncGenerator<object[]> {
  // 128 bits take a third less memory than the text. It is infeasible to construct texts with different SHA-256 but equal MD5 of it.
  const key = `md5_number(sha256(${keySql(table)}))`
  const stagedRows = tableSource(store, table, staged)
  const lakeRows = tableSource(store, table, files)
  const hasPresent = 'present' in table.columns
  await connection.run(
    `CREATE TEMP TABLE staged_keys AS
     SELECT key, max(row_place) AS row_place FROM (SELECT ${key} AS key, row_place FROM ${stagedRows}) GROUP BY key`,
  )
  // Whole rows would not fit in memory. Row places do, and DuckDB can spill aggregates of numbers to disk.
  const rank = 'epoch_us(observed_at)::HUGEINT * 9223372036854775808 + row_place'
  await connection.run(
    `CREATE TEMP TABLE latest_places AS
     SELECT key, (max(rank) % 9223372036854775808)::BIGINT AS row_place
     FROM (SELECT ${key} AS key, ${rank} AS rank FROM ${lakeRows})
     ${hasPresent ? '' : 'SEMI JOIN staged_keys USING (key)'} GROUP BY key`,
  )
  await connection.run(
    'CREATE TEMP TABLE observation_ids AS SELECT unnest($1::VARCHAR[]) AS id',
    [listValue([...observationIds])],
    [LIST(VARCHAR)],
  )
  await connection.run(
    `CREATE TEMP TABLE latest AS
     SELECT l.key, l.row_place, r.version_hash AS hash, ${hasPresent ? 'r.present' : 'true'} AS present,
       r.observation_id IN (SELECT id FROM observation_ids) AS own
     FROM ${lakeRows} r JOIN latest_places l USING (row_place)`,
  )
  await connection.run(
    `CREATE TEMP TABLE changed AS
     SELECT s.row_place FROM staged_keys k JOIN ${stagedRows} s USING (row_place) LEFT JOIN latest l ON l.key = k.key
     WHERE l.key IS NULL OR l.hash <> s.version_hash OR NOT l.present`,
  )
  yield* tableRows(connection, table, `FROM ${stagedRows} WHERE row_place IN (SELECT row_place FROM changed)`)
  if (!hasPresent) return
  await connection.run(
    `CREATE TEMP TABLE gone AS
     SELECT l.row_place FROM latest l ANTI JOIN staged_keys USING (key) WHERE l.present AND l.own`,
  )
  const replaced = {
    present: 'false',
    observation_id: sqlText(observation.id),
    observed_at: `make_timestamptz(${observation.observedAt})`,
  }
  yield* tableRows(connection, table, `FROM ${lakeRows} WHERE row_place IN (SELECT row_place FROM gone)`, replaced)
}
