import { VerifyError } from '../../errors.ts'
import { lostFilesHint } from '../../lib/lost-files.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import type { Session } from '../session/session.ts'

/** A file of the latest snapshot. */
export type VisibleFile = {
  readonly table: string
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
}

/** A file that is missing or has another size than the catalog records. */
export type LostFile = Pick<VisibleFile, 'table' | 'path' | 'bytes'> & {
  /** Its actual size in bytes; null if it is missing. */
  readonly found: number | null
}

/** The files of all tables at the latest snapshot, in commit order. */
export async function readVisibleFiles(session: Session): Promise<VisibleFile[]> {
  const rows = await session.rows(
    `SELECT t.table_name, t.path || d.path AS path, d.record_count, d.file_size_bytes
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE d.end_snapshot IS NULL ORDER BY d.data_file_id`,
  )
  return rows.map((row) => ({
    table: row['table_name'],
    path: inDataFolder(row['path']),
    rows: row['record_count'],
    bytes: row['file_size_bytes'],
  }))
}

/** The files that are missing or have the wrong size. */
export async function findLost(store: Store, files: readonly Omit<LostFile, 'found'>[]): Promise<LostFile[]> {
  const sizes = await store.sizes(files.map(({ path }) => path))
  return files.flatMap(({ table, path, bytes }, position) => {
    const found = sizes[position] ?? null
    return found === bytes ? [] : [{ table, path, bytes, found }]
  })
}

/** The error for lost files. `context` is the beginning of the message, `hint` says what to do. */
export function lostError(lake: string, lost: readonly LostFile[], context: string, hint = lostFilesHint): VerifyError {
  const gone = lost.filter(({ found }) => found === null).length
  return new VerifyError(`${context}${lostText(lost)}.`, {
    code: 'verify.files',
    details: {
      lake,
      tables: [...new Set(lost.map(({ table }) => table))].join(', '),
      gone,
      'of another size': lost.length - gone,
      first: firstLost(lost),
    },
    hint: `Nothing was changed. ${hint}`,
  })
}

export function lostText(lost: readonly LostFile[]): string {
  const [one] = lost
  if (lost.length === 1)
    return one?.found === null ? 'a file of the lake is missing' : 'a file of the lake has the wrong size'
  return `${lost.length} files of the lake are missing or have the wrong size`
}

/** Describes the first lost files. */
export function firstLost(lost: readonly LostFile[]): string {
  return lost
    .slice(0, 3)
    .map(({ path, bytes, found }) => `${path} (${found === null ? 'gone' : `${found} bytes instead of ${bytes}`})`)
    .join(', ')
}
