import type { SmallFile } from '../../catalog/files/small-files.ts'
import type { Table } from '../../define/index.ts'

/** Files that are merged, into one as a rule. */
export type Merge = {
  readonly table: Table
  /** In the order of the table; in that of their commits if their rows are sorted. */
  readonly files: readonly SmallFile[]
  /** Whether the rows follow one another in the order of the files: they are of slices, or were merged before, and do not overlap. */
  readonly isInOrder: boolean
  readonly level: number
}

/** Maximum bytes of files that are merged into one. */
export const mergedBytes = 184_000_000
/** Files of fewer bytes are small: two of them go into one. */
export const smallBytes = 92_000_000
/** Files of this level are not merged while a run follows: their rows have been rewritten three times. */
export const lastLevel = 3
/** While a run follows, this many files of one level become one file of the next level. */
export const fanOut = 16
/** A partition counts as complete after this many snapshots without a new file, if a later partition exists. */
const quietSnapshots = 4 * fanOut

/** Merges all small files of each partition into as few files as possible. */
export function mergesOfAll(table: Table, files: readonly SmallFile[]): Merge[] {
  return byPartition(files).flatMap((own) => mergesOf(table, own, lastLevel))
}

/**
 * Merges to do while a run follows: full levels, so that a row is rewritten at most three times, and all small files of complete partitions.
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

/** Files of a partition in lists that each fit into one file. A list of one file is omitted. */
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
  return merges
    .filter((own) => own.length > 1)
    .map((own) => {
      const isInOrder = own.every(hasOrder) && areApart(table, own)
      return { table, files: isInOrder ? own : own.sort((a, b) => a.id - b.id), isInOrder, level }
    })
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

function hasOrder({ level, sources }: SmallFile): boolean {
  return level > 0 || sources.every(({ slice }) => slice !== null)
}

/** Whether the rows of each file, in the order of the table, are above those of the file before it. */
function areApart(table: Table, files: readonly SmallFile[]): boolean {
  const bounds = files.map(boundsIn(table))
  return bounds.every((each, at) => {
    if (each === null) return false
    const before = at === 0 ? undefined : bounds[at - 1]
    return before === undefined || before === null || each.min > before.max
  })
}

/** The first column of the sort order, if its type has exact bounds; otherwise null. */
export function leadingColumn(table: Table): string | null {
  const [name] = table.sortBy
  const kind = name === undefined ? undefined : table.columns[name]?.type.kind
  return name !== undefined && ['int64', 'decimal', 'timestamp'].includes(kind ?? '') ? name : null
}

/** The time column that partitions a table; null without one. */
export function timeColumn({ partitionBy }: Table): string | null {
  return partitionBy.find(({ transform }) => transform !== 'identity')?.column ?? null
}

/** The bounds of a file in the leading column, as numbers; null where they are not known. */
function boundsIn(table: Table): (file: SmallFile) => { min: bigint; max: bigint } | null {
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

/** Whether a partition is complete: a later partition has files, and this one has had no new files for a long time. */
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
