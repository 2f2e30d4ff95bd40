import type { Table } from '../../define/index.ts'
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

/** Rows that the lake has not. `after`: the writing of the unit before, see `createUnitWriter`. */
export function newRows({ run, tables, from }: Options, after: Promise<void>): UnitRows {
  const { store, thread, runId, nextPart } = run
  const writer = createUnitWriter({ store, thread, tables, runId, nextPart, firstIndex: from, after })
  const written = new Map<number, Map<string, number>>()
  const count = (share: number, table: string, rows: number): void => {
    const own = written.get(share) ?? new Map<string, number>()
    written.set(share, own.set(table, (own.get(table) ?? 0) + rows))
  }
  return {
    adder(table) {
      const append = writer.appender(table)
      return (rows, share) => {
        for (const row of rows) append(row)
        count(share, table, rows.length)
      }
    },
    relieve: () => writer.flush(),
    async finish() {
      try {
        return await writer.finish()
      } catch (error) {
        await writer.abort()
        throw error
      }
    },
    abort: () => writer.abort(),
    rows: () => writer.rows(),
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
