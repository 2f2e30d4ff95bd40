import { resolve } from 'node:path'
import type { Table } from '../define/index.ts'
import { sqlName } from '../lib/sql-quote.ts'
import { openFolderStore } from '../store/folder-store.ts'
import { createEngine } from './engine.ts'
import { columnList, tableRows, tableSource } from './table-source.ts'

/** Reads files of a table in the order of the table; what memory does not hold is put on disk. Errors as those of `Lookup`. */
export type Sorter = {
  /**
   * The rows of groups of files, some thousands at a time: sorted within each group, the groups one behind the other. Nulls come last;
   * rows that the order and the key do not tell apart stay in the order of the files.
   */
  rows(table: Table, groups: readonly (readonly string[])[]): AsyncIterable<object[]>
  /** Of all rows of files as a set: equal for two lists of files that hold the same rows as often. */
  fingerprint(table: Table, files: readonly string[]): Promise<string>
  close(): Promise<void>
}

/** `owner` is an id whose lock this process holds: the run. The folder of the lake takes what memory does not hold. */
export function openSorter(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)): Sorter {
  const engine = createEngine({ lakeDir: resolve(lakeFolder), store, owner })
  return {
    async *rows(table, groups) {
      const order = [...new Set([...table.sortBy, ...table.key])].map((name) => `${sqlName(name)} NULLS LAST`)
      for (const files of groups) {
        const sorted = `SELECT ${columnList(table)} FROM ${tableSource(store, table, files)} ORDER BY ${[...order, 'row_place'].join(', ')}`
        yield* engine.stream(files, (connection) => tableRows(connection, table, sorted))
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
