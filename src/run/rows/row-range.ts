import type { Column, Table } from '../../define/index.ts'

export type RowRange = { readonly column: string; readonly min: bigint; readonly max: bigint }

/**
 * What the rows span in the first column of the table's key, else of its order, that holds whole numbers or times and always has a
 * value: files outside of it cannot hold the rows. Null when there is no such column.
 */
export function rowRange(table: Table, rows: readonly object[]): RowRange | null {
  const column = [...table.key, ...table.sortBy].find((name) => {
    const { type, nullable } = table.columns[name] as Column
    return ['int64', 'timestamp'].includes(type.kind) && !nullable
  })
  if (column === undefined) return null
  let range: { min: bigint; max: bigint } | null = null
  for (const row of rows) {
    const number = BigInt((row as Record<string, number | bigint>)[column] as number | bigint)
    if (range === null) range = { min: number, max: number }
    else if (number < range.min) range.min = number
    else if (number > range.max) range.max = number
  }
  return range === null ? null : { column, ...range }
}
