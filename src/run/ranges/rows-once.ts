import type { Table } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import { keyText } from '../../lookup/key-text.ts'
import { visibleFiles } from '../rows/visible-files.ts'
import type { RangeRun } from '../units/range-run.ts'
import { newRows, type RowsOptions, type UnitRows } from '../units/unit-rows.ts'

/**
 * Rows of an index that each node orders in its own way. Two nodes behind one URL return one container at two places: some containers would
 * be stored twice and others never. A container that this unit or the lake has already is refused. The lookup reads the keys of the first
 * table of the stream once per unit.
 */
export function rowsOnce(options: RowsOptions<RangeRun>, after: Promise<void>): UnitRows {
  const { run, tables } = options
  const unit = newRows(options, after)
  const [table] = tables
  if (table === undefined) return unit
  const keyOf = keyText(table)
  const rowOf = new Map<string, object>()
  return {
    ...unit,
    adder(name) {
      const add = unit.adder(name)
      if (name !== table.name) return add
      return (rows, streamPart) => {
        for (const row of rows) {
          const key = keyOf(row)
          if (rowOf.has(key)) throw otherOrder(table, row)
          rowOf.set(key, row)
        }
        add(rows, streamPart)
      }
    },
    async finish() {
      try {
        // The units before are committed.
        const { files } = await visibleFiles(run, table)
        const [known] = await run.lookup.knownKeys({ table, files, keys: [...rowOf.keys()] })
        if (known !== undefined) throw otherOrder(table, rowOf.get(known)!)
      } catch (error) {
        await unit.abort()
        throw error
      }
      return unit.finish()
    },
  }
}

function otherOrder({ name, key }: Table, row: object): OtherSourceError {
  const values = row as Readonly<Record<string, unknown>>
  return new OtherSourceError('The index returned a container that it returned at another place before.', {
    details: { table: name, key: key.map((column) => `${column}=${String(values[column])}`).join(' ') },
    hint: 'Each node has its own order of this index, and several nodes may be behind the URL. Use the URL of the one node that the lake was written from, or another --lake. Nothing of this unit was written.',
  })
}
