import type { CoverageRow, FileSource, Inventory, InventoryFile, InventoryTable } from '../catalog/catalog.ts'
import type { Slice } from '../model.ts'
import { subtract } from '../plan/intervals.ts'

/** What shall leave a lake. */
export type Wanted = {
  /** Ids of files that are damaged. */
  readonly damaged: ReadonlySet<number>
  /** Slices of streams that shall be read again, whatever is wrong with them; of these tables, all when null. */
  readonly slices: readonly {
    readonly stream: string
    readonly slice: Slice
    readonly tables: readonly string[] | null
  }[]
}

/** What is known of tables and streams besides the catalog. */
export type Rules = {
  /** Whether rows of a file cannot be read again, or not all of them. */
  readonly isUnrepeatable: (table: string, file: InventoryFile) => boolean
  /** Tables of which a row says that those of this table have been read, in streams that are no ranges. */
  readonly doneBy: (table: string) => readonly string[]
  /** Whether rows of one of the streams may be left out of the other's files, since the one has them. */
  readonly shareRows: (a: string, b: string) => boolean
  /** Whether a table may cover more than those that are read with it: its rows say for themselves what is there. */
  readonly standsAlone: (table: string) => boolean
  /** What must be read again for the slice of a file: rows may lie beyond it. */
  readonly reachOf: (table: string, file: InventoryFile, slice: Slice) => Slice
}

export type RemovedFile = { readonly table: InventoryTable; readonly file: InventoryFile; readonly damaged: boolean }

export type Cut = { readonly stream: string; readonly table: string; readonly slice: Slice }

export type RemovalPlan = {
  readonly files: readonly RemovedFile[]
  /** What is not covered any more. */
  readonly cuts: readonly Cut[]
  /** Streams that are lists, and read again from their beginning: what is there of them stays. */
  readonly lists: readonly string[]
  /** Damaged files whose rows nobody can read again. */
  readonly lost: readonly RemovedFile[]
}

/**
 * Which files have to go so that reading again gives each row once: a unit that filled several files has its whole slice at each, and
 * several streams share files. Files of lists go alone: what is left of a list is compared with what is read.
 */
export function planRemoval(inventory: Inventory, wanted: Wanted, rules: Rules, acceptLoss: boolean): RemovalPlan {
  const removed = new Map<number, RemovedFile>()
  const lost: RemovedFile[] = []
  const lists = new Set<string>()
  const cuts: Cut[] = []
  const seen = new Set<string>()
  const holders = new Map(inventory.tables.map((table) => [table.name, holdersOf(table)]))
  const waiting: Cut[] = []

  const remove = (table: InventoryTable, file: InventoryFile): void => {
    if (removed.has(file.id)) return
    removed.set(file.id, { table, file, damaged: wanted.damaged.has(file.id) })
    for (const { stream, slice } of sourcesOf(inventory, table.name, file))
      if (slice === null) {
        lists.add(stream)
        for (const name of rules.doneBy(table.name)) {
          const holder = holders.get(name)
          for (const other of holder?.lists.get(stream) ?? []) if (holder !== undefined) remove(holder.table, other)
        }
      } else waiting.push({ stream, table: table.name, slice: rules.reachOf(table.name, file, slice) })
  }
  const cut = (one: Cut): void => {
    const id = `${one.table} ${one.stream} ${one.slice.from} ${one.slice.to}`
    if (seen.has(id)) return
    seen.add(id)
    cuts.push(one)
    const holder = holders.get(one.table)
    if (holder === undefined) return
    for (const [stream, held] of holder.streams) {
      if (stream !== one.stream && !rules.shareRows(stream, one.stream)) continue
      for (const { slice, file } of held) if (overlap(slice, one.slice)) remove(holder.table, file)
    }
    // A file without a record in a damaged catalog may hold any rows of its network.
    const network = networkOf(one.stream)
    for (const file of holder.unknown) if (file.network === null || file.network === network) remove(holder.table, file)
    for (const row of inventory.coverage)
      if (row.table === one.table && row.stream !== one.stream && rules.shareRows(row.stream, one.stream)) {
        const slice = { from: Math.max(row.slice.from, one.slice.from), to: Math.min(row.slice.to, one.slice.to) }
        if (slice.from < slice.to) waiting.push({ stream: row.stream, table: row.table, slice })
      }
  }

  for (const table of inventory.tables)
    for (const file of table.files) {
      if (!wanted.damaged.has(file.id)) continue
      const isLost = rules.isUnrepeatable(table.name, file)
      if (isLost) lost.push({ table, file, damaged: true })
      if (!isLost || acceptLoss) remove(table, file)
    }
  for (const { stream, slice, tables } of wanted.slices)
    for (const row of inventory.coverage)
      if (row.stream === stream && (tables === null || tables.includes(row.table)) && overlap(row.slice, slice))
        waiting.push({ stream, table: row.table, slice })
  for (;;) {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) cut(next)
    // Tables without a row there are read with the others.
    waiting.push(...lonelyCuts(inventory.coverage, cuts, holders, rules))
    if (waiting.every(({ stream, table, slice }) => seen.has(`${table} ${stream} ${slice.from} ${slice.to}`))) break
  }
  return { files: [...removed.values()], cuts, lists: [...lists].sort(), lost }
}

type Holders = {
  readonly table: InventoryTable
  /** By stream, which slices of it which files may hold. */
  readonly streams: ReadonlyMap<string, readonly { readonly slice: Slice; readonly file: InventoryFile }[]>
  /** By stream that is no range, which files may hold rows of it. */
  readonly lists: ReadonlyMap<string, readonly InventoryFile[]>
  /** Files without a record of what they hold. */
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

/** What a file may hold: without a record of it, all that its table has of its network. */
export function sourcesOf({ coverage, written }: Inventory, table: string, file: InventoryFile): readonly FileSource[] {
  if (file.sources.length > 0) return file.sources
  const isOwn = (row: { readonly table: string; readonly stream: string }) =>
    row.table === table && (file.network === null || networkOf(row.stream) === file.network)
  return [
    ...coverage.filter(isOwn).map(({ stream, slice }) => ({ stream, slice })),
    ...written.filter(isOwn).map(({ stream }) => ({ stream, slice: null })),
  ]
}

/** What of the streams that are cut one table would cover alone, without a row there. */
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

export function networkOf(stream: string): string {
  return stream.slice(0, stream.indexOf('/'))
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
