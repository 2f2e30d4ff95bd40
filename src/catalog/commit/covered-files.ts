import { inDataFolder } from '../../store/data-file-path.ts'
import { readTables } from '../schema/known-tables.ts'
import type { Session } from '../session/session.ts'
import { type CoverageRow, readCoverage } from './coverage.ts'
import { readFileBounds } from './inventory.ts'

/** A visible file with the bounds of a whole-number column; null if the catalog does not have them. */
export type BoundedFile = {
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly bounds: { readonly min: number; readonly max: number } | null
}

/** What streams cover of a table, and its visible files, as of one moment. */
export type CoveredFiles = { readonly coverage: readonly CoverageRow[]; readonly files: readonly BoundedFile[] }

/** Both are empty if the lake does not have the table. */
export async function readCoveredFiles(session: Session, name: string, column: string): Promise<CoveredFiles> {
  const table = (await readTables(session)).get(name)
  const columnId = table?.columns.find((each) => each.parentId === null && each.name === column)?.id
  if (table === undefined || columnId === undefined) return { coverage: [], files: [] }
  const coverage = (await readCoverage(session)).filter((row) => row.table === name)
  const bounds = await readFileBounds(session, table.id, columnId)
  const rows = await session.rows(
    `SELECT d.data_file_id, t.path || d.path AS path
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE d.table_id = $1 AND d.end_snapshot IS NULL ORDER BY d.data_file_id`,
    [table.id],
  )
  const files = rows.map((row) => ({
    path: inDataFolder(row['path']),
    bounds: bounds.get(row['data_file_id']) ?? null,
  }))
  return { coverage, files }
}
