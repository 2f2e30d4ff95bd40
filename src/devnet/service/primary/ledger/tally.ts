/** Rows of a table and sums of its columns of amounts. */
export type TableTotals = { rows: number; readonly sums: Record<string, bigint> }

/** Totals by table. */
export type Tally = {
  readonly tables: ReadonlyMap<string, TableTotals>
  /** Counts a row; amounts that are null are left out of the sums. */
  add(table: string, amounts?: Readonly<Record<string, bigint | number | null>>): void
}

/** `tables`: every table with its columns of amounts, so that empty ones are there too. */
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
