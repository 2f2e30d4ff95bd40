import { readFile } from 'node:fs/promises'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

/**
 * The rows of a Parquet file, read by hyparquet. By default it returns decimals as floating point and times in milliseconds. So
 * these types are removed from the metadata: decimals come as big-endian bytes, times as bigint microseconds.
 */
export async function readIndependently(file: string): Promise<Record<string, any>[]> {
  const bytes = new Uint8Array(await readFile(file)).buffer
  const metadata = parquetMetadata(bytes)
  for (const element of metadata.schema) {
    if (element.converted_type !== 'DECIMAL' && element.converted_type !== 'TIMESTAMP_MICROS') continue
    delete element.converted_type
    delete element.logical_type
  }
  const parsers = { stringFromBytes: (value: Uint8Array) => value && Buffer.from(value).toString('utf8') }
  return parquetReadObjects({ file: bytes, metadata, compressors, utf8: false, parsers: parsers as never })
}

/** Signed, big-endian, as Parquet stores decimals. */
export function decimalOf(bytes: Uint8Array): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}
