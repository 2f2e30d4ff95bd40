import type { ReadCounts } from '../../catalog/catalog.ts'
import type { RowsOf, Table, Tables } from '../../define/index.ts'
import { keyText } from '../../lookup/key-text.ts'
import type { KnownFile } from '../../lookup/lookup.ts'
import type { Part } from '../../model.ts'
import { createRowMemory, type RowMemory } from './contradicting-rows.ts'
import { type FindKnown, knownRows } from './known-rows.ts'
import type { ListRun } from './lake-run.ts'
import { createUnitWriter, type UnitWriter } from './unit-writer.ts'

/** Files of a table, with the snapshot that contains them; null: no snapshot contains them yet. */
export type KnownFiles = { readonly snapshotId: number | null; readonly files: readonly KnownFile[] }

/**
 * Writes the rows of a list to parts, without duplicates and without rows that the lake already has. The lake has a row of a table with
 * versions when it equals its latest version.
 */
export type ListUnit = {
  /**
   * Takes the rows of a response. Rows with a key that the unit already has are dropped; they must not differ. `owner` is the number of
   * their stream, for `written`. Call `flush` when `isFull` returns true.
   */
  add(rows: RowsOf<Tables>, owner?: number): void
  /** Takes rows of one table, by the name that its decoder uses. */
  addTo(table: string, rows: readonly object[], owner: number): void
  /** True when enough rows are waiting to be compared and written. */
  isFull(): boolean
  /** Compares the waiting rows with the lake and passes the new ones to the writer. */
  flush(): Promise<void>
  /** Whether the unit or the lake has all of these rows. */
  holdsAll(rows: RowsOf<Tables>): Promise<boolean>
  /** Makes the parts durable and hands them to the caller. Removes them when that fails. */
  finish(): Promise<readonly Part[]>
  /** Removes the written parts, except those that `finish` has returned. */
  abort(): Promise<void>
  /** Number of new rows so far, including waiting ones. */
  rows(): number
  /** The oldest snapshot that rows were compared with; null when nothing was compared. */
  basis(): number | null
  /** Number of rows passed to the writer, by owner and table name. */
  written(owner: number): ReadonlyMap<string, number>
  /** Number of rows taken, and how many of them were already known, by owner and table name. */
  read(owner: number): ReadCounts
  /** Keys of the new rows of the unit, by table. */
  keys(): ReadonlyMap<Table, ReadonlySet<string>>
}

type Waiting = { readonly key: string; readonly row: object; readonly owner: number }
type Target = {
  readonly name: string
  readonly table: Table
  readonly keyOf: (row: object) => string
  readonly keys: RowMemory
  /** The keys among them that the lake already has. */
  readonly known: Set<string>
  readonly append: (row: object) => void
  waiting: Waiting[]
}

/** Rows that wait until they are compared. Rows of nested tables are large. */
const mostWaiting = { flat: 8_192, nested: 1_024, raw: 1_024 } as const

/**
 * `knownFiles` returns the files that may contain the keys of `rows`, and `findKnown` the rows that they hold. `position` is part of the file
 * names of the parts.
 */
