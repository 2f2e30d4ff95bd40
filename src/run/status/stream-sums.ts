import type { StreamStatus } from '../../catalog/catalog.ts'

/** Rows and bytes of all tables of these streams. */
export function streamSums(streams: readonly StreamStatus[]): { readonly rows: number; readonly bytes: number } {
  const tables = streams.flatMap((stream) => stream.tables)
  return {
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
