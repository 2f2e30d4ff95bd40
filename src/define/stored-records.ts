import type { Slice, SliceEnds, Stream } from '../model.ts'
import type { WindowSource } from './range-source.ts'
import type { Table } from './table.ts'

/** A slice of a table that a stream covers. */
export type CoveredByStream = { readonly origin: Stream; readonly slice: Slice; readonly ends: SliceEnds | null }

/** Selects rows of a slice that have one of these texts in columns, by column. */
export type StoredRowsQuery = Slice & { readonly texts: Readonly<Record<string, readonly string[]>> }

/** Reads rows of a table from the lake, some thousand at a time, in any order. All queries read the same snapshot. */
export type ReadStoredRows = (query: StoredRowsQuery) => AsyncIterable<object[]>

/** Records of a range that other streams may have stored as rows of a table. */
export type StoredRecords<R> = {
  readonly table: Table
  /** The column of the table with the coordinates. */
  readonly column: string
  /** Whether the rows of a covered slice hold all records of the range there. */
  readonly isHeld: (covered: CoveredByStream) => boolean
  readonly source: (rows: ReadStoredRows) => Promise<WindowSource<R>>
}
