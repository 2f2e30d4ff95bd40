import type { RowsOf, StreamDeclaration, Tables } from '../../define/index.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import type { ListRun } from '../rows/lake-run.ts'
import { createListUnit, type ListUnit } from '../rows/list-unit.ts'
import { visibleFiles } from '../rows/visible-files.ts'

/**
 * Rows of an observation that never change, such as outputs of the genesis. They are committed while the observation is read, without
 * duplicates, even if the observation is never completed.
 */
type LastingRows = {
  add(rows: RowsOf<Tables>): Promise<void>
  commit(): Promise<void>
  /** Removes rows that no commit was attempted for. */
  abort(): Promise<void>
}

/** The tables with rows that never change, or the other tables. */
export function tablesOf({ tables }: Pick<StreamDeclaration, 'tables'>, kind: 'lasting' | 'observed'): Tables {
  const entries = Object.entries(tables)
  return Object.fromEntries(entries.filter(([, { history }]) => (history === 'rows') === (kind === 'lasting')))
}

export function createLastingRows(stream: StreamDeclaration, run: ListRun): LastingRows {
  const tables = tablesOf(stream, 'lasting')
  const names = Object.values(tables).map(({ name }) => name)
  let unit: ListUnit | null = null
  return {
    async add(rows) {
      if (names.length === 0) return
      unit ??= createListUnit(run, tables, 0, (table) => visibleFiles(run, table))
      unit.add(rows)
      if (unit.isFull()) await unit.flush()
    },
    async commit() {
      if (unit === null) return
      await unit.flush()
      const progress = { kind: 'none' } as const
      if (unit.rows() === 0) await unit.abort()
      else await commitUnit(run, names, unit, [{ stream: stream.stream, progress, owner: 0 }])
      unit = null
    },
    abort: async () => unit?.abort(),
  }
}
