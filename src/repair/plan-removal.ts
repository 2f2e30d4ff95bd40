import { day } from '../../pipelines/shared/service.ts'
import { observations } from '../../schemas/lake.ts'
import type { Catalog, CoverageRow, FileSource, Inventory, InventoryFile, InventoryTable } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { chunksOf, groupBy } from '../lib/arrays.ts'
import { catalogTimeMicros, wholeSeconds } from '../lib/time.ts'
import type { Slice } from '../model.ts'
import { subtract } from '../plan/intervals.ts'
import { sequences } from '../verify/sequences.ts'

/** What to remove from a lake. */
type Wanted = {
  /** Ids of files that are damaged. */
  readonly damaged: ReadonlySet<number>
  /** Slices of streams to fetch again, damaged or not; only for these tables, or for all with null. */
  readonly slices: readonly {
    readonly stream: string
    readonly slice: Slice
    readonly tables: readonly string[] | null
  }[]
  /** Lists to fetch again, damaged or not. */
  readonly lists?: readonly string[]
  /** Also removes files with rows that cannot be fetched again. Otherwise these files stay. */
  readonly acceptLoss: boolean
}

/** Facts about tables and streams that the catalog does not hold. */
type Rules = Awaited<ReturnType<typeof rulesOf>>

type RemovedFile = { readonly table: InventoryTable; readonly file: InventoryFile; readonly damaged: boolean }

type Cut = { readonly stream: string; readonly table: string; readonly slice: Slice }

export type RemovalPlan = {
  readonly files: readonly RemovedFile[]
  /** Slices that lose their coverage. */
  readonly cuts: readonly Cut[]
  /** Lists that are read again from their beginning; their other rows stay. */
  readonly lists: readonly string[]
  /** Files to remove with rows that cannot be fetched again. */
  readonly lost: readonly RemovedFile[]
}

/**
 * Which files to remove so that the next run stores each row exactly once. A commit with several files has its whole slice in each of
 * them, and several streams share files. A file of a list is removed alone: the next run compares its rows with the rest of the list.
 */
export function planRemoval(inventory: Inventory, wanted: Wanted, rules: Rules): RemovalPlan {
  const holders = new Map(inventory.tables.map((table) => [table.name, holdersOf(table)]))
  const removed = new Map<number, RemovedFile>()
  const lists = new Set<string>()
  const cuts: Cut[] = []
  /** Ids of `cuts`. */
  const seen = new Set<string>()
  /** Slices to cut next: a removed file cuts slices, and a cut slice removes files. */
  const waiting: Cut[] = []

  /** Removes a file, and queues the slices of its streams. Files of a list that mark rows of the table as read are removed, too. */
  const removeFile = (table: InventoryTable, file: InventoryFile): void => {
    if (removed.has(file.id)) return
    removed.set(file.id, { table, file, damaged: wanted.damaged.has(file.id) })
    for (const { stream, slice } of sourcesOf(inventory, table.name, file)) {
      if (slice !== null) {
        waiting.push({ stream, table: table.name, slice: rules.sliceToRead(file, slice) })
        continue
      }
      lists.add(stream)
      const markers = rules.markersOf(table.name).flatMap((name) => holders.get(name) ?? [])
      for (const { table, lists } of markers) for (const { file } of lists.get(stream) ?? []) removeFile(table, file)
    }
  }
  /** Cuts a slice: removes the files that may hold rows of it, and queues the same slice of streams that share rows with its stream. */
  const cutSlice = (cut: Cut): void => {
    if (seen.has(idOf(cut))) return
    seen.add(idOf(cut))
    cuts.push(cut)
    const holder = holders.get(cut.table)
    if (holder === undefined) return
    for (const file of filesWith(holder, cut, inventory, rules)) removeFile(holder.table, file)
    for (const { stream, table, slice: own } of inventory.coverage) {
      if (table !== cut.table || stream === cut.stream || !rules.shareRows(stream, cut.stream)) continue
      const slice = { from: Math.max(own.from, cut.slice.from), to: Math.min(own.to, cut.slice.to) }
      if (slice.from < slice.to) waiting.push({ stream, table, slice })
    }
  }

  const isOfLists = ({ sources }: InventoryFile) =>
    sources.some(({ stream, slice }) => slice === null && wanted.lists?.includes(stream))
  const chosen = inventory.tables.flatMap((table) =>
    table.files.flatMap((file) => {
      const damaged = wanted.damaged.has(file.id)
      return damaged || isOfLists(file) ? [{ table, file, damaged }] : []
    }),
  )
  const lost = chosen.filter(({ table, file }) => rules.isUnrepeatable(table.name, file))
  for (const one of chosen) if (wanted.acceptLoss || !lost.includes(one)) removeFile(one.table, one.file)
  waiting.push(...wanted.slices.flatMap((one) => wantedCuts(inventory, one)))
  for (;;) {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) cutSlice(next)
    // Tables without rows in a cut slice are fetched again together with the other tables.
    waiting.push(...cutsLeftAlone(inventory.coverage, cuts, holders, rules))
    if (waiting.every((cut) => seen.has(idOf(cut)))) break
  }
  return { files: [...removed.values()], cuts, lists: [...lists].sort(), lost }
}

