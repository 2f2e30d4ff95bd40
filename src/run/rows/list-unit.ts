import type { ReadCounts } from '../../catalog/catalog.ts'
import type { RowsOf, Table, Tables } from '../../define/index.ts'
import { keyText } from '../../lookup/key-text.ts'
import type { KnownFile } from '../../lookup/lookup.ts'
import type { Part } from '../../model.ts'
import { createRowMemory, type RowMemory } from './contradicting-rows.ts'
import type { ServiceRun } from './lake-run.ts'
import { createUnitWriter, type UnitWriter } from './unit-writer.ts'

/** Files of a table, with the snapshot that shows them; null: of what no snapshot shows yet. */
export type KnownFiles = { readonly snapshotId: number | null; readonly files: readonly KnownFile[] }

/** Rows of a list on their way to parts: each once, without those that the lake has already. */
export type ListUnit = {
  /**
   * Takes the rows of an answer; those whose key the unit has already are left out, and must not differ. `owner` says whose they are, for `written`. Call `flush` when
   * `isFull` says so.
   */
  add(rows: RowsOf<Tables>, owner?: number): void
  /** The same for rows of one table, by the name that its decoder gives it. */
  addTo(table: string, rows: readonly object[], owner: number): void
  /** True when rows wait that should be compared and written. */
  isFull(): boolean
  /** Compares the rows that wait with the lake and hands what is new to the writer. */
  flush(): Promise<void>
  /** Whether the unit or the lake has all of these rows. */
  holdsAll(rows: RowsOf<Tables>): Promise<boolean>
  /** Makes the parts durable, which are the caller's from then on; removes them when that fails. */
  finish(): Promise<readonly Part[]>
  /** Removes what was written, but for what `finish` has given out. */
  abort(): Promise<void>
  /** Rows that were new so far, those that wait included. */
  rows(): number
  /** The oldest snapshot that rows were compared with; null when there was nothing to compare with. */
  basis(): number | null
  /** Rows that were handed to the writer, by owner and name of the table. */
  written(owner: number): ReadonlyMap<string, number>
  /** Rows that were taken, and how many of them the unit or the lake had already, by owner and name of the table. */
  read(owner: number): ReadCounts
  /** Keys of the rows of the unit, by table, without those that the lake had already. */
  keys(): ReadonlyMap<Table, ReadonlySet<string>>
}

type Waiting = { readonly key: string; readonly row: object; readonly owner: number }
type Target = {
  readonly name: string
  readonly table: Table
  readonly keyOf: (row: object) => string
  readonly keys: RowMemory
  /** Of these, those that the lake has. */
  readonly known: Set<string>
  readonly append: (row: object) => void
  waiting: Waiting[]
}

/** Rows that wait until they are compared: those of nested tables are large. */
const mostWaiting = { flat: 8_192, nested: 1_024, raw: 1_024 } as const

/**
 * `knownFiles` gives the files that may hold rows with the keys of `rows`. `position` is part of the names of the parts.
 */
export function createListUnit(
  run: Pick<ServiceRun, 'store' | 'thread' | 'runId' | 'nextPart' | 'lookup'>,
  tables: Tables,
  position: number,
  knownFiles: (table: Table, rows: readonly object[]) => Promise<KnownFiles>,
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

  const inLakeOf = async (table: Table, waiting: readonly Waiting[]): Promise<ReadonlySet<string>> => {
    const { snapshotId, files } = await knownFiles(
      table,
      waiting.map(({ row }) => row),
    )
    if (snapshotId !== null) basis = basis === null ? snapshotId : Math.min(basis, snapshotId)
    if (files.length === 0) return new Set()
    return run.lookup.knownKeys({ table, files, keys: waiting.map(({ key }) => key) })
  }

  const flush = async (): Promise<void> => {
    for (const target of targets) {
      const { table, waiting, append } = target
      if (waiting.length === 0) continue
      const inLake = await inLakeOf(table, waiting)
      // Not before: what was not compared still waits.
      target.waiting = target.waiting.slice(waiting.length)
      for (const key of inLake) target.known.add(key)
      const fresh = inLake.size === 0 ? waiting : waiting.filter(({ key }) => !inLake.has(key))
      for (const { owner, key } of waiting) (inLake.has(key) ? known : written).add(owner, table.name)
      const rows = fresh.map(({ row }) => row)
      for (const row of rows.sort(byColumns(table.sortBy))) append(row)
      await writer.flush()
    }
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
        if (missing.some(({ key }) => !inLake.has(key))) return false
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

/** Counts rows by owner and name of the table. */
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

type Comparable = string | number | bigint | boolean

/** Ascending, nulls last. */
function byColumns(columns: readonly string[]): (a: object, b: object) => number {
  return (a, b) => {
    for (const column of columns) {
      const left = (a as Record<string, Comparable | null>)[column] ?? null
      const right = (b as Record<string, Comparable | null>)[column] ?? null
      if (left === right) continue
      if (left === null) return 1
      if (right === null) return -1
      if (left < right) return -1
      if (left > right) return 1
    }
    return 0
  }
}
