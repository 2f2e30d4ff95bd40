import type { Commit } from '../../catalog/catalog.ts'
import { CatalogError, LockedError } from '../../errors.ts'
import type { Part, Progress, Stream } from '../../model.ts'
import { rowsTaken } from './concurrent-commits.ts'
import type { ListRun } from './lake-run.ts'
import type { ListUnit } from './list-unit.ts'
import { removeParts } from './unit-writer.ts'
import { visibleFiles } from './visible-files.ts'

export type StreamProgress = {
  readonly stream: Stream
  readonly progress: Progress
  /** The owner under which the unit holds the rows of the stream. */
  readonly owner: number
}

/** The part of a run that a commit needs. */
export type CommittingRun = Pick<
  ListRun,
  'catalog' | 'store' | 'runId' | 'lookup' | 'pipeline' | 'written' | 'emit' | 'afterCommit'
> & {
  /** The latest time of a block in rows of these files; null where no row has one. */
  readonly newestTime?: (parts: readonly Part[]) => string | null
}

/** The part of a unit that a commit needs. */
export type CommittedUnit = Pick<ListUnit, 'finish' | 'rows' | 'basis' | 'written' | 'keys'> &
  Partial<Pick<ListUnit, 'read'>>

/**
 * Makes a unit visible together with the progress of its streams; call it once for a unit. If the catalog refused the files of the unit,
 * this function removes them. After any other failure the commit may have taken place: the files stay, and the next run removes those that
 * the catalog does not name.
 *
 * Rows that another commit stored after they were compared must not be stored twice. This function then reads the new files. If they hold
 * rows of the unit, it drops the unit and throws `rowsTaken`. It does the same when overlapping streams have covered more of the unit's
 * slices since the run planned it.
 */
export async function commitUnit(
  run: CommittingRun,
  tables: readonly string[],
  unit: CommittedUnit,
  streams: readonly [StreamProgress, ...StreamProgress[]],
  overlapping?: Commit['overlapping'],
): Promise<void> {
  const parts = await unit.finish()
  const [{ stream, progress, owner }, ...others] = streams
  const share = (other: StreamProgress) => ({
    ...other,
    rows: unit.written(other.owner),
    read: unit.read?.(other.owner),
  })
  const commit: Commit = {
    runId: run.runId,
    stream,
    tables,
    parts,
    progress,
    read: unit.read?.(owner),
    others: others.map(share),
    basis: unit.basis(),
    ...(overlapping === undefined ? {} : { overlapping }),
  }
  const snapshotId = await commitCompared(run, unit, commit).catch(async (error: unknown) => {
    if (error === rowsTaken || error instanceof LockedError) await removeParts(run.store, parts)
    throw error
  })
  // The commit has succeeded, whatever fails after it.
  run.written(parts)
  // Later comparisons with these files need not read them.
  run.lookup.learnKeys(parts, unit.keys)
  const { pipeline } = run
  const newest = run.newestTime?.(parts) ?? null
  const of = { pipeline, slice: sliceOf(progress), snapshotId, rows: unit.rows() }
  run.emit({ kind: 'committed', ...of, ...(newest === null ? {} : { newest }) })
  await run.afterCommit()
}

/**
 * Commits, and compares the rows again whenever another commit came in between. Throws `rowsTaken`, a LockedError when the catalog could
 * not be opened, and the errors of the catalog.
 */
async function commitCompared(run: CommittingRun, unit: CommittedUnit, commit: Commit): Promise<number> {
  let { basis } = commit
  for (;;) {
    try {
      return await run.catalog.commit({ ...commit, basis })
    } catch (error) {
      if (!isConflict(error)) throw error
      // Other runs have covered a part of the slice: the run plans it again.
      if (basis === null) throw rowsTaken
      basis = await compareAgain(run, unit, basis)
    }
  }
}

/** The snapshot up to which no other commit contains rows of the unit. Throws `rowsTaken`. */
async function compareAgain(run: CommittingRun, unit: CommittedUnit, since: number): Promise<number> {
  let basis: number | null = null
  for (const [table, keys] of unit.keys()) {
    const { snapshotId, files } = await visibleFiles(run, table, { since })
    basis = basis === null ? snapshotId : Math.min(basis, snapshotId ?? basis)
    if (files.length === 0) continue
    const taken = await run.lookup.knownKeys({ table, files, keys: [...keys] })
    if (taken.size > 0) throw rowsTaken
  }
  return basis ?? since
}

/** Whether another commit came between the comparison and this commit. Nothing was written then. */
export function isConflict(error: unknown): boolean {
  return error instanceof CatalogError && error.code === 'catalog.conflict'
}

function sliceOf(progress: Progress) {
  return progress.kind === 'slice' ? progress.slice : null
}
