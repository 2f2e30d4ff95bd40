import { CatalogError, LockedError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import type { Part } from '../../model.ts'
import { addFiles, endFiles, type FileSource, recordSources, type WrittenRow } from '../add-files.ts'
import { sourceOf } from '../files.ts'
import { type NewLoss, recordLosses, recordRemoved } from '../lost-files.ts'
import { ownerOfLock, requireRunning, runLock } from '../runs.ts'
import {
  filesOfTables,
  inTransaction,
  type Locks,
  latestSnapshotId,
  nextSnapshot,
  type Session,
  writeSnapshot,
} from '../session.ts'
import { type ChainAnchor, removeAnchors } from '../streams.ts'
import { readDeclaredTables, readTables } from '../tables.ts'
import { type CoverageRow, coverageCells, takeBackListCommits } from './coverage.ts'

type Replacement = {
  readonly runId: string
  readonly table: string
  /** Ids of visible files. */
  readonly files: readonly number[]
  /** New files, which hold the same rows. */
  readonly parts: readonly Part[]
  /** The maximum number of times that these rows were rewritten. */
  readonly level: number
}

/** Prefix of the change entry of a snapshot that only moves rows to other files. */
export const compactedChange = 'compacted_table:'

/**
 * Replaces files by others in one transaction. The new files get the sources of all old files; the coverage does not change. Earlier
 * snapshots show the old files. Returns the id of the snapshot.
 *
 * @throws CatalogError `catalog.overtaken` when one of the files is no longer visible; `catalog.commit` when the number of rows
 * differs; `catalog.run-ended`.
 */
export async function replaceFiles(
  session: Session,
  { runId, table: name, files: ids, parts, level }: Replacement,
): Promise<number> {
  if (parts.some((part) => part.table !== name))
    throw new CatalogError('Files can only be replaced by files of the same table.', { details: { table: name } })
  reachStep('compact.before-begin')
  const snapshotId = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    const rows = await countVisible(session, name, ids)
    const written = parts.reduce((sum, part) => sum + part.rows, 0)
    if (rows !== written) throw otherRows(name, rows, written)
    const snapshot = await nextSnapshot(session)
    const known = await readTables(session)
    const table = (await readDeclaredTables(session, known)).get(name)
    if (table === undefined)
      throw new CatalogError('Files of a table that the lake does not have cannot be replaced.', {
        details: { table: name },
      })
    const sources = joinNeighbours(await readSources(session, ids))
    const added = await addFiles(session, snapshot, [table], known, parts)
    reachStep('compact.after-files')
    await recordSources(session, added, () => sources, runId)
    await session.append(
      'chainlake',
      'compacted_file',
      added.map(({ id }) => [id, level]),
    )
    const tableId = known.get(name)?.id ?? 0
    await endFiles(session, snapshot, tableId, ids)
    snapshot.changes.splice(snapshot.changes.indexOf(`inserted_into_table:${tableId}`), 1, compactedChange + tableId)
    const message = `${ids.length} files of ${name} merged into ${parts.length} by run ${runId}`
    await writeSnapshot(session, snapshot, { message, runId })
    return snapshot.id
  })
  reachStep('compact.after-commit')
  return snapshotId
}

/** The number of rows in the files. All of them must be visible. */
async function countVisible(session: Session, table: string, ids: readonly number[]): Promise<number> {
  const [found] = await session.rows(
    `SELECT count(*) AS n, sum(d.record_count)::BIGINT AS row_count
     FROM ${filesOfTables}
     WHERE t.table_name = $1 AND d.end_snapshot IS NULL AND d.data_file_id IN (${ids.join(', ')})`,
    [table],
  )
  if (found?.['n'] === new Set(ids).size) return found['row_count']
  throw new CatalogError('Some of the merged files are no longer visible.', {
    code: 'catalog.overtaken',
    details: { table, files: ids.length, 'still there': found?.['n'] },
    hint: 'Nothing was written. Another process has replaced or removed the files. Start again.',
  })
}

async function readSources(session: Session, ids: readonly number[]): Promise<FileSource[]> {
  const rows = await session.rows(
    `SELECT DISTINCT stream, slice_from, slice_to FROM chainlake.file WHERE data_file_id IN (${ids.join(', ')})
     ORDER BY stream, slice_from, slice_to`,
  )
  return rows.map(sourceOf)
}

/** Merges adjacent slices of a stream. The sources must be sorted by stream and slice. */
function joinNeighbours(sources: readonly FileSource[]): FileSource[] {
  const joined: FileSource[] = []
  for (const { stream, slice } of sources) {
    const last = joined.at(-1)
    if (last?.stream !== stream || last.slice === null || slice === null || slice.from > last.slice.to)
      joined.push({ stream, slice })
    else joined[joined.length - 1] = { stream, slice: { from: last.slice.from, to: Math.max(last.slice.to, slice.to) } }
  }
  return joined
}

