import { CatalogError, LockedError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import { endFiles } from '../files/end-files.ts'
import { type NewLoss, recordLosses } from '../files/losses.ts'
import { type RemovedRow, recordRemoved } from '../files/removed.ts'
import { ownerOfLock, requireRunning, runLock } from '../runs/runs.ts'
import type { Locks } from '../session/backend.ts'
import { type Cell, inTransaction, type Session } from '../session/session.ts'
import { latestSnapshotId, nextSnapshot, writeSnapshot } from '../session/snapshot.ts'
import type { CoverageRow } from './coverage.ts'
import { takeBackListCommits } from './list-commits.ts'

/** What leaves a lake together, so that a run reads it again. */
export type Removal = {
  readonly runId: string
  /** The snapshot that it was planned on. */
  readonly basis: number
  /** Ids of visible files by the id of their table. */
  readonly files: ReadonlyMap<number, readonly number[]>
  /** Rows of coverage, named by stream, table and first coordinate, and what takes their place: nothing, or what is left of them. */
  readonly uncovered: readonly Pick<CoverageRow, 'stream' | 'table' | 'slice'>[]
  readonly covered: readonly CoverageRow[]
  /** What commits without a slice count from now on, by stream and table. */
  readonly written: readonly {
    readonly stream: string
    readonly table: string
    readonly rows: number
    readonly bytes: number
  }[]
  /** Streams whose lists are read again from their beginning. */
  readonly lists: readonly string[]
  /** Of the files, those whose rows nobody can read again. */
  readonly losses: readonly NewLoss[]
  /** What it is, for the history of the lake. */
  readonly message: string
}

/**
 * Takes files out of the lake, with the coverage of what they held, in one transaction: earlier snapshots show them as long as they are
 * there. Returns the id of the snapshot.
 *
 * @throws CatalogError `catalog.overtaken`, retryable, when the lake has changed since; `catalog.run-ended`; LockedError while a run goes on,
 * which may have left rows out since a file has them.
 */
export async function removeSlices(session: Session, locks: Locks, removal: Removal): Promise<number> {
  const { runId, basis, files } = removal
  reachStep('repair.before-begin')
  const snapshotId = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    await refuseOthers(locks, runId)
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
    await recordLosses(session, removal.losses)
    await writeSnapshot(session, snapshot, { message: `${removal.message} by run ${runId}`, runId })
    return snapshot.id
  })
  reachStep('repair.after-commit')
  return snapshotId
}

/** Removes the coverage and the counts of what goes, and writes those of what is left. */
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
    covered.map((row) => coverageCells(row, runId, snapshotId)),
  )
  reachStep('repair.after-coverage')
  for (const { stream, table, rows, bytes } of written) {
    await session.run('DELETE FROM chainlake.written WHERE stream = $1 AND table_name = $2', [stream, table])
    if (rows > 0) await session.append('chainlake', 'written', [[stream, table, rows, bytes, runId, snapshotId]])
  }
  await recordRemoved(session, [...uncovered, ...written.filter(({ rows }) => rows === 0).map(withoutSlice)])
  for (const stream of lists) await session.run('DELETE FROM chainlake.stretch WHERE stream = $1', [stream])
}

function withoutSlice({ stream, table }: Removal['written'][number]): RemovedRow {
  return { stream, table, slice: null }
}

async function refuseOthers(locks: Locks, runId: string): Promise<void> {
  const other = (await locks.held()).find((name) => name !== runLock(runId))
  if (other === undefined) return
  throw new LockedError('A run works on this lake.', {
    code: 'catalog.locked',
    details: { run: ownerOfLock(other) },
    hint: 'Nothing was changed. End it (chainlake status says which process it is), then repair.',
    retryable: true,
  })
}

function coverageCells(row: CoverageRow, runId: string, snapshotId: number): Cell[] {
  const { network, stream, table, slice, ends, blockEnds, rows, bytes } = row
  const idsOf = (kind: CoverageRow['ends']): Cell[] => [
    kind?.firstId ?? null,
    kind?.firstParentId ?? null,
    kind?.lastId ?? null,
  ]
  const place = [network, stream, table, slice.from, slice.to]
  return [...place, ...idsOf(ends), rows, bytes, runId, snapshotId, ...idsOf(blockEnds)]
}

function overtaken(basis: number, latest: number): CatalogError {
  return new CatalogError('The lake has changed since it was planned what to remove.', {
    code: 'catalog.overtaken',
    details: { 'planned on snapshot': basis, 'latest snapshot': latest },
    hint: 'Nothing was changed. Start again when no run goes on.',
    retryable: true,
  })
}
