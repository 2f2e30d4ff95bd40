import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { tables } from '../../schemas/index.ts'

/** The columns of a row that the fact names. */
function pick(row: object, fact: object): object {
  const values = row as Record<string, unknown>
  return Object.fromEntries(Object.keys(fact).map((name) => [name, values[name]]))
}

/** Compares rows and facts one to one; a fact has only the columns that it knows. */
export function expectRows(found: readonly object[], expected: readonly object[]): void {
  expect(found.length).toBe(expected.length)
  expected.forEach((fact, i) => {
    const row = pick(found[i]!, fact)
    if (!isDeepStrictEqual(row, fact)) expect(row).toEqual(fact)
  })
}

/** Keys are unique, and every row has the columns of its table. */
export function expectTable(name: string, rows: readonly object[]): void {
  const table = tables.find((each) => each.name === name)!
  const keys = new Set(rows.map((row) => table.key.map((column) => (row as any)[column]).join(' ')))
  expect(keys.size, `keys of ${name}`).toBe(rows.length)
  const columns = Object.keys(table.columns).sort()
  for (const row of rows) expect(Object.keys(row).sort(), name).toEqual(columns)
}
