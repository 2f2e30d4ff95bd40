import { resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { identityColumns, type RequestedValues, type StoredRowsQuery, type Table } from '../define/index.ts'
import { queryChunks } from '../lib/answer-chunks.ts'
import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import { openFolderStore } from '../store/folder-store.ts'
import type { BloomFilter } from './bloom-filter.ts'
import { type ChangedRows, changedRows } from './changed-rows.ts'
import { createEngine } from './engine.ts'
import { fingerprintSql } from './fingerprint.ts'
import { createKeyFilters, type KeyFilters, type KeyQuery } from './key-filters.ts'
import { createKeyTable, sameKey } from './key-table.ts'
import { digestSql, type KeyColumn, keyColumns, keySql } from './key-text.ts'
import { tableRows } from './table-rows.ts'
import { tableSource } from './table-source.ts'

export type { ChangedRows } from './changed-rows.ts'
export type { KnownFile } from './key-filters.ts'

/** Files of a table by their paths relative to the lake, with `/`. The list may be empty. */
type TableFilesOf = { readonly table: Table; readonly files: readonly string[] }

/** The latest version of a row. */
export type Version = {
  readonly hash: string
  readonly present: boolean
  /** Microseconds since 1970 UTC. */
  readonly observedAt: bigint
}

/**
 * Finds rows in the Parquet files of the lake. Memory is bounded; above the limit DuckDB spills to a folder in the lake. Columns that are
 * missing in older files are null. All methods may throw StorageError, and VerifyError for a missing or damaged file.
 */
export type Lookup = {
  /** The keys (see `keyText`) that exist in the files. Bloom filters save reading files that are queried often; see `KeyFilters`. */
  knownKeys(options: KeyQuery): Promise<Set<string>>
  /** The rows that exist in the files, by key. `of`: the columns of their digests; see `rowDigest`. */
  knownDigests(options: KeyQuery & { readonly of: readonly string[] }): Promise<Map<string, string>>
  /** The keys of the rows in the files with values of the columns `by` that are among `texts` (see `keyText`). */
  keysBy(
    options: Omit<KeyQuery, 'keys'> & { readonly by: readonly string[]; readonly texts: readonly string[] },
  ): Promise<{ readonly key: string; readonly text: string }[]>
  /** Learns the keys of new files, so that they need not be read; see `KeyFilters`. */
  learnKeys: KeyFilters['learn']
  /** The rows in the files with these keys, in any order. */
  keyedRows(options: TableFilesOf & { readonly keys: readonly string[] }): Promise<object[]>
  /** The latest versions of these keys in the files. In a table without the column `present`, all versions are present. */
  latestVersions(options: TableFilesOf & { readonly keys: readonly string[] }): Promise<Map<string, Version>>
  /** The rows that a query selects, in the order of the files, in batches of some thousands. */
  selectedRows(
    options: TableFilesOf & { readonly column: string; readonly query: StoredRowsQuery },
  ): AsyncIterable<object[]>
  /**
   * The earliest time (microseconds since 1970 UTC) in a column, among the rows with a latest version that satisfies all of `where`: one of
   * the columns of an entry, which are texts, has one of its values. Null when there is none.
   */
  earliestTime(
    options: TableFilesOf & { readonly where: readonly RequestedValues[]; readonly column: string },
  ): Promise<bigint | null>
  /** All rows in the order of the files, in batches of some thousands. */
  rows(options: TableFilesOf): AsyncIterable<object[]>
  /** The changes of a complete observation; see `changedRows`. */
  changedRows(options: ChangedRows): AsyncIterable<object[]>
  close(): Promise<void>
}

/**
 * Nothing is opened before the first query. `owner` is the id of the run; this process holds its lock. DuckDB spills to the folder of the lake.
 */
export function openLookup(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)): Lookup {
  const lakeDir = resolve(lakeFolder)
  const engine = createEngine({ lakeDir, store, owner })
  const filters = createKeyFilters(async (table, files, filter) => {
    const paths = files.map(({ path }) => path)
    await engine.within(paths, (connection) => addKeys(connection, filter, table, tableSource(store, table, paths)))
  })
  /** The texts `selected` (SQL over `f` and the keys `k`) of the rows that have one of these values of the columns `by`. */
  const matching = async (
    { table, files, keys }: KeyQuery,
    by: readonly KeyColumn[],
    selected: readonly string[],
  ): Promise<readonly (readonly string[])[]> => {
    const paths = files.map(({ path }) => path)
    return engine.within(paths, async (connection) => {
      await createKeyTable(connection, by, keys)
      const found = `FROM ${tableSource(store, table, paths)} f JOIN keys k ON ${sameKey(by, 'f', 'k')}`
      const reader = await connection.runAndReadAll(`SELECT ${selected.join(', ')} ${found}`)
      return reader.getColumns() as string[][]
    })
  }
  /** Calls `take` for each known key with the text of an SQL expression over its row `f`. */
  const eachKnown = async (query: KeyQuery, value: string | null, take: (key: string, text: string) => void) => {
    if (query.files.length === 0 || query.keys.length === 0) return
    const selected = ['k.key_text', ...(value === null ? [] : [value])]
    for (const { files, keys } of await filters.narrow(query)) {
      const part = { table: query.table, files, keys }
      const [known = [], texts = []] = await matching(part, keyColumns(query.table), selected)
      for (const [at, key] of known.entries()) take(key, texts[at] ?? '')
    }
  }
  return {
    async knownKeys(query) {
      const known = new Set<string>()
      await eachKnown(query, null, (key) => known.add(key))
      return known
    },
    async knownDigests({ of, ...query }) {
      const known = new Map<string, string>()
      await eachKnown(query, digestSql(query.table, of, 'f'), (key, digest) => known.set(key, digest))
      return known
    },
    async keysBy({ table, files, by, texts }) {
      if (files.length === 0 || texts.length === 0) return []
      const selected = [keySql(table, undefined, 'f'), 'k.key_text']
      const [keys = [], own = []] = await matching({ table, files, keys: texts }, keyColumns(table, by), selected)
      return keys.map((key, at) => ({ key, text: own[at]! }))
    },
    learnKeys: filters.learn,
    async keyedRows({ table, files, keys }) {
      if (files.length === 0 || keys.length === 0) return []
      return engine.within(files, async (connection) => {
        await createKeyTable(connection, keyColumns(table), keys)
        const rows: object[] = []
        const found = `FROM ${tableSource(store, table, files)} f JOIN keys k ON ${sameKey(keyColumns(table), 'f', 'k')}`
        for await (const some of tableRows(connection, table, found, namesIn(table, 'f'))) rows.push(...some)
        return rows
      })
    },
    async latestVersions({ table, files, keys }) {
      if (files.length === 0 || keys.length === 0) return new Map()
      return engine.within(files, async (connection) => {
        await createKeyTable(connection, keyColumns(table), keys)
        const present = 'present' in table.columns ? 'f.present' : 'true'
        const place = "{'at': f.observed_at, 'place': f.row_place}"
        const reader = await connection.runAndReadAll(
          `SELECT k.key_text, arg_max(f.version_hash, ${place}), arg_max(${present}, ${place}), epoch_us(max(f.observed_at))
           FROM ${tableSource(store, table, files)} f JOIN keys k ON ${sameKey(keyColumns(table), 'f', 'k')} GROUP BY k.key_text`,
        )
        const [found = [], hashes = [], presents = [], times = []] = reader.getColumns()
        return new Map(
          found.map((key, row) => [
            key as string,
            { hash: hashes[row] as string, present: presents[row] as boolean, observedAt: times[row] as bigint },
          ]),
        )
      })
    },
    selectedRows: ({ table, files, column, query: { from, to, texts } }) => {
      const conditions = [
        `${sqlName(column)} >= ${from} AND ${sqlName(column)} < ${to}`,
        ...Object.entries(texts).map(([name, choices]) => `${sqlName(name)} IN (${choices.map(sqlText).join(', ')})`),
      ].join(' AND ')
      return engine.stream(files, (connection) =>
        tableRows(connection, table, `FROM ${tableSource(store, table, files)} WHERE ${conditions}`),
      )
    },
    async earliestTime({ table, files, where, column }) {
      if (files.length === 0) return null
      return engine.within(files, async (connection) => {
        const source = tableSource(store, table, files)
        const key = identityColumns(table).map(sqlName).join(', ')
        const condition = where.map(hasOneOf).join(' AND ')
        // Most rows never satisfy the condition. Only versions of the others are compared.
        const reader = await connection.runAndReadAll(
          `SELECT epoch_us(min(${sqlName(column)})) FROM (
             SELECT * FROM ${source} f SEMI JOIN (SELECT ${key} FROM ${source} WHERE ${condition}) k ON ${sameKey(keyColumns(table), 'f', 'k')}
             QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY observed_at DESC, row_place DESC) = 1
           ) WHERE ${condition}`,
        )
        return (reader.getColumns()[0]?.[0] ?? null) as bigint | null
      })
    },
    rows: ({ table, files }) =>
      engine.stream(files, (connection) => tableRows(connection, table, `FROM ${tableSource(store, table, files)}`)),
    changedRows: (options) =>
      engine.stream([...options.staged, ...options.files], (connection) => changedRows(connection, store, options)),
    close: () => {
      filters.clear()
      return engine.close()
    },
  }
}

/** Adds the fingerprints of all rows of a source to a filter. */
async function addKeys(connection: DuckDBConnection, filter: BloomFilter, table: Table, source: string): Promise<void> {
  for await (const chunk of queryChunks(connection, `SELECT ${fingerprintSql(table)} FROM ${source}`)) {
    const prints = chunk.getColumnVector(0)
    for (let at = 0; at < chunk.rowCount; at++) filter.add(prints.getItem(at) as number)
  }
}

/** SQL condition: one of the columns has one of its values. */
function hasOneOf(values: RequestedValues): string {
  const columns = Object.entries(values).map(
    ([name, texts]) => `${sqlName(name)} IN (${texts.map(sqlText).join(', ')})`,
  )
  return `(${columns.join(' OR ')})`
}

/** The columns of a table, qualified with an alias. */
function namesIn(table: Table, alias: string): Record<string, string> {
  return Object.fromEntries(Object.keys(table.columns).map((name) => [name, `${alias}.${sqlName(name)}`]))
}
