import { expect } from 'vitest'
import { createBatcher } from '../../../src/batch/batcher.ts'
import type { Table } from '../../../src/define/index.ts'

/** Expects that rows have the columns of their table, nested ones too, with values that fit. */
export function expectFits(table: Table, rows: readonly object[]): void {
  const batcher = createBatcher(table)
  const cut = rows.flatMap((row) => batcher.append(row) ?? [])
  expect([...cut, ...batcher.drain()].reduce((sum, batch) => sum + batch.rows, 0)).toBe(rows.length)
}
