import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'

/** The columns of a Parquet file with their field ids, also nested ones, and whether each has statistics. */
export function columnsIn(lake: string, path: string) {
  const bytes = readFileSync(join(lake, path))
  const { schema, row_groups } = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return {
    columns: schema.flatMap(({ name, field_id }) => (field_id === undefined ? [] : [[name, field_id]])),
    withStatistics: row_groups[0]?.columns.map(({ meta_data }) => meta_data?.statistics !== undefined),
  }
}
