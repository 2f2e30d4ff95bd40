/** Number of rows of a table, and exact sums of its amount columns. Null amounts are not counted. */
export type TableTotals = { readonly rows: number; readonly sums: Readonly<Record<string, bigint>> }

/** Totals by table. */
export type Totals = Readonly<Record<string, TableTotals>>

/** Amounts from this one on are null in columns of 38 digits. */
const tooLarge = 10n ** 38n

/** Totals of a table that has a row for each item; `amounts` reads the amount columns of a row. */
export function totalsOf<I>(
  items: readonly I[],
  amounts: Readonly<Record<string, (item: I) => bigint | null>> = {},
): TableTotals {
  const sums = Object.entries(amounts).map(([column, amountOf]): [string, bigint] => {
    const known = items.map(amountOf).filter((amount) => amount !== null && amount < tooLarge) as bigint[]
    return [column, known.reduce((sum, amount) => sum + amount, 0n)]
  })
  return { rows: items.length, sums: Object.fromEntries(sums) }
}

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