function otherRows(table: string, before: number, after: number): CatalogError {
  return new CatalogError('The merged files have a different number of rows than the original files.', {
    code: 'catalog.commit',
    details: { table, before, after },
    hint: 'Nothing was written. Run chainlake verify to check for damaged files, and report this error with its details.',
  })
}

/** What to remove from a lake in one transaction, so that a run reads it again. */
export type Removal = {
  readonly runId: string
  /** The snapshot on which the removal was planned. */
  readonly basis: number
  /** Ids of visible files by the id of their table. */
  readonly files: ReadonlyMap<number, readonly number[]>
  /** Rows of coverage to delete, identified by stream, table and first coordinate, and the rows that replace them. */
  readonly uncovered: readonly Pick<CoverageRow, 'stream' | 'table' | 'slice'>[]
  readonly covered: readonly CoverageRow[]
  /** The new counts for commits without a slice, by stream and table. */
  readonly written: readonly WrittenRow[]
  /** Streams of lists that must be read again from the beginning. */
  readonly lists: readonly string[]
  /** EVM chains that lose all their rows, so that another chain may take their name. */
  readonly chains?: readonly Pick<ChainAnchor, 'network' | 'chainId'>[]
  /** Removed files with rows that no source can return again. */
  readonly losses: readonly NewLoss[]
  /** The message of the snapshot. */
  readonly message: string
}

/**
 * Removes files and their coverage in one transaction. Earlier snapshots show the files until they expire. Returns the id of the snapshot.
 *
 * @throws CatalogError `catalog.overtaken` when the lake has changed since the plan; `catalog.run-ended`; LockedError while
 * another run is alive, because it may have skipped rows that are in a removed file.
 */
export async function removeSlices(session: Session, locks: Locks, removal: Removal): Promise<number> {
  const { runId, basis, files } = removal
  reachStep('repair.before-begin')
  const snapshotId = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    await refuseOtherRuns(locks, runId)
    const latest = await latestSnapshotId(session)
    if (latest !== basis) throw overtaken(basis, latest)
    const snapshot = await nextSnapshot(session)
    for (const [tableId, ids] of files) {
      await endFiles(session, snapshot, tableId, ids)
      snapshot.changes.push(`deleted_from_table:${tableId}`)
    }
    reachStep('repair.after-files')
    await takeBackListCommits(session, { runId, snapshotId: snapshot.id, lists: removal.lists }, () =>
      recount(session, removal, snapshot.id),
    )
    for (const chain of removal.chains ?? []) await removeAnchors(session, chain)
    await recordLosses(session, removal.losses)
    await writeSnapshot(session, snapshot, { message: `${removal.message} by run ${runId}`, runId })
    return snapshot.id
  })
  reachStep('repair.after-commit')
  return snapshotId
}

/** Replaces the coverage and the row counts by those of the remaining files. */
async function recount(
  session: Session,
  { runId, uncovered, covered, written, lists }: Removal,
  snapshotId: number,
): Promise<void> {
  for (const { stream, table, slice } of uncovered)
    await session.run('DELETE FROM chainlake.coverage WHERE stream = $1 AND table_name = $2 AND slice_from = $3', [
      stream,
      table,
      slice.from,
    ])
  await session.append(
    'chainlake',
    'coverage',
    covered.map((row) => coverageCells(row, { runId, snapshotId })),
  )
  reachStep('repair.after-coverage')
  for (const { stream, table, rows, bytes } of written) {
    await session.run('DELETE FROM chainlake.written WHERE stream = $1 AND table_name = $2', [stream, table])
    if (rows > 0) await session.append('chainlake', 'written', [[stream, table, rows, bytes, runId, snapshotId]])
  }
  await recordRemoved(session, [
    ...uncovered,
    ...written.filter(({ rows }) => rows === 0).map((row) => ({ ...row, slice: null })),
  ])
  for (const stream of lists) await session.run('DELETE FROM chainlake.stretch WHERE stream = $1', [stream])
}

async function refuseOtherRuns(locks: Locks, runId: string): Promise<void> {
  const other = (await locks.held()).find((name) => name !== runLock(runId))
  if (other === undefined) return
  throw new LockedError('Another run is active on this lake.', {
    code: 'catalog.locked',
    details: { run: ownerOfLock(other) },
    hint: 'Nothing was changed. End that run (chainlake status shows its process), then repair.',
  })
}

function overtaken(basis: number, latest: number): CatalogError {
  return new CatalogError('The lake has changed since the removal was planned.', {
    code: 'catalog.overtaken',
    details: { 'planned on snapshot': basis, 'latest snapshot': latest },
    hint: 'Nothing was changed. Start again when no run is active.',
  })
}