function idOf({ stream, table, slice }: Cut): string {
  return `${table} ${stream} ${slice.from} ${slice.to}`
}

function wantedCuts({ coverage }: Inventory, { stream, slice, tables }: Wanted['slices'][number]): Cut[] {
  return coverage
    .filter((row) => row.stream === stream && (tables === null || tables.includes(row.table)))
    .filter((row) => overlap(row.slice, slice))
    .map(({ table }) => ({ stream, table, slice }))
}

/** The files that may hold rows of a slice. */
function filesWith(
  { streams, unknown }: Holders,
  cut: Cut,
  inventory: Inventory,
  { shareRows }: Rules,
): InventoryFile[] {
  const held = [...streams].flatMap(([stream, slices]) =>
    stream === cut.stream || shareRows(stream, cut.stream)
      ? slices.filter(({ slice }) => overlap(slice, cut.slice))
      : [],
  )
  // A file without a record in a damaged catalog may hold any rows of its network.
  const network = inventory.streams.get(cut.stream)?.network
  return [
    ...held.map(({ file }) => file),
    ...unknown.filter((file) => file.network === null || file.network === network),
  ]
}

/** The files of a table by the stream that they may hold: slices of ranges, or rows of lists. `unknown`: without a record of their contents. */
type Holders = ReturnType<typeof holdersOf>

function holdersOf(table: InventoryTable) {
  const held = table.files.flatMap((file) => file.sources.map((source) => ({ ...source, file })))
  const ofRanges = held.flatMap(({ stream, slice, file }) => (slice === null ? [] : [{ stream, slice, file }]))
  const ofLists = held.filter(({ slice }) => slice === null)
  return {
    table,
    streams: groupBy(ofRanges, ({ stream }) => stream),
    lists: groupBy(ofLists, ({ stream }) => stream),
    unknown: table.files.filter(({ sources }) => sources.length === 0),
  }
}

/** The streams and slices that a file may hold; without a record, all that its table has of its network. */
export function sourcesOf(
  { coverage, written, streams }: Inventory,
  table: string,
  file: InventoryFile,
): readonly FileSource[] {
  if (file.sources.length > 0) return file.sources
  const isOwn = (row: { readonly table: string; readonly stream: string }) =>
    row.table === table && (file.network === null || streams.get(row.stream)?.network === file.network)
  return [
    ...coverage.filter(isOwn).map(({ stream, slice }) => ({ stream, slice })),
    ...written.filter(isOwn).map(({ stream }) => ({ stream, slice: null })),
  ]
}

/** Slices of cut streams that would remain covered for one table alone, without a file that holds rows there. */
function cutsLeftAlone(
  coverage: readonly CoverageRow[],
  cuts: readonly Cut[],
  holders: ReadonlyMap<string, Holders>,
  { isCheckedAlone }: Rules,
): Cut[] {
  return [...groupBy(cuts, ({ stream }) => stream)].flatMap(([stream, own]) => {
    const covered = coverage.filter((row) => row.stream === stream)
    const left = [...groupBy(covered, ({ table }) => table)].map(([name, rows]) => {
      const lost = own.flatMap(({ table, slice }) => (table === name ? [slice] : []))
      const slices = rows.map(({ slice }) => slice)
      return { table: name, slices: subtract(slices, lost) }
    })
    return left
      .filter(({ table }) => left.length > 1 && !isCheckedAlone(table))
      .flatMap(({ table, slices }) => {
        const others = left.flatMap((other) => (other.table === table ? [] : other.slices))
        const held = (holders.get(table)?.streams.get(stream) ?? []).map(({ slice }) => slice)
        return subtract(slices, [...others, ...held]).map((slice) => ({ stream, table, slice }))
      })
  })
}

