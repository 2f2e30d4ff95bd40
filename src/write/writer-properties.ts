import {
  Compression,
  EnabledStatistics,
  Encoding,
  type WriterProperties,
  WriterPropertiesBuilder,
  WriterVersion,
} from 'parquet-wasm/esm'
import type { PartLayout } from './messages.ts'

/** A row group ends at this many bytes even when it has few rows, so that large blobs do not pile up in memory. */
const rowGroupBytes = 8 * 1024 * 1024

/**
 * Bytes per page. Each open column holds up to one page, so a page smaller than usual (1 MiB) keeps the memory of many columns small.
 * Smaller pages cost more time and space (measured: half the size costs a tenth of the encoder's time).
 */
const pageBytes = 256 * 1024

/** zstd, Parquet V2, statistics for each row group; dictionaries unless a column says otherwise. */
export function writerProperties(layout: PartLayout): WriterProperties {
  let builder = new WriterPropertiesBuilder()
    .setCreatedBy('chainlake')
    .setCompression(Compression.ZSTD)
    .setWriterVersion(WriterVersion.V2)
    .setMaxRowGroupSize(layout.rowGroupRows)
    .setMaxRowGroupBytes(rowGroupBytes)
    .setStatisticsEnabled(EnabledStatistics.Chunk)
    .setDictionaryEnabled(true)
    .setDataPageSizeLimit(pageBytes)
    // The encoding that a column falls back to when its dictionary grows too large. Without it V2 uses a slow delta encoding.
    .setEncoding(Encoding.PLAIN)
  for (const { name, encoding } of layout.columns) {
    if (encoding === 'dictionary') continue
    builder = builder
      .setColumnDictionaryEnabled(name, false)
      .setColumnEncoding(name, encoding === 'delta' ? Encoding.DELTA_BINARY_PACKED : Encoding.PLAIN)
  }
  return builder.build()
}
