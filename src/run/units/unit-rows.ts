import type { Table } from '../../define/index.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import type { ListUnit } from '../rows/list-unit.ts'
import { createUnitWriter, type UnitWriter } from '../rows/unit-writer.ts'

/** Writes the rows of a unit to parts. */
export type UnitRows = Pick<ListUnit, 'finish' | 'abort' | 'rows' | 'basis' | 'written' | 'keys'> &
  Partial<Pick<ListUnit, 'read'>> & {
    /** Returns the function that takes rows of a table. `streamPart` is the number of their stream part. */
    readonly adder: (table: string) => (rows: readonly object[], streamPart: number) => void
    /** Resolves when the unit may take more rows. */
    readonly relieve: () => Promise<void>
  }

export type RowsOptions<Run> = {
  readonly run: Run
  readonly tables: readonly Table[]
  /** The first coordinate of the unit: part of the names of its files. */
  readonly from: number
}

/** The part of a run that writes files. */
export type WritingRun = Pick<LakeRun, 'store' | 'thread' | 'runId' | 'nextPart'>

/** Rows without duplicates. `after`: the writing of the previous unit, see `createUnitWriter`. */
export function newRows({ run, tables, from }: RowsOptions<WritingRun>, after: Promise<void>): UnitRows {
  const { store, thread, runId, nextPart } = run
  return rowsInto(createUnitWriter({ store, thread, tables, runId, nextPart, firstIndex: from, after }))
}

function rowsInto(writer: UnitWriter): UnitRows {
  const written = new Map<number, Map<string, number>>()
  return {
    adder(table) {
      const append = writer.appender(table)
      return (rows, streamPart) => {
        for (let i = 0; i < rows.length; i++) append(rows[i]!)
        const own = written.get(streamPart) ?? new Map<string, number>()
        written.set(streamPart, own.set(table, (own.get(table) ?? 0) + rows.length))
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
    written: (streamPart) => written.get(streamPart) ?? new Map(),
    keys: () => new Map(),
  }
}
