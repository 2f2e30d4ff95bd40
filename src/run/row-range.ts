import type { Table } from '../define/index.ts'

export type RowRange = { readonly column: string; readonly min: bigint; readonly max: bigint }

/**
 * What the rows span in the first column of the table's key, else of its order, that holds whole numbers or times: files outside of
 * it cannot hold the rows. Null when there is no such column or a row has no value in it.
 */
export function rowRange(table: Table, rows: readonly object[]): RowRange | null {
  const column = [...table.key, ...table.sortBy].find((name) =>
    ['int64', 'timestamp'].includes(table.columns[name].type.kind),
  )
  if (column === undefined) return null
  let range: { min: bigint; max: bigint } | null = null
  for (const row of rows) {
    const value = (row as Record<string, number | bigint | null>)[column] ?? null
    if (value === null) return null
    const number = BigInt(value)
    if (range === null) range = { min: number, max: number }
    else if (number < range.min) range.min = number
    else if (number > range.max) range.max = number
  }
  return range === null ? null : { column, ...range }
}
