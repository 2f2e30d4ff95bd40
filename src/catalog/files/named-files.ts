import { inDataFolder } from '../../store/data-file-path.ts'
import type { Session } from '../session/session.ts'
import type { VisibleFile } from './lost-files.ts'
import { stagedPaths } from './staged-parts.ts'

/** Files that only earlier snapshots show, and files that wait for removal because readers may have them open; relative to the lake. */
export async function readEarlierFiles(session: Session): Promise<string[]> {
  const rows = await session.rows(
    `SELECT t.path || d.path AS path FROM main.ducklake_data_file d
     JOIN (SELECT table_id, path, bool_or(end_snapshot IS NULL) AS is_current FROM main.ducklake_table GROUP BY table_id, path) t USING (table_id)
     WHERE d.end_snapshot IS NOT NULL OR NOT t.is_current
     UNION ALL SELECT path FROM main.ducklake_files_scheduled_for_deletion
     WHERE data_file_id NOT IN (SELECT data_file_id FROM main.ducklake_data_file)`,
  )
  return rows.map((row) => inDataFolder(row['path']))
}

/**
 * All files that the catalog references: visible files, files of earlier snapshots, and staged files, which a run needs to resume its
 * observation.
 */
export async function namedFiles(session: Session, visible: readonly VisibleFile[]): Promise<Set<string>> {
  return new Set([
    ...visible.map(({ path }) => path),
    ...(await readEarlierFiles(session)),
    ...(await stagedPaths(session)),
  ])
}
