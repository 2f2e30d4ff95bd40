import { sqlText } from '../../lib/text/sql-quote.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { readTables } from '../schema/known-tables.ts'
import type { CastType, Session } from '../session/session.ts'

/** Bounds on columns of a table. Values are texts. */
export type Within = {
  readonly table: string
  readonly snapshotId: number
  readonly bounds: readonly { readonly column: string; readonly operator: string; readonly value: string }[]
}

/** Conditions under which a file has no matching row. `l` and `g` are its minimum and maximum, `v` is the value of the bound. */
const excluding: Readonly<Record<string, string>> = {
  '=': 'g < v OR l > v',
  '<': 'l >= v',
  '<=': 'l > v',
  '>': 'g <= v',
  '>=': 'g < v',
}

/**
 * Paths of the files of a snapshot that may have rows within the bounds, relative to the lake. Only statistics can exclude a file. Columns of
 * other types, and values that do not match the type of the column, exclude no file.
 */
export async function readFilesWithin(
  session: Session,
  { table: name, snapshotId, bounds }: Within,
): Promise<string[]> {
  const table = (await readTables(session)).get(name)
  if (table === undefined) return []
  const tests = bounds.flatMap(({ column: columnName, operator, value }) => {
    const column = table.columns.find((each) => each.name === columnName && each.parentId === null)
    const type = column === undefined ? null : comparedType(column.type)
    const test = excluding[operator]
    if (column === undefined || type === null || test === undefined || !isOf(type, value)) return []
    const [l, g, v] = ['s.min_value', 's.max_value', sqlText(value)].map((text) => session.dialect.tryCast(text, type))
    return [`(s.column_id = ${column.id} AND (${test.replace(/\b[lgv]\b/g, (name) => ({ l, g, v })[name] ?? '')}))`]
  })
  const excluded =
    tests.length === 0
      ? ''
      : `AND d.data_file_id NOT IN (SELECT s.data_file_id FROM main.ducklake_file_column_stats s
           WHERE s.table_id = ${table.id} AND (${tests.join(' OR ')}))`
  const rows = await session.rows(
    `SELECT t.path || d.path AS path FROM main.ducklake_data_file d
     JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE d.table_id = ${table.id} AND d.begin_snapshot <= ${snapshotId} AND (d.end_snapshot IS NULL OR d.end_snapshot > ${snapshotId}) ${excluded}`,
  )
  return rows.map(({ path }) => inDataFolder(path))
}

/** Whether a value matches a type. A number with a fraction would be rounded. */
function isOf(type: CastType, value: string): boolean {
  return type !== 'HUGEINT' || /^-?\d{1,38}$/.test(value)
}

/** Texts compare by their bytes, as DuckDB does without a collation. */
function comparedType(type: string): CastType | null {
  if (type === 'timestamptz') return 'TIMESTAMPTZ'
  if (/^u?int(8|16|32|64)$/.test(type) || /^decimal\(\d+, ?0\)$/.test(type)) return 'HUGEINT'
  return type === 'varchar' ? 'VARCHAR' : null
}
