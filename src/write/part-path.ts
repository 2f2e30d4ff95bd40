import type { Table } from '../define/index.ts'

/** What stands for null in the name of a partition's folder, as Hive has it. */
export const nullPartition = '__HIVE_DEFAULT_PARTITION__'

/** Together unique, so that no name is ever used twice. */
export type PartName = {
  /** First position of the unit in its source. */
  readonly from: number
  readonly runId: string
  /** Counts the parts of a run. */
  readonly sequence: number
}

/**
 * Path of a part relative to the lake, with `/`:
 * `data/p_blocks/network=mainnet/month=2026-11/000000065536-<run>-0.parquet`.
 */
export function partPath(table: Table, partition: readonly (string | null)[], name: PartName): string {
  const folders = table.partitionBy.map((key, i) => {
    const folder = key.transform === 'identity' ? key.column : key.transform
    return `${folder}=${folderValue(partition[i] ?? null)}`
  })
  const file = `${String(name.from).padStart(12, '0')}-${encodeValue(name.runId)}-${name.sequence}.parquet`
  return ['data', table.name, ...folders, file].join('/')
}

function folderValue(value: string | null): string {
  if (value === null) return nullPartition
  return value === nullPartition ? value.replace('_', '%5F') : encodeValue(value)
}

/** Percent-encodes all but letters, digits, `-`, `_` and `.`: what file systems, globs and object stores take as it is. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
