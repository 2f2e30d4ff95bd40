import { CatalogError } from '../../errors.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { readTables } from '../schema/known-tables.ts'
import type { Session } from '../session/session.ts'
import { latestSnapshotId } from '../session/snapshot.ts'

export type TableFilesOptions = {
  /** Only files that were added after this snapshot. */
  readonly since?: number
  /** Only files that may hold a value from `min` to `max` inclusive. Times are in microseconds since 1970 UTC. */
  readonly range?: Range
}

type Range = { readonly column: string; readonly min: bigint | number; readonly max: bigint | number }
type NumberColumn = { readonly id: number; readonly name: string; readonly type: string }

export type TableFiles = {
  readonly snapshotId: number
  /** In commit order. Paths are relative to the lake, with `/`. */
  readonly files: readonly { readonly path: string; readonly rows: number }[]
  /** If no file may hold a value of the range: the larger range of values around it that no file holds. */
  readonly gap?: Gap
}

/** The nearest values of files below and above a range. No file holds a value in between. Null if there is no value on that side. */
export type Gap = { readonly below: bigint | null; readonly above: bigint | null }

/**
 * The visible files of a table at the latest snapshot. `range` omits files if their statistics exclude it; files without statistics of the
 * column are included. CatalogError if the column is neither a number nor a time.
 */
export async function readTableFiles(
  session: Session,
  name: string,
  { since, range }: TableFilesOptions,
): Promise<TableFiles> {
  const snapshotId = await latestSnapshotId(session)
  const table = (await readTables(session)).get(name)
  if (table === undefined) return { snapshotId, files: [], ...(range === undefined ? {} : { gap: unbounded }) }
  const column = table.columns.find((candidate) => candidate.parentId === null && candidate.name === range?.column)
  const outside =
    range === undefined || column === undefined
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM main.ducklake_file_column_stats s
           WHERE s.table_id = ${table.id} AND s.column_id = ${column.id} AND s.data_file_id = d.data_file_id
             AND (${numberSql(session, column, 's.max_value')} < ${BigInt(range.min)} OR ${numberSql(session, column, 's.min_value')} > ${BigInt(range.max)}))`
  const rows = await session.rows(
    `SELECT t.path || d.path AS path, d.record_count AS n
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE d.table_id = ${table.id} AND d.end_snapshot IS NULL AND d.begin_snapshot > $1 ${outside}
     ORDER BY d.data_file_id`,
    [since ?? -1],
  )
  const files = rows.map((row) => ({ path: inDataFolder(row['path']), rows: row['n'] }))
  if (range === undefined || files.length > 0) return { snapshotId, files }
  const gap = column === undefined ? unbounded : await gapAround(session, table.id, column, range, since ?? -1)
  return { snapshotId, files, gap }
}

const unbounded: Gap = { below: null, above: null }

async function gapAround(
  session: Session,
  tableId: number,
  column: NumberColumn,
  { min, max }: Range,
  since: number,
): Promise<Gap> {
  const [found] = await session.rows(
    `SELECT (max(s.high) FILTER (WHERE s.high < ${BigInt(min)}))::VARCHAR AS below,
            (min(s.low) FILTER (WHERE s.low > ${BigInt(max)}))::VARCHAR AS above
     FROM (SELECT data_file_id, ${numberSql(session, column, 'max_value')} AS high, ${numberSql(session, column, 'min_value')} AS low
           FROM main.ducklake_file_column_stats WHERE table_id = ${tableId} AND column_id = ${column.id}) s
     JOIN main.ducklake_data_file d ON d.data_file_id = s.data_file_id
     WHERE d.end_snapshot IS NULL AND d.begin_snapshot > $1`,
    [since],
  )
  const boundOf = (text: string | null) => (text === null ? null : BigInt(text))
  return { below: boundOf(found?.['below'] ?? null), above: boundOf(found?.['above'] ?? null) }
}

/** Converts a bound to a number in SQL. The catalog stores bounds as texts; an invalid text becomes null and excludes no file. */
function numberSql({ dialect }: Session, { name, type }: Omit<NumberColumn, 'id'>, bound: string): string {
  if (type === 'timestamptz') return dialect.microseconds(dialect.tryCast(bound, 'TIMESTAMPTZ'))
  if (type === 'int64' || type.startsWith('decimal')) return dialect.tryCast(bound, 'HUGEINT')
  throw new CatalogError('Files can only be selected by columns of numbers or times.', {
    code: 'catalog.range',
    details: { column: name, type },
  })
}
