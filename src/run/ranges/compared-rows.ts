import type { Table } from '../../define/index.ts'
import { keyText } from '../../lookup/key-text.ts'
import { knownChainRows } from '../rows/known-rows.ts'
import { createListUnit } from '../rows/list-unit.ts'
import { filesThatMayHold } from '../rows/visible-files.ts'
import type { RangeRun } from '../units/range-run.ts'
import { newRows, type RowsOptions, type UnitRows } from '../units/unit-rows.ts'

/** Rows after which waiting rows are compared. */
const mostWaiting = 8_192

/** Rows without duplicates, except that other streams may have stored the rows of the tables `shared`. Such rows are left out. */
export function newRowsWithoutShared(
  options: RowsOptions<RangeRun>,
  { shared, after }: { readonly shared: ReadonlySet<string>; readonly after: Promise<void> },
): UnitRows {
  const { run, tables } = options
  const unit = newRows(options, after)
  const waiting = new Map<Table, { row: object; streamPart: number }[]>()
  /** Passes on the waiting rows that the lake does not have, in their order. */
  const compare = async (least: number): Promise<void> => {
    for (const [table, rows] of waiting) {
      if (rows.length < least) continue
      const keyOf = keyText(table)
      const keyed = rows.map(({ row, streamPart }) => ({ key: keyOf(row), row, streamPart }))
      const { files } = await filesThatMayHold(run)(
        table,
        rows.map(({ row }) => row),
      )
      const known = await knownChainRows(run.lookup, table, files, keyed)
      const add = unit.adder(table.name)
      // Not earlier: rows that were not compared must stay in the queue.
      rows.splice(0, keyed.length)
      for (const each of keyed) if (!known.has(each)) add([each.row], each.streamPart)
    }
  }
  return {
    ...unit,
    adder(name) {
      const table = tables.find((each) => each.name === name)
      if (table === undefined || !shared.has(name)) return unit.adder(name)
      return (rows, streamPart) => {
        const others = waiting.get(table) ?? []
        waiting.set(table, others)
        for (const row of rows) others.push({ row, streamPart })
      }
    },
    async relieve() {
      await compare(mostWaiting)
      await unit.relieve()
    },
    async finish() {
      try {
        await compare(1)
      } catch (error) {
        await unit.abort()
        throw error
      }
      return unit.finish()
    },
    rows: () => unit.rows() + [...waiting.values()].reduce((sum, rows) => sum + rows.length, 0),
  }
}

/** Rows that the lake may already have. Each row is stored once. */
export function comparedRows({ run, tables, from }: RowsOptions<RangeRun>): UnitRows {
  const byName = Object.fromEntries(tables.map((table) => [table.name, table]))
  const unit = createListUnit(run, byName, from, filesThatMayHold(run), knownChainRows)
  return {
    ...unit,
    adder: (table) => (rows, streamPart) => unit.addTo(table, rows, streamPart),
    relieve: async () => {
      if (unit.isFull()) await unit.flush()
    },
  }
}
