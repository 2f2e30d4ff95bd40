import { VerifyError } from '../errors.ts'
import { lostFilesHint } from '../lib/files.ts'
import type { Loss, Part, Slice } from '../model.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import type { Store } from '../store/store.ts'
import type { FileSource } from './add-files.ts'
import type { VisibleFile } from './files.ts'
import { inTransaction, parsedJson, pathOfFile, type Session, sliceCells, sliceOf } from './session.ts'

/** A file that is missing or has another size than the catalog records. */
type LostFile = Pick<VisibleFile, 'table' | 'path' | 'bytes'> & {
  /** Its actual size in bytes; null if it is missing. */
  readonly found: number | null
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

/** A file that is removed although no source can return its rows again. */
export type NewLoss = {
  readonly table: string
  /** Null if the table is not partitioned by network. */
  readonly network: string | null
  readonly rows: number
  /** When the last of its rows was observed, in the text form of the catalog; null if unknown. */
  readonly observedTo: string | null
  readonly sources: readonly FileSource[]
}

/** Records losses inside the transaction that removes their files. */
export async function recordLosses(session: Session, losses: readonly NewLoss[]): Promise<void> {
  for (const { table, network, rows, observedTo, sources } of losses)
    for (const { stream, slice } of sources)
      await session.run(
        `INSERT INTO chainlake.loss VALUES ($1, $2, $3, $4, $5, $6, coalesce(${session.dialect.tryCast('$7', 'TIMESTAMPTZ')}, now()), now())`,
        [table, network, stream, ...sliceCells(slice), rows, observedTo],
      )
}

/** Names of all tables that ever lost rows. */
export async function readTablesWithLosses(session: Session): Promise<Set<string>> {
  const rows = await session.rows('SELECT DISTINCT table_name FROM chainlake.loss')
  return new Set(rows.map((row) => row['table_name']))
}

/** Losses with a stream that has not been read again since. A later complete read replaces what was lost. */
export async function readLosses(session: Session): Promise<Loss[]> {
  const rows = await session.rows<{ table: string; network: string | null; observedTo: string }>(
    `SELECT table_name AS "table", network, (${session.dialect.microseconds('max(observed_to)')})::VARCHAR AS "observedTo" FROM chainlake.loss l
     WHERE CASE WHEN l.slice_from IS NULL
       THEN NOT EXISTS (SELECT 1 FROM chainlake.observation o
         WHERE o.stream = l.stream AND o.outcome IS NOT NULL AND o.completed > l.lost_at)
       ELSE NOT EXISTS (SELECT 1 FROM chainlake.coverage c WHERE c.stream = l.stream AND c.table_name = l.table_name
         AND c.slice_from <= l.slice_from AND c.slice_to >= l.slice_to)
     END
     GROUP BY table_name, network ORDER BY table_name, network`,
  )
  return rows.map((row) => ({ ...row, observedTo: BigInt(row.observedTo) }))
}

/** A slice that a repair removed from a table of a stream. `slice` is null for streams that are not read by range. */
type RemovedRow = { readonly stream: string; readonly table: string; readonly slice: Slice | null }

/** Records removed slices inside the transaction of the removal, so that a table without files still belongs to its stream. */
export async function recordRemoved(session: Session, removed: readonly RemovedRow[]): Promise<void> {
  const rows = removed.map(({ stream, table, slice }) => [stream, table, ...sliceCells(slice)])
  await session.append('chainlake', 'removed', rows)
}

export async function readRemoved(session: Session): Promise<RemovedRow[]> {
  const rows = await session.rows(
    'SELECT DISTINCT stream, table_name, slice_from, slice_to FROM chainlake.removed ORDER BY stream, table_name, slice_from',
  )
  return rows.map((row) => ({ stream: row['stream'], table: row['table_name'], slice: sliceOf(row) }))
}

/** A known file that is not visible. */
type HiddenFile = {
  /** Relative to the lake. */
  readonly path: string
  /** Null for a file that waits for removal. */
  readonly bytes: number | null
}

/** Files that only earlier snapshots show, and files that wait for removal because readers may have them open. */
export async function readEarlierFiles(session: Session): Promise<HiddenFile[]> {
  return session.rows(
    `SELECT ${pathOfFile} AS path, d.file_size_bytes AS bytes FROM main.ducklake_data_file d
     JOIN (SELECT table_id, path, bool_or(end_snapshot IS NULL) AS is_current FROM main.ducklake_table GROUP BY table_id, path) t USING (table_id)
     WHERE d.end_snapshot IS NOT NULL OR NOT t.is_current
     UNION ALL SELECT '${inDataFolder('')}' || path, NULL FROM main.ducklake_files_scheduled_for_deletion
     WHERE data_file_id NOT IN (SELECT data_file_id FROM main.ducklake_data_file)`,
  )
}

/** Staged files, which a run needs to resume its observation. */
export async function readStagedFiles(session: Session): Promise<HiddenFile[]> {
  return session.rows('SELECT path, byte_count AS bytes FROM chainlake.staged_part')
}

/** All files that the catalog references: visible files, files of earlier snapshots, and staged files. */
export async function namedFiles(session: Session, visible: readonly VisibleFile[]): Promise<Set<string>> {
  const hidden = [...(await readEarlierFiles(session)), ...(await readStagedFiles(session))]
  return new Set([...visible, ...hidden].map(({ path }) => path))
}

/** The staged parts of an observation, in the order of staging. */
export async function readStagedParts(session: Session, observationId: string): Promise<Part[]> {
  const rows = await session.rows<Omit<Part, 'partition' | 'stats'> & { partition: string; stats: string }>(
    `SELECT table_name AS "table", path, row_count AS "rows", byte_count AS bytes, footer_bytes AS "footerBytes", sha256,
       partition_values AS "partition", leaf_stats AS stats
     FROM chainlake.staged_part WHERE observation_id = $1 ORDER BY position`,
    [observationId],
  )
  return rows.map((row) => ({
    ...row,
    partition: parsedJson(row.partition, 'partition_values'),
    stats: parsedJson(row.stats, 'leaf_stats'),
  }))
}

export async function addStagedParts(session: Session, observationId: string, parts: readonly Part[]): Promise<void> {
  const [row] = await session.rows(
    'SELECT coalesce(max(position) + 1, 0) AS next FROM chainlake.staged_part WHERE observation_id = $1',
    [observationId],
  )
  const next: number = row?.['next'] ?? 0
  const cells = parts.map(({ table, path, rows, bytes, footerBytes, sha256, partition, stats }, index) => {
    const texts = [JSON.stringify(partition), JSON.stringify(stats)]
    return [observationId, next + index, table, path, rows, bytes, footerBytes, ...texts, sha256]
  })
  await session.append('chainlake', 'staged_part', cells)
}

export async function dropStagedParts(session: Session, observationId: string): Promise<void> {
  await session.run('DELETE FROM chainlake.staged_part WHERE observation_id = $1', [observationId])
}

/**
 * Restarts open observations with staged files that are missing or have the wrong size. Nothing of them was visible. Observations of live
 * runs are skipped. Returns the ids of the restarted observations.
 */
export async function restartBroken(session: Session, store: Store, alive: readonly string[]): Promise<string[]> {
  const all = await session.rows<{ table: string; path: string; bytes: number; observation: string; run: string }>(
    `SELECT s.table_name AS "table", s.path, s.byte_count AS bytes, o.observation_id AS observation, o.run_id AS run
     FROM chainlake.staged_part s JOIN chainlake.observation o USING (observation_id)`,
  )
  const staged = all.filter(({ run }) => !alive.includes(run))
  const lost = new Set((await findLost(store, staged)).map(({ path }) => path))
  const broken = new Set(staged.filter(({ path }) => lost.has(path)).map(({ observation }) => observation))
  if (broken.size > 0) await forgetStaged(session, [...broken])
  return [...broken]
}

/** Restarts observations from their beginning. Their files are not removed. */
export async function forgetStaged(session: Session, observationIds: readonly string[]): Promise<void> {
  await inTransaction(session, async () => {
    const which = 'WHERE observation_id = ANY($1)'
    await session.run(`DELETE FROM chainlake.staged_part ${which}`, [observationIds])
    await session.run(`UPDATE chainlake.observation SET cursor_token = NULL, cursor_at_ms = NULL ${which}`, [
      observationIds,
    ])
  })
}

/** Removes files that the catalog no longer references. If this fails, `recoverLake` of a later run removes them. */
export async function removeDropped(store: Store, files: readonly string[]): Promise<void> {
  for (const file of files) await store.remove(file).catch(() => undefined)
}
