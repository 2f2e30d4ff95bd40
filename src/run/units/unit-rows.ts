import type { Table } from '../../define/index.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import type { ListUnit } from '../rows/list-unit.ts'
import { createUnitWriter, type UnitWriter } from '../rows/unit-writer.ts'

/** Rows of a unit on their way to parts. */
export type UnitRows = Pick<ListUnit, 'finish' | 'abort' | 'rows' | 'basis' | 'written' | 'keys'> &
  Partial<Pick<ListUnit, 'read'>> & {
    /** What takes rows of a table; `share` says whose they are. */
    readonly adder: (table: string) => (rows: readonly object[], share: number) => void
    /** Resolves when it may take more. */
    readonly relieve: () => Promise<void>
  }

export type RowsOptions<Run> = {
  readonly run: Run
  readonly tables: readonly Table[]
  /** Where the unit begins: part of the names of its files. */
  readonly from: number
}

/** What files are written with. */
export type WritingRun = Pick<LakeRun, 'store' | 'thread' | 'runId' | 'nextPart'>

/** Rows that come once. `after`: the writing of the unit before, see `createUnitWriter`. */
export function newRows({ run, tables, from }: RowsOptions<WritingRun>, after: Promise<void>): UnitRows {
  const { store, thread, runId, nextPart } = run
  return rowsInto(createUnitWriter({ store, thread, tables, runId, nextPart, firstIndex: from, after }))
}

function rowsInto(writer: UnitWriter): UnitRows {
  const written = new Map<number, Map<string, number>>()
  return {
    adder(table) {
      const append = writer.appender(table)
      return (rows, share) => {
        for (let i = 0; i < rows.length; i++) append(rows[i]!)
        const own = written.get(share) ?? new Map<string, number>()
        written.set(share, own.set(table, (own.get(table) ?? 0) + rows.length))
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
