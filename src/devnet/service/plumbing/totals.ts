/** Number of rows of a table, and exact sums of its amount columns. Null amounts are not counted. */
export type TableTotals = { readonly rows: number; readonly sums: Readonly<Record<string, bigint>> }

/** Totals by table. */
export type Totals = Readonly<Record<string, TableTotals>>

/** The response of `GET /devnet/summary`: sums as decimal text by `table.column`. */
export type Summary = {
  /** Number of containers by index. They define the head that all totals belong to. */
  readonly heads: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  readonly sums: Readonly<Record<string, string>>
}

export function summaryOf(heads: Summary['heads'], totals: Totals): Summary {
  const tables = Object.entries(totals).sort(([a], [b]) => (a < b ? -1 : 1))
  const sums = tables.flatMap(([table, totals]) => {
    return Object.entries(totals.sums).map(([column, sum]) => [`${table}.${column}`, sum.toString()])
  })
  return {
    heads,
    rows: Object.fromEntries(tables.map(([table, { rows }]) => [table, rows])),
    sums: Object.fromEntries(sums),
  }
}