export function createListUnit(
  run: Pick<ListRun, 'store' | 'thread' | 'runId' | 'nextPart' | 'lookup'>,
  tables: Tables,
  position: number,
  knownFiles: (table: Table, rows: readonly object[]) => Promise<KnownFiles>,
  findKnown: FindKnown = knownRows,
): ListUnit {
  const writer: UnitWriter = createUnitWriter({
    store: run.store,
    thread: run.thread,
    tables: Object.values(tables),
    runId: run.runId,
    nextPart: run.nextPart,
    firstIndex: position,
    after: Promise.resolve(),
  })
  const targets = Object.entries(tables).map(([name, table]): Target => {
    const append = writer.appender(table.name)
    return { name, table, keyOf: keyText(table), keys: createRowMemory(table), known: new Set(), append, waiting: [] }
  })
  const [taken, known, written] = [countRows(), countRows(), countRows()]
  let basis: number | null = null

  const inLakeOf = async (table: Table, waiting: readonly Waiting[]): Promise<ReadonlySet<Waiting>> => {
    const { snapshotId, files } = await knownFiles(
      table,
      waiting.map(({ row }) => row),
    )
    if (snapshotId !== null) basis = basis === null ? snapshotId : Math.min(basis, snapshotId)
    if (files.length === 0) return new Set()
    return findKnown(run.lookup, table, files, waiting)
  }

  const flushTarget = async (target: Target): Promise<void> => {
    const { table, waiting, append } = target
    const inLake = await inLakeOf(table, waiting)
    // Not earlier: rows that were not compared must stay in the queue.
    target.waiting = target.waiting.slice(waiting.length)
    for (const { key } of inLake) target.known.add(key)
    const fresh = inLake.size === 0 ? waiting : waiting.filter((each) => !inLake.has(each))
    for (const each of waiting) (inLake.has(each) ? known : written).add(each.owner, table.name)
    const rows = fresh.map(({ row }) => row)
    for (const row of rows.sort(byColumns(table.sortBy))) append(row)
    await writer.flush()
  }
  const flush = async (): Promise<void> => {
    for (const target of targets) if (target.waiting.length > 0) await flushTarget(target)
  }

  const take = ({ table, keyOf, keys, waiting }: Target, rows: readonly object[], owner: number): void => {
    keys.beginAnswer()
    for (const row of rows) {
      const key = keyOf(row)
      const isNew = keys.isNew(key, row)
      taken.add(owner, table.name)
      if (isNew) waiting.push({ key, row, owner })
      else known.add(owner, table.name)
    }
  }

  return {
    add(rows, owner = 0) {
      for (const target of targets) take(target, rows[target.name] as readonly object[], owner)
    },
    addTo(name, rows, owner) {
      for (const target of targets) if (target.name === name) take(target, rows, owner)
    },
    isFull: () => targets.some(({ table, waiting }) => waiting.length >= mostWaiting[table.rowGroup as 'flat']),
    flush,
    async holdsAll(rows) {
      for (const { name, table, keyOf, keys } of targets) {
        const missing = (rows[name] as readonly object[])
          .map((row) => ({ key: keyOf(row), row, owner: 0 }))
          .filter(({ key }) => !keys.has(key))
        if (missing.length === 0) continue
        const inLake = await inLakeOf(table, missing)
        if (inLake.size < missing.length) return false
      }
      return true
    },
    async finish() {
      try {
        await flush()
        return await writer.finish()
      } catch (error) {
        await writer.abort()
        throw error
      }
    },
    abort: () => writer.abort(),
    rows: () => targets.reduce((sum, { keys, known }) => sum + keys.size - known.size, 0),
    basis: () => basis,
    written: (owner) => written.of(owner),
    read: (owner) =>
      new Map([...taken.of(owner)].map(([name, read]) => [name, { read, known: known.of(owner).get(name) ?? 0 }])),
    keys: () => new Map(targets.map(({ table, keys, known }) => [table, without(keys, known)])),
  }
}

/** Counts rows by owner and table name. */
function countRows() {
  const counts = new Map<number, Map<string, number>>()
  return {
    add(owner: number, table: string): void {
      const own = counts.get(owner) ?? new Map<string, number>()
      counts.set(owner, own)
      own.set(table, (own.get(table) ?? 0) + 1)
    },
    of: (owner: number): ReadonlyMap<string, number> => counts.get(owner) ?? new Map(),
  }
}

function without(keys: RowMemory, known: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...keys.keys()].filter((key) => !known.has(key)))
}

type Comparable = string | number | bigint | boolean | null

/** Ascending, nulls last. */
function byColumns(columns: readonly string[]): (a: object, b: object) => number {
  return (a, b) => {
    for (const column of columns) {
      const left = (a as Record<string, Comparable>)[column] ?? null
      const order = compare(left, (b as Record<string, Comparable>)[column] ?? null)
      if (order !== 0) return order
    }
    return 0
  }
}

function compare(left: Comparable, right: Comparable): number {
  if (left === right) return 0
  if (left === null) return 1
  if (right === null) return -1
  return left < right ? -1 : left > right ? 1 : 0
}
