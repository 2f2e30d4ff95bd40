import type { Part } from '../../model.ts'
import type { Session } from '../session/session.ts'

/** The staged parts of an observation, in the order of staging. */
export async function readStagedParts(session: Session, observationId: string): Promise<Part[]> {
  const rows = await session.rows('SELECT * FROM chainlake.staged_part WHERE observation_id = $1 ORDER BY position', [
    observationId,
  ])
  return rows.map((row) => ({
    table: row['table_name'],
    path: row['path'],
    rows: row['row_count'],
    bytes: row['byte_count'],
    footerBytes: row['footer_bytes'],
    sha256: row['sha256'],
    partition: JSON.parse(row['partition_values']),
    stats: JSON.parse(row['leaf_stats']),
  }))
}

/** Appends parts to the staged ones. */
export async function addStagedParts(session: Session, observationId: string, parts: readonly Part[]): Promise<void> {
  const [row] = await session.rows(
    'SELECT coalesce(max(position) + 1, 0) AS next FROM chainlake.staged_part WHERE observation_id = $1',
    [observationId],
  )
  const next: number = row?.['next'] ?? 0
  await session.append(
    'chainlake',
    'staged_part',
    parts.map(({ table, path, rows, bytes, footerBytes, sha256, partition, stats }, index) => [
      observationId,
      next + index,
      table,
      path,
      rows,
      bytes,
      footerBytes,
      JSON.stringify(partition),
      JSON.stringify(stats),
      sha256,
    ]),
  )
}

export async function dropStagedParts(session: Session, observationId: string): Promise<void> {
  await session.run('DELETE FROM chainlake.staged_part WHERE observation_id = $1', [observationId])
}

/** Paths of all staged parts of all runs, relative to the lake. */
export async function stagedPaths(session: Session): Promise<string[]> {
  return (await session.rows('SELECT path FROM chainlake.staged_part')).map((row) => row['path'])
}
