import type { CoverageRow, FileSource, Inventory, InventoryFile, InventoryTable } from '../catalog/catalog.ts'
import type { Slice } from '../model.ts'
import { subtract } from '../plan/intervals.ts'

/** What to remove from a lake. */
export type Wanted = {
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
export type Rules = {
  /** Whether some rows of a file cannot be fetched again. */
  readonly isUnrepeatable: (table: string, file: InventoryFile) => boolean
  /** Tables with rows that mark rows of this table as read, in streams without ranges. */
  readonly doneBy: (table: string) => readonly string[]
  /** Whether the files of one stream may leave out rows that the other stream has stored. */
  readonly shareRows: (a: string, b: string) => boolean
  /** Whether a table may cover more than the tables that are read with it, because its rows can be checked alone. */
  readonly standsAlone: (table: string) => boolean
  /** The slice to fetch again for the slice of a file: rows may lie beyond the slice of the file. */
  readonly reachOf: (table: string, file: InventoryFile, slice: Slice) => Slice
}

export type RemovedFile = { readonly table: InventoryTable; readonly file: InventoryFile; readonly damaged: boolean }

export type Cut = { readonly stream: string; readonly table: string; readonly slice: Slice }

export type RemovalPlan = {
  readonly files: readonly RemovedFile[]
  /** Slices that lose their coverage. */
  readonly cuts: readonly Cut[]
  /** Lists that are read again from their beginning; their other rows stay. */
  readonly lists: readonly string[]
  /** Files to remove with rows that cannot be fetched again. */
  readonly lost: readonly RemovedFile[]
}

/** A plan while it grows: a removed file cuts slices, and a cut slice removes files. */
type Draft = {
  readonly inventory: Inventory
  readonly damaged: ReadonlySet<number>
  readonly rules: Rules
  readonly holders: ReadonlyMap<string, Holders>
  readonly removed: Map<number, RemovedFile>
  readonly lists: Set<string>
  readonly cuts: Cut[]
  /** Ids of `cuts`. */
  readonly seen: Set<string>
  /** Slices to cut next. */
  readonly waiting: Cut[]
}

/**
 * Which files to remove so that the next run stores each row exactly once. A unit that filled several files has its whole slice in each of
 * them, and several streams share files. A file of a list is removed alone: the next run compares its rows with the rest of the list.
 */
export function planRemoval(inventory: Inventory, wanted: Wanted, rules: Rules): RemovalPlan {
  const draft: Draft = {
    inventory,
    damaged: wanted.damaged,
    rules,
    holders: new Map(inventory.tables.map((table) => [table.name, holdersOf(table)])),
    removed: new Map(),
    lists: new Set(),
    cuts: [],
    seen: new Set(),
    waiting: [],
  }
  const { waiting, seen, cuts } = draft
  const damaged = inventory.tables.flatMap((table) =>
    table.files.flatMap((file) => (wanted.damaged.has(file.id) ? [{ table, file, damaged: true }] : [])),
  )
  const ofLists = inventory.tables.flatMap((table) =>
    table.files.flatMap((file) => (isOfLists(file, wanted) ? [{ table, file, damaged: false }] : [])),
  )
  const chosen = [...damaged, ...ofLists]
  const lost = chosen.filter(({ table, file }) => rules.isUnrepeatable(table.name, file))
  for (const one of chosen) if (wanted.acceptLoss || !lost.includes(one)) removeFile(draft, one.table, one.file)
  waiting.push(...wanted.slices.flatMap((one) => wantedCuts(inventory, one)))
  for (;;) {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) cutSlice(draft, next)
    // Tables without rows in a cut slice are fetched again together with the other tables.
    waiting.push(...lonelyCuts(inventory.coverage, cuts, draft.holders, rules))
    if (waiting.every((cut) => seen.has(idOf(cut)))) break
  }
  return { files: [...draft.removed.values()], cuts, lists: [...draft.lists].sort(), lost }
}

