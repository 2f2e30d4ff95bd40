import { resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Table } from '../define/index.ts'
import { queryChunks } from '../lib/answer-chunks.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { openFolderStore } from '../store/folder-store.ts'
import type { BloomFilter } from './bloom-filter.ts'
import { type ChangedRows, changedRows } from './changed-rows.ts'
import { createEngine } from './engine.ts'
import { fingerprintSql } from './fingerprint.ts'
import { createKeyFilters, type KeyFilters, type KnownFile } from './key-filters.ts'
import { createKeyTable, sameKey } from './key-table.ts'
import { columnList, tableRows, tableSource } from './table-source.ts'

export type { ChangedRows } from './changed-rows.ts'
export type { KnownFile } from './key-filters.ts'

/** Files of a table by their paths relative to the lake, with `/`. There may be none. */
export type TableFilesOf = { readonly table: Table; readonly files: readonly string[] }

/** The latest version of a row. */
export type Version = {
  readonly hash: string
  readonly present: boolean
  /** Microseconds since 1970 UTC. */
  readonly observedAt: bigint
}

/**
 * Finds rows in Parquet files that the lake has already. Memory is bounded (256 MB; then a folder in the lake is used); columns that
 * older files lack are null. All may throw StorageError, and VerifyError for a file that is missing or damaged.
 */
export type Lookup = {
  /** Which of the keys (see `keyText`) the files have. Files that are asked for often are read where a filter says "perhaps"; see `KeyFilters`. */
  knownKeys(options: {
    readonly table: Table
    readonly files: readonly KnownFile[]
    readonly keys: readonly string[]
  }): Promise<Set<string>>
  /** Told of files that were just written, so that their keys need not be read; see `KeyFilters`. */
  learnKeys: KeyFilters['learn']
  /** The rows of the keys that the files have, in any order. */
  keyedRows(options: TableFilesOf & { readonly keys: readonly string[] }): Promise<object[]>
  /** The latest versions of the keys that the files have; of a table without the column `present` all are present. */
  latestVersions(options: TableFilesOf & { readonly keys: readonly string[] }): Promise<Map<string, Version>>
  /** All rows, in the order of the files, some thousands at a time. */
  rows(options: TableFilesOf): AsyncIterable<object[]>
  /** What a complete observation changes; see `changedRows`. */
  changedRows(options: ChangedRows): AsyncIterable<object[]>
  close(): Promise<void>
}

/**
 * Nothing is opened before the first question. `owner` is an id whose lock this process holds: the run. The folder of the lake takes what
 * memory does not hold.
 */
export function openLookup(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)): Lookup {
  const lakeDir = resolve(lakeFolder)
  const engine = createEngine({ lakeDir, store, owner })
  const filters = createKeyFilters(async (table, files, filter) => {
    const paths = files.map(({ path }) => path)
    await engine.within(paths, (connection) => addKeys(connection, filter, table, tableSource(store, table, paths)))
  })
  return {
    async knownKeys(asked) {
      if (asked.files.length === 0 || asked.keys.length === 0) return new Set()
      const known = new Set<string>()
      for (const { files, keys } of await filters.narrow(asked)) {
        const paths = files.map(({ path }) => path)
        await engine.within(paths, async (connection) => {
          await createKeyTable(connection, asked.table, keys)
          const source = tableSource(store, asked.table, paths)
          const reader = await connection.runAndReadAll(
            `SELECT DISTINCT k.key_text FROM ${source} f JOIN keys k ON ${sameKey(asked.table, 'f', 'k')}`,
          )
          for (const key of (reader.getColumns()[0] ?? []) as string[]) known.add(key)
        })
      }
      return known
    },
    learnKeys: filters.learn,
    async keyedRows({ table, files, keys }) {
      if (files.length === 0 || keys.length === 0) return []
      return engine.within(files, async (connection) => {
        await createKeyTable(connection, table, keys)
        const columns = columnList(table, namesIn(table, 'f'))
        const rows: object[] = []
        const found = `SELECT ${columns} FROM ${tableSource(store, table, files)} f JOIN keys k ON ${sameKey(table, 'f', 'k')}`
        for await (const some of tableRows(connection, table, found)) rows.push(...some)
        return rows
      })
    },
    async latestVersions({ table, files, keys }) {
      if (files.length === 0 || keys.length === 0) return new Map()
      return engine.within(files, async (connection) => {
        await createKeyTable(connection, table, keys)
        const present = 'present' in table.columns ? 'f.present' : 'true'
        const place = "{'at': f.observed_at, 'place': f.row_place}"
        const reader = await connection.runAndReadAll(
          `SELECT k.key_text, arg_max(f.version_hash, ${place}), arg_max(${present}, ${place}), epoch_us(max(f.observed_at))
           FROM ${tableSource(store, table, files)} f JOIN keys k ON ${sameKey(table, 'f', 'k')} GROUP BY k.key_text`,
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
    rows: ({ table, files }) =>
      engine.stream(files, (connection) =>
        tableRows(connection, table, `SELECT ${columnList(table)} FROM ${tableSource(store, table, files)}`),
      ),
    changedRows: (options) =>
      engine.stream([...options.staged, ...options.files], (connection) => changedRows(connection, store, options)),
    close: () => {
      filters.clear()
      return engine.close()
    },
  }
}

/** Puts the fingerprints of all rows of a source into a filter. */
async function addKeys(connection: DuckDBConnection, filter: BloomFilter, table: Table, source: string): Promise<void> {
  for await (const chunk of queryChunks(connection, `SELECT ${fingerprintSql(table)} FROM ${source}`)) {
    const prints = chunk.getColumnVector(0)
    for (let at = 0; at < chunk.rowCount; at++) filter.add(prints.getItem(at) as number)
  }
}

/** The columns of a table as those of an alias. */
function namesIn(table: Table, alias: string): Record<string, string> {
  return Object.fromEntries(Object.keys(table.columns).map((name) => [name, `${alias}.${sqlName(name)}`]))
}
