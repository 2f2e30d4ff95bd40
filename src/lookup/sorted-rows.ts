import { resolve } from 'node:path'
import { type Column, duckdbType, type Table } from '../define/index.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { openFolderStore } from '../store/folder-store.ts'
import { createEngine } from './engine.ts'
import { columnList, tableRows, tableSource } from './table-source.ts'

/** Files that are sorted together. */
export type SortedGroup = {
  readonly files: readonly string[]
  /** For a file that was written in the order of the table. */
  readonly isInOrder: boolean
  /** Bounds of the first column of the order, one behind the other, of which each is sorted by itself; none: all at once. */
  readonly bounds: readonly { readonly from: bigint; readonly to: bigint }[]
}

/** Reads files of a table in the order of the table; what memory does not hold is put on disk. Errors as those of `Lookup`. */
export type Sorter = {
  /**
   * The rows of groups of files, some thousands at a time: sorted within each group, the groups one behind the other. Nulls come last;
   * rows that the order and the key do not tell apart stay in the order of the files.
   */
  rows(table: Table, groups: readonly SortedGroup[]): AsyncIterable<object[]>
  /** Of all rows of files as a set: equal for two lists of files that hold the same rows as often. */
  fingerprint(table: Table, files: readonly string[]): Promise<string>
  close(): Promise<void>
}

/** Sorted runs of wide rows are merged with a block of each in memory: 64 MB hold too few. With the encoder beside it the process stays below 512 MiB. */
const sortMemory = '96MB'

/** `owner` is an id whose lock this process holds: the run. The folder of the lake takes what memory does not hold. */
export function openSorter(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)): Sorter {
  const engine = createEngine({ lakeDir: resolve(lakeFolder), store, owner, memory: sortMemory })
  return {
    async *rows(table, groups) {
      const order = [...new Set([...table.sortBy, ...table.key])].map((name) => `${sqlName(name)} NULLS LAST`)
      for (const { files, isInOrder, bounds } of groups) {
        const all = `SELECT ${columnList(table)} FROM ${tableSource(store, table, files)}`
        const sort = `ORDER BY ${[...order, 'row_place'].join(', ')}`
        const parts = bounds.map((part) => `WHERE ${within(table, part)} ${sort}`)
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

function within(table: Table, { from, to }: SortedGroup['bounds'][number]): string {
  const [name = ''] = table.sortBy
  const { type } = table.columns[name] as Column
  const value = (bound: bigint) =>
    type.kind === 'timestamp' ? `make_timestamptz(${bound})` : `${bound}::${duckdbType(type)}`
  return `${sqlName(name)} BETWEEN ${value(from)} AND ${value(to)}`
}
