import type { SmallFile } from '../../catalog/files/small-files.ts'
import type { Table } from '../../define/index.ts'

/** Files that are merged, into one as a rule. */
export type Merge = {
  readonly table: Table
  /** In the order of the table. */
  readonly files: readonly SmallFile[]
  /** Of these, groups of files whose rows lie between those of the groups before and after. */
  readonly groups: readonly (readonly SmallFile[])[]
  readonly level: number
}

/** Merged files have no more bytes than this, 200 MB, but for what is left in the encoder when they end. */
export const mergedBytes = 184_000_000
/** Files of fewer bytes are small: two of them go into one. */
export const smallBytes = 92_000_000
/** Files of this level are not written anew while a run follows: their rows were three times. */
export const lastLevel = 3
/** While a run follows, so many files of a level become one of the next. */
export const fanOut = 16
/** So many snapshots without a file for it, and a partition that later ones follow is taken for whole. */
const quietSnapshots = 4 * fanOut

/** All small files of each partition, in as few as may be. */
export function mergesOfAll(table: Table, files: readonly SmallFile[]): Merge[] {
  return byPartition(files).flatMap((own) => mergesOf(table, own, lastLevel))
}

/**
 * What is worth merging while a run follows: levels that have become full, so that a row is written anew at most three times; of partitions
 * that are whole, all small files.
 */
export function mergesInLevels(table: Table, files: readonly SmallFile[], snapshotId: number): Merge[] {
  const partitions = byPartition(files.filter(({ level }) => level < lastLevel))
  return partitions.flatMap((own) => {
    if (isWhole(table, own, partitions, snapshotId)) return mergesOf(table, own, lastLevel)
    return [0, 1, 2].flatMap((level) => {
      const ofLevel = own.filter((file) => file.level === level)
      const isFull = ofLevel.length >= fanOut || sum(ofLevel) >= mergedBytes
      return isFull ? mergesOf(table, ofLevel, level + 1) : []
    })
  })
}

/** Files of a partition in lists that fit into one file each; such as would only be written anew are left out. */
function mergesOf(table: Table, files: readonly SmallFile[], level: number): Merge[] {
  const merges: SmallFile[][] = []
  let bytes = 0
  for (const file of inOrder(table, files)) {
    const last = merges.at(-1)
    if (last === undefined || bytes + file.bytes > mergedBytes) {
      merges.push([file])
      bytes = file.bytes
    } else {
      last.push(file)
      bytes += file.bytes
    }
  }
  return merges.filter((own) => own.length > 1).map((own) => ({ table, files: own, groups: apart(table, own), level }))
}

function inOrder(table: Table, files: readonly SmallFile[]): SmallFile[] {
  const boundsOf = boundsIn(table)
  return files
    .map((file) => ({ file, min: boundsOf(file)?.min ?? null }))
    .sort((a, b) => {
      if (a.min === null || b.min === null || a.min === b.min) return a.file.id - b.file.id
      return a.min < b.min ? -1 : 1
    })
    .map(({ file }) => file)
}

/** Files whose rows overlap in the order of the table stand together; of unknown bounds, all do. */
function apart(table: Table, files: readonly SmallFile[]): SmallFile[][] {
  const boundsOf = boundsIn(table)
  const groups: SmallFile[][] = []
  let end: bigint | null = null
  for (const file of files) {
    const bounds = boundsOf(file)
    if (bounds === null) return [[...files].sort((a, b) => a.id - b.id)]
    const last = groups.at(-1)
    if (last === undefined || end === null || bounds.min > end) groups.push([file])
    else last.push(file)
    if (end === null || bounds.max > end) end = bounds.max
  }
  return groups.map((group) => group.sort((a, b) => a.id - b.id))
}

/** The column whose bounds tell files apart: the first one of the order, of a type whose bounds are exact; null without such. */
export function leadingColumn(table: Table): string | null {
  const [name] = table.sortBy
  const kind = name === undefined ? undefined : table.columns[name]?.type.kind
  return name !== undefined && ['int64', 'decimal', 'timestamp'].includes(kind ?? '') ? name : null
}

/** The time that a table is partitioned by; null without one. */
export function timeColumn({ partitionBy }: Table): string | null {
  return partitionBy.find(({ transform }) => transform !== 'identity')?.column ?? null
}

/** The bounds of a file in the leading column, as numbers; null where they are not known. */
export function boundsIn(table: Table): (file: SmallFile) => { min: bigint; max: bigint } | null {
  const column = leadingColumn(table)
  return (file) => {
    const bounds = column === null ? null : file.bounds(column)
    return bounds === null ? null : { min: boundValue(bounds.min), max: boundValue(bounds.max) }
  }
}

/** A bound of the catalog as a number: digits, or `2024-01-15 12:30:00.123456+00` in microseconds. */
export function boundValue(text: string): bigint {
  const [, day, time, fraction = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? []
  if (day === undefined) return BigInt(text)
  return BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

/** Whether rows of a partition are not to be expected any more: a later one has files, and it got none for long. */
function isWhole(
  table: Table,
  files: readonly SmallFile[],
  partitions: readonly (readonly SmallFile[])[],
  snapshotId: number,
): boolean {
  const [first] = files
  const at = table.partitionBy.findIndex(({ transform }) => transform !== 'identity')
  const time = first?.partition[at] ?? null
  if (first === undefined || time === null || files.some(({ since }) => since > snapshotId - quietSnapshots))
    return false
  const rest = ({ partition }: SmallFile): string => JSON.stringify(partition.with(at, null))
  return partitions.some(([other]) => {
    const later = other?.partition[at] ?? null
    return other !== undefined && later !== null && later > time && rest(other) === rest(first)
  })
}

function byPartition(files: readonly SmallFile[]): SmallFile[][] {
  const partitions = new Map<string, SmallFile[]>()
  for (const file of files) {
    const key = JSON.stringify(file.partition)
    const own = partitions.get(key) ?? []
    partitions.set(key, own)
    own.push(file)
  }
  return [...partitions.values()]
}

function sum(files: readonly SmallFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}