export function overlap(a: Slice, b: Slice): boolean {
  return a.from < b.to && b.from < a.to
}

/** Statistics of this many files are in memory at a time. */
const batchFiles = 200

/** The rules for a removal, from the declarations of tables and streams in the lake. */
export async function rulesOf(inventory: Inventory, catalog: Pick<Catalog, 'fileStats'>) {
  const observed = new Set(inventory.observations.values())
  const timedTables = tablesOf(inventory, ({ walk }) => walk === 'timeWindow')
  const seenOnce = tablesOf(inventory, ({ stream }) => observed.has(stream))
  const unrepeatable = new Set(inventory.declared.filter(isUnrepeatable).map(({ name }) => name))
  const latest = new Map<number, number>()
  for (const known of inventory.tables) {
    const table = inventory.declared.find(({ name }) => name === known.name)
    if (table !== undefined && timedTables.has(table.name))
      for (const [id, second] of await latestSeconds(known, table, catalog)) latest.set(id, second)
  }
  return {
    /** Whether some rows of a file cannot be fetched again. */
    isUnrepeatable: (table: string, { sources }: InventoryFile): boolean =>
      unrepeatable.has(table) ||
      // Rows that an observation saw once: their subject may be gone now.
      (sources.length === 0
        ? seenOnce.has(table)
        : sources.some(({ stream, slice }) => slice === null && observed.has(stream))),
    shareRows: shareRowsIn(inventory.streams),
    /** Whether a table may cover more than the tables that are read with it, because its rows can be checked alone. */
    isCheckedAlone: (name: string): boolean => sequences.some(({ table }) => table.name === name),
    markersOf: (table: string) => markersOf(inventory, table),
    /** The slice to fetch again for the slice of a file: the file may have rows beyond its slice. */
    sliceToRead: (file: InventoryFile, slice: Slice) => sliceToRead(file, slice, latest.get(file.id)),
  }
}

/** Whether rows of a table cannot be fetched again: observations of the past. */
export function isUnrepeatable({ name, history }: Table): boolean {
  return history !== 'rows' || name === observations.name
}

/** Names of the tables that such streams fill. Some are read by time: a run reads up to a day beyond the covered time. */
function tablesOf({ streams }: Inventory, isSuch: (stream: { stream: string; walk: string }) => boolean) {
  return new Set([...streams.values()].filter(isSuch).flatMap(({ tables }) => tables))
}

/** Tables with rows that mark rows of this one as read: a key counts as read when the first table of its stream has its row. To fetch rows of the other tables again, that row must be removed, too. */
function markersOf({ streams }: Inventory, table: string): readonly string[] {
  const first = [...streams.values()].flatMap(({ walk, tables: [first, ...others] }) =>
    walk === 'keyed' && first !== undefined && others.includes(table) ? [first] : [],
  )
  return [...new Set(first)]
}

/** Whether two streams may hold the same rows: each row is stored once, by one of them. */
export function shareRowsIn(streams: Inventory['streams']) {
  return (a: string, b: string): boolean => {
    const [left, right] = [streams.get(a), streams.get(b)]
    return left !== undefined && left.network === right?.network && left.overlapping.includes(right.path)
  }
}

/** The second after the last row of each file of a table that is read by time. */
async function latestSeconds(
  { files, columns }: InventoryTable,
  { partitionBy }: Table,
  catalog: Pick<Catalog, 'fileStats'>,
): Promise<Map<number, number>> {
  const key = partitionBy.find(({ transform }) => transform !== 'identity')
  const column = columns.find(({ name, parentId }) => name === key?.column && parentId === null)
  const ids = files.filter(({ sources }) => sources.some(({ slice }) => slice !== null)).map(({ id }) => id)
  const found = new Map<number, number>()
  if (column === undefined) return found
  for (const some of chunksOf(ids, batchFiles))
    for (const [id, stats] of await catalog.fileStats(some)) {
      const max = stats.find(({ fieldId }) => fieldId === column.id)?.max ?? null
      const time = max === null ? null : catalogTimeMicros(max)
      if (time !== null) found.set(id, wholeSeconds(time * 1000n) + 1)
    }
  return found
}

