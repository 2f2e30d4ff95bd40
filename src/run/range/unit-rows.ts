import type { Table } from '../../define/index.ts'
import { keyText } from '../../lookup/key-text.ts'
import { createListUnit, type ListUnit } from '../service/list-unit.ts'
import { filesThatMayHold } from '../service/visible-files.ts'
import { createUnitWriter } from '../unit-writer.ts'
import type { RangeRun } from './range-run.ts'

/** Rows of a unit on their way to parts. */
export type UnitRows = Pick<ListUnit, 'finish' | 'abort' | 'rows' | 'basis' | 'written' | 'keys'> & {
  /** What takes rows of a table; `share` says whose they are. */
  readonly adder: (table: string) => (rows: readonly object[], share: number) => void
  /** Resolves when it may take more. */
  readonly relieve: () => Promise<void>
}

type Options = {
  readonly run: RangeRun
  readonly tables: readonly Table[]
  /** Where the unit begins: part of the names of its files. */
  readonly from: number
}

/** Rows that wait until they are compared. */
const mostWaiting = 8_192

/**
 * Rows that come once. Those of the tables `shared` are left out where the lake has them from another stream. `after`: the writing of the
 * unit before, see `createUnitWriter`.
 */
export function newRows(
  { run, tables, from }: Options,
  { shared, after }: { readonly shared: ReadonlySet<string>; readonly after: Promise<void> },
): UnitRows {
  const { store, thread, runId, nextPart } = run
  const writer = createUnitWriter({ store, thread, tables, runId, nextPart, firstIndex: from, after })
  const written = new Map<number, Map<string, number>>()
  const waiting = new Map<Table, { row: object; share: number }[]>()
  const add = (table: string, append: (row: object) => void, rows: readonly object[], share: number): void => {
    for (const row of rows) append(row)
    const own = written.get(share) ?? new Map<string, number>()
    written.set(share, own.set(table, (own.get(table) ?? 0) + rows.length))
  }
  /** Hands on what the lake does not have of the rows that wait, in their order. */
  const compare = async (least: number): Promise<void> => {
    for (const [table, rows] of waiting) {
      if (rows.length < least) continue
      waiting.set(table, [])
      const keyOf = keyText(table)
      const keys = rows.map(({ row }) => keyOf(row))
      const { files } = await filesThatMayHold(run)(
        table,
        rows.map(({ row }) => row),
      )
      const known = await run.lookup.knownKeys({ table, files, keys })
      const append = writer.appender(table.name)
      for (const [at, { row, share }] of rows.entries())
        if (!known.has(keys[at]!)) add(table.name, append, [row], share)
    }
  }
  return {
    adder(name) {
      const append = writer.appender(name)
      const table = tables.find((each) => each.name === name)
      if (table === undefined || !shared.has(name)) return (rows, share) => add(name, append, rows, share)
      return (rows, share) => {
        const others = waiting.get(table) ?? []
        waiting.set(table, others)
        for (const row of rows) others.push({ row, share })
      }
    },
    async relieve() {
      await compare(mostWaiting)
      await writer.flush()
    },
    async finish() {
      try {
        await compare(1)
        return await writer.finish()
      } catch (error) {
        await writer.abort()
        throw error
      }
    },
    abort: () => writer.abort(),
    rows: () => writer.rows() + [...waiting.values()].reduce((sum, rows) => sum + rows.length, 0),
    basis: () => null,
    written: (share) => written.get(share) ?? new Map(),
    keys: () => new Map(),
  }
}

/** Rows of which the lake may have some: each is stored once. */
export function comparedRows({ run, tables, from }: Options): UnitRows {
  const byName = Object.fromEntries(tables.map((table) => [table.name, table]))
  const unit = createListUnit(run, byName, from, filesThatMayHold(run))
  return {
    ...unit,
    adder: (table) => (rows, share) => unit.addTo(table, rows, share),
    relieve: async () => {
      if (unit.isFull()) await unit.flush()
    },
  }
}
