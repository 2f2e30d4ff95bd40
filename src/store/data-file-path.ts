import type { PartitionKey } from '../define/index.ts'

const dataFolder = 'data'

/** The value for null in the folder name of a partition, as in Hive. */
const nullPartition = '__HIVE_DEFAULT_PARTITION__'

/** The parts of a file name. Together they are unique, so that no name is ever used twice. */
type DataFileName = {
  /** First coordinate of the unit in its source. */
  readonly from: number
  /** Letters and digits. */
  readonly runId: string
  /** Counts the files of a run. */
  readonly sequence: number
}

type DataFilePath = DataFileName & {
  readonly table: string
  /** The folders, outermost first; null for rows without a time. */
  readonly partition: readonly { readonly key: string; readonly value: string | null }[]
}

/**
 * Path of a data file relative to the lake, with `/`:
 * `data/p_blocks/network=mainnet/month=2026-11/000000065536-<run>-0.parquet`.
 */
export function dataFilePath(
  table: { readonly name: string; readonly partitionBy: readonly PartitionKey[] },
  partition: readonly (string | null)[],
  name: DataFileName,
): string {
  const folders = table.partitionBy.map((key, position) => ({
    key: key.transform === 'identity' ? key.column : key.transform,
    value: partition[position] ?? null,
  }))
  return pathText({ ...name, table: table.name, partition: folders })
}

/** Parses a path relative to the lake, with `/`; null if `dataFilePath` never makes such a path. */
export function readDataFilePath(path: string): DataFilePath | null {
  const [root, table, ...rest] = path.split('/')
  const name = readDataFileName(rest.pop() ?? '')
  if (root !== dataFolder || table === undefined || table === '' || name === null) return null
  const partition = rest.map(readFolder)
  if (!partition.every((folder) => folder !== null)) return null
  const read = { ...name, table, partition }
  return pathText(read) === path ? read : null
}

/**
 * Whether a path leads into the data folder and cannot leave it: relative, with `/`, without empty, `.` or `..` segments. It says nothing about
 * links, which lakes may have for their folders.
 */
export function isInDataFolder(path: string): boolean {
  return path === dataFolder || inData.test(path)
}

const inData = /^data\/(?:(?!\.{1,2}\/)[^/\\\0]+\/)*(?!\.{1,2}$)[^/\\\0]*$/

/** Parses the file name of a data file in any folder; null for other names. */
export function readDataFileName(name: string): DataFileName | null {
  const [, from, runId, sequence] = /^(\d{12,})-([0-9A-Za-z]+)-(\d+)\.parquet$/.exec(name) ?? []
  return runId === undefined ? null : { from: Number(from), runId, sequence: Number(sequence) }
}

/** The folder of a table's files relative to the lake, with `/` at the end. */
export function tableFolder(table: string): string {
  return `${dataFolder}/${table}/`
}

/** Converts a path in the catalog, which is relative to the data folder, to a path relative to the lake. */
export function inDataFolder(path: string): string {
  return `${dataFolder}/${path}`
}

function pathText({ table, partition, from, runId, sequence }: DataFilePath): string {
  const folders = partition.map(({ key, value }) => `${key}=${folderValue(value)}`)
  const file = `${String(from).padStart(12, '0')}-${runId}-${sequence}.parquet`
  return [dataFolder, table, ...folders, file].join('/')
}

function readFolder(folder: string): DataFilePath['partition'][number] | null {
  const [, key, text] = /^([^=]+)=(.*)$/.exec(folder) ?? []
  if (key === undefined || text === undefined) return null
  if (text === nullPartition) return { key, value: null }
  try {
    return { key, value: decodeURIComponent(text) }
  } catch {
    return null
  }
}

function folderValue(value: string | null): string {
  if (value === null) return nullPartition
  return value === nullPartition ? value.replace('_', '%5F') : encodeValue(value)
}

/** Percent-encodes all characters except letters, digits, `-`, `_` and `.`, which file systems, globs and object stores accept. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
