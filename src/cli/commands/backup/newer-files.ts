import type { Restored } from '../../../catalog/backup/restore.ts'

type NewerTable = {
  readonly table: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
}

/** Rows and files of the previous catalog that are not in the restored one. */
export function newerThan({ contents, before, unnamed }: Restored) {
  const named = new Set(contents.files.map(({ path }) => path))
  const tables = new Map<string, NewerTable>()
  for (const { table, path, rows, bytes } of before?.files ?? []) {
    if (named.has(path)) continue
    const sum = tables.get(table) ?? { table, rows: 0, files: 0, bytes: 0 }
    tables.set(table, { table, rows: sum.rows + rows, files: sum.files + 1, bytes: sum.bytes + bytes })
  }
  // Files that were merged after the backup hold rows that the backup has in the original files.
  const present = new Set(before?.files.map(({ path }) => path))
  for (const { table, path, rows } of contents.files) {
    const sum = tables.get(table)
    if (sum !== undefined && !present.has(path)) tables.set(table, { ...sum, rows: sum.rows - rows })
  }
  return {
    tables: [...tables.values()].filter(({ rows }) => rows > 0),
    unnamedBytes: unnamed.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