function sliceToRead({ sources }: InventoryFile, slice: Slice, latest: number | undefined): Slice {
  // The later slice of a file was read after the time between its slices.
  const isLast = !sources.some((other) => other.slice !== null && other.slice.from >= slice.to)
  if (latest === undefined || !isLast) return slice
  return { from: slice.from, to: Math.max(slice.to, Math.min(latest, slice.to + day)) }
}

type Sum = { rows: number; bytes: number }
type Written = Sum & { readonly stream: string; readonly table: string }

/**
 * The coverage and row counts after a removal. `covered`: the remaining parts of the rows in `uncovered`, with the ends of these rows.
 *
 * Subtracts the rows of removed files from the counts of their streams, so that the counts still add up to the rows of the files. When
 * several small streams share a file, the catalog does not know how many rows belong to each: their counts are approximate, the sum is exact.
 */
export function recount(inventory: Inventory, plan: RemovalPlan) {
  const uncovered = inventory.coverage.filter((row) => cutsOf(plan, row).some((slice) => overlap(row.slice, slice)))
  const withSum = (row: CoverageRow) => ({ row, sum: { rows: row.rows, bytes: row.bytes } })
  const changed = uncovered.map(withSum)
  const rest = inventory.coverage.filter((row) => !uncovered.includes(row)).map(withSum)
  const written = inventory.written.map((row) => ({ ...row }))
  const all = groupBy([...changed, ...written.map((row) => ({ row, sum: row })), ...rest], ({ row }) => row.table)
  for (const { table, file } of plan.files) {
    const streams = [...new Set(file.sources.map(({ stream }) => stream))]
    const others = all.get(table.name) ?? []
    const own = streams.flatMap((stream) => others.filter(({ row }) => row.stream === stream))
    takeOut(
      [...own, ...others].map(({ sum }) => sum),
      file,
    )
  }

  const covered: CoverageRow[] = []
  for (const { row, sum } of changed) {
    const slices = subtract([row.slice], cutsOf(plan, row))
    let left = { ...sum }
    let length = slices.reduce((total, slice) => total + slice.to - slice.from, 0)
    for (const slice of slices) {
      const own = slice.to - slice.from
      const counts = { rows: part(left.rows, own, length), bytes: part(left.bytes, own, length) }
      left = { rows: left.rows - counts.rows, bytes: left.bytes - counts.bytes }
      length -= own
      covered.push({ ...row, slice, ...counts })
    }
    // Rows that stay although their slice is fetched again.
    if (slices.length === 0 && left.rows > 0) keep(written, row, left)
  }
  for (const { row, sum } of rest)
    if (sum.rows !== row.rows) {
      uncovered.push(row)
      covered.push({ ...row, ...sum })
    }
  const before = new Map(inventory.written.map((row) => [`${row.table} ${row.stream}`, row.rows]))
  return { uncovered, covered, written: written.filter((row) => before.get(`${row.table} ${row.stream}`) !== row.rows) }
}

/** Streams with approximate row counts after a removal, since they share files with other streams. */
export function guessedStreams({ files }: Pick<RemovalPlan, 'files'>): string[] {
  const shared = files.flatMap(({ file }) => {
    const streams = new Set(file.sources.map(({ stream }) => stream))
    return streams.size > 1 ? [...streams] : []
  })
  return [...new Set(shared)].sort()
}

function cutsOf({ cuts }: RemovalPlan, row: CoverageRow): Slice[] {
  return cuts.filter((cut) => cut.stream === row.stream && cut.table === row.table).map(({ slice }) => slice)
}

/** Subtracts rows and bytes from the counts, beginning with the first. */
function takeOut(sums: readonly Sum[], { rows, bytes }: Readonly<Sum>): void {
  let [rowsLeft, bytesLeft] = [rows, bytes]
  for (const sum of sums) {
    const taken = { rows: Math.min(sum.rows, rowsLeft), bytes: Math.min(sum.bytes, bytesLeft) }
    sum.rows -= taken.rows
    sum.bytes -= taken.bytes
    rowsLeft -= taken.rows
    bytesLeft -= taken.bytes
    if (rowsLeft === 0 && bytesLeft === 0) return
  }
}

function part(whole: number, length: number, of: number): number {
  return length === of ? whole : Math.floor((whole * length) / of)
}

function keep(written: Written[], { stream, table }: CoverageRow, { rows, bytes }: Sum): void {
  const known = written.find((row) => row.stream === stream && row.table === table)
  if (known === undefined) written.push({ stream, table, rows, bytes })
  else {
    known.rows += rows
    known.bytes += bytes
  }
}
