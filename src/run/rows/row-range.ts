import { type Column, identityColumns, type Table } from '../../define/index.ts'

export type RowRange = { readonly column: string; readonly min: bigint; readonly max: bigint }

/**
 * The range of the rows in the first integer or time column without nulls that identifies rows, or else of the table's sort order. Files
 * outside the range cannot contain the rows. Null when there is no such column.
 */
export function rowRange(table: Table, rows: readonly object[]): RowRange | null {
  const column = [...identityColumns(table), ...table.sortBy].find((name) => {
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
