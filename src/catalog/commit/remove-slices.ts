import { CatalogError, LockedError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import { endFiles } from '../files/end-files.ts'
import { type NewLoss, recordLosses } from '../files/losses.ts'
import { type RemovedRow, recordRemoved } from '../files/removed.ts'
import { type ChainAnchor, removeAnchors } from '../runs/chain-anchors.ts'
import { ownerOfLock, requireRunning, runLock } from '../runs/runs.ts'
import type { Locks } from '../session/backend.ts'
import { type Cell, inTransaction, type Session } from '../session/session.ts'
import { latestSnapshotId, nextSnapshot, writeSnapshot } from '../session/snapshot.ts'
import type { CoverageRow } from './coverage.ts'
import { takeBackListCommits } from './list-commits.ts'

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
  readonly written: readonly {
    readonly stream: string
    readonly table: string
    readonly rows: number
    readonly bytes: number
  }[]
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
 * @throws CatalogError `catalog.overtaken`, retryable, when the lake has changed since the plan; `catalog.run-ended`; LockedError while
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

async function refuseOtherRuns(locks: Locks, runId: string): Promise<void> {
  const other = (await locks.held()).find((name) => name !== runLock(runId))
  if (other === undefined) return
  throw new LockedError('Another run is active on this lake.', {
    code: 'catalog.locked',
    details: { run: ownerOfLock(other) },
    hint: 'Nothing was changed. End that run (chainlake status shows its process), then repair.',
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
  return new CatalogError('The lake has changed since the removal was planned.', {
    code: 'catalog.overtaken',
    details: { 'planned on snapshot': basis, 'latest snapshot': latest },
    hint: 'Nothing was changed. Start again when no run is active.',
    retryable: true,
  })
}
