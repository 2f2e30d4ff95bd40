import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'

/** The layout of a Parquet file: its schema, with field ids and nullability, and the encoding of each column. */
export function layoutOf(lake: string, path: string) {
  const bytes = readFileSync(join(lake, path))
  const { created_by, version, schema, row_groups } = parquetMetadata(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  )
  const columns = row_groups[0]?.columns.map(({ meta_data: { path_in_schema, type, codec, statistics } = {} }) => ({
    path: path_in_schema,
    type,
    codec,
    hasStatistics: statistics !== undefined,
  }))
  return { created_by, version, schema, columns }
}