function isOfLists({ id, sources }: InventoryFile, { damaged, lists = [] }: Wanted): boolean {
  return !damaged.has(id) && sources.some(({ stream, slice }) => slice === null && lists.includes(stream))
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

/** Removes a file, and queues the slices of its streams. */
function removeFile(draft: Draft, table: InventoryTable, file: InventoryFile): void {
  const { inventory, damaged, rules, removed, lists, waiting } = draft
  if (removed.has(file.id)) return
  removed.set(file.id, { table, file, damaged: damaged.has(file.id) })
  for (const { stream, slice } of sourcesOf(inventory, table.name, file))
    if (slice === null) {
      lists.add(stream)
      removeMarkers(draft, table.name, stream)
    } else waiting.push({ stream, table: table.name, slice: rules.reachOf(table.name, file, slice) })
}

/** Removes the files of a list that mark rows of the table as read. */
function removeMarkers(draft: Draft, table: string, stream: string): void {
  for (const name of draft.rules.doneBy(table)) {
    const holder = draft.holders.get(name)
    for (const file of holder?.lists.get(stream) ?? []) if (holder !== undefined) removeFile(draft, holder.table, file)
  }
}

/** Cuts a slice: removes the files that may hold rows of it, and queues the same slice of streams that share rows with its stream. */
function cutSlice(draft: Draft, cut: Cut): void {
  const { inventory, rules, holders, cuts, seen, waiting } = draft
  if (seen.has(idOf(cut))) return
  seen.add(idOf(cut))
  cuts.push(cut)
  const holder = holders.get(cut.table)
  if (holder === undefined) return
  for (const file of filesWith(holder, cut, draft)) removeFile(draft, holder.table, file)
  for (const row of inventory.coverage) {
    if (row.table !== cut.table || row.stream === cut.stream || !rules.shareRows(row.stream, cut.stream)) continue
    const slice = { from: Math.max(row.slice.from, cut.slice.from), to: Math.min(row.slice.to, cut.slice.to) }
    if (slice.from < slice.to) waiting.push({ stream: row.stream, table: row.table, slice })
  }
}

/** The files that may hold rows of a slice. */
function filesWith(
  { streams, unknown }: Holders,
  cut: Cut,
  { rules: { shareRows }, inventory }: Draft,
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

type Holders = {
  readonly table: InventoryTable
  /** For each stream with ranges, the slices of it and the files that may hold them. */
  readonly streams: ReadonlyMap<string, readonly { readonly slice: Slice; readonly file: InventoryFile }[]>
  /** For each list, the files that may hold rows of it. */
  readonly lists: ReadonlyMap<string, readonly InventoryFile[]>
  /** Files without a record of their contents. */
  readonly unknown: readonly InventoryFile[]
}

function holdersOf(table: InventoryTable): Holders {
  const streams = new Map<string, { slice: Slice; file: InventoryFile }[]>()
  const lists = new Map<string, InventoryFile[]>()
  for (const file of table.files)
    for (const { stream, slice } of file.sources) {
      if (slice === null) {
        lists.set(stream, [...(lists.get(stream) ?? []), file])
        continue
      }
      const own = streams.get(stream) ?? []
      streams.set(stream, own)
      own.push({ slice, file })
    }
  return { table, streams, lists, unknown: table.files.filter(({ sources }) => sources.length === 0) }
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
function lonelyCuts(
  coverage: readonly CoverageRow[],
  cuts: readonly Cut[],
  holders: ReadonlyMap<string, Holders>,
  { standsAlone }: Rules,
): Cut[] {
  return [...new Set(cuts.map(({ stream }) => stream))].flatMap((stream) => {
    const own = coverage.filter((row) => row.stream === stream)
    const tables = [...new Set(own.map(({ table }) => table))]
    const left = tables.map((table) => ({
      table,
      slices: subtract(
        own.flatMap((row) => (row.table === table ? [row.slice] : [])),
        cuts.flatMap((cut) => (cut.stream === stream && cut.table === table ? [cut.slice] : [])),
      ),
    }))
    if (tables.length === 1) return []
    return left
      .filter(({ table }) => !standsAlone(table))
      .flatMap(({ table, slices }) => {
        const others = left.flatMap((other) => (other.table === table ? [] : other.slices))
        const own = holders.get(table)?.streams.get(stream) ?? []
        const held = own.map(({ slice }) => slice)
        return subtract(slices, [...others, ...held]).map((slice) => ({ stream, table, slice }))
      })
  })
}

export function overlap(a: Slice, b: Slice): boolean {
  return a.from < b.to && b.from < a.to
}

/** The rows of coverage that a plan changes. */
export function changedCoverage({ coverage }: Inventory, { cuts }: RemovalPlan): CoverageRow[] {
  return coverage.filter((row) =>
    cuts.some(({ stream, table, slice }) => stream === row.stream && table === row.table && overlap(row.slice, slice)),
  )
}
