import type { Part } from '../../model.ts'

/** Rows and bytes that a commit adds to a table. */
export type TableSum = { readonly name: string; readonly rows: number; readonly bytes: number }

/** The sums of every table, including tables without parts. */
export function tableSums(tables: readonly string[], parts: readonly Part[]): TableSum[] {
  return [...new Set(tables)].map((name) => {
    const own = parts.filter((part) => part.table === name)
    return {
      name,
      rows: own.reduce((sum, part) => sum + part.rows, 0),
      bytes: own.reduce((sum, part) => sum + part.bytes, 0),
    }
  })
}
