/** Number of rows of a table and sums of its amount columns. */
export type TableTotals = { rows: number; readonly sums: Record<string, bigint> }

/** Totals by table. */
export type Tally = {
  readonly tables: ReadonlyMap<string, TableTotals>
  /** Counts a row; null amounts are not added to the sums. */
  add(table: string, amounts?: Readonly<Record<string, bigint | number | null>>): void
}

/** Creates a tally. `tables` names every table with its amount columns, so that empty tables are included. */
export function createTally(tables: Readonly<Record<string, readonly string[]>>): Tally {
  const totals = new Map<string, TableTotals>(
    Object.entries(tables).map(([table, columns]) => [
      table,
      { rows: 0, sums: Object.fromEntries(columns.map((column) => [column, 0n])) },
    ]),
  )
  return {
    tables: totals,
    add: (table, amounts = {}) => {
      const total = totals.get(table)
      if (total === undefined) throw new RangeError(`no table ${table}`)
      total.rows += 1
      for (const [column, amount] of Object.entries(amounts))
        if (amount !== null) total.sums[column] = total.sums[column]! + BigInt(amount)
    },
  }
}
