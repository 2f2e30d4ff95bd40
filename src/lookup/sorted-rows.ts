import { resolve } from 'node:path'
import { type Column, duckdbType, type Table } from '../define/index.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { openFolderStore } from '../store/folder-store.ts'
import { createEngine } from './engine.ts'
import { tableRows } from './table-rows.ts'
import { tableSource } from './table-source.ts'

/** Files to sort together. */
export type SortedGroup = {
  readonly files: readonly string[]
  /** True for a file that was written in the order of the table. */
  readonly isInOrder: boolean
  /** Consecutive bounds of the first sort column. The rows of each are sorted separately. Empty: all rows are sorted at once. */
  readonly bounds: readonly { readonly from: bigint; readonly to: bigint }[]
}

/** Reads files of a table in the order of the table, and spills to disk. Throws what `Lookup` throws. */
export type Sorter = {
  /**
   * The rows of groups of files, in batches of some thousands. Rows are sorted within each group, and groups follow one another. Nulls come
   * last. Rows with equal sort columns and key stay in the order of the files.
   */
  rows(table: Table, groups: readonly SortedGroup[]): AsyncIterable<object[]>
  /** Fingerprint of all rows of files as a multiset: equal for two lists of files with the same rows. */
  fingerprint(table: Table, files: readonly string[]): Promise<string>
  close(): Promise<void>
}

/** Merging sorted runs of wide rows needs a block of each run in memory, for which 64 MB are too little. With the encoder, the process stays below 512 MiB. */
const sortMemory = '96MB'

/** `owner` is the id of the run; this process holds its lock. DuckDB spills to the folder of the lake. */
export function openSorter(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)): Sorter {
  const engine = createEngine({ lakeDir: resolve(lakeFolder), store, owner, memory: sortMemory })
  return {
    async *rows(table, groups) {
      const order = [...new Set([...table.sortBy, ...table.key])].map((name) => `${sqlName(name)} NULLS LAST`)
      for (const { files, isInOrder, bounds } of groups) {
        const all = `FROM ${tableSource(store, table, files)}`
        const sort = `ORDER BY ${[...order, 'row_place'].join(', ')}`
        const parts = bounds.map((part) => `WHERE ${conditionOf(table, part)} ${sort}`)
        for (const part of isInOrder ? [''] : parts.length > 0 ? parts : [sort])
          yield* engine.stream(files, (connection) => tableRows(connection, table, `${all} ${part}`))
      }
    },
    fingerprint: (table, files) =>
      engine.within(files, async (connection) => {
        const names = Object.keys(table.columns).map(sqlName).join(', ')
        const reader = await connection.runAndReadAll(
          `SELECT count(*), sum(hash(${names})::HUGEINT) FROM ${tableSource(store, table, files)}`,
        )
        return String(reader.getRows()[0])
      }),
    close: () => engine.close(),
  }
}

function conditionOf(table: Table, { from, to }: SortedGroup['bounds'][number]): string {
  const [name = ''] = table.sortBy
  const { type } = table.columns[name] as Column
  const value = (bound: bigint) =>
    type.kind === 'timestamp' ? `make_timestamptz(${bound})` : `${bound}::${duckdbType(type)}`
  return `${sqlName(name)} BETWEEN ${value(from)} AND ${value(to)}`
}
