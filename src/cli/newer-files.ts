import type { Restored } from '../catalog/restore.ts'

export type NewerTable = {
  readonly table: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
}

/** What the catalog before a restore had and the restored one has not. */
export function newerThan({ contents, before, unnamed }: Restored) {
  const named = new Set(contents.files.map(({ path }) => path))
  const tables = new Map<string, NewerTable>()
  for (const { table, path, rows, bytes } of before?.files ?? []) {
    if (named.has(path)) continue
    const sum = tables.get(table) ?? { table, rows: 0, files: 0, bytes: 0 }
    tables.set(table, { table, rows: sum.rows + rows, files: sum.files + 1, bytes: sum.bytes + bytes })
  }
  return {
    tables: [...tables.values()],
    unnamedBytes: unnamed.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
