import type { Commit } from '../../catalog/catalog.ts'
import { CatalogError, LockedError } from '../../errors.ts'
import type { Progress, Stream } from '../../model.ts'
import type { ServiceRun } from '../lake-run.ts'
import type { ListUnit } from './list-unit.ts'
import { visibleFiles } from './visible-files.ts'

/** Another run stored rows of the unit in the meantime: the stream goes on from what is committed. */
export const rowsTaken = Symbol('rows taken')

export type StreamProgress = {
  readonly stream: Stream
  readonly progress: Progress
  /** As whose the unit was given the rows of the stream. */
  readonly owner: number
}

/** What a commit needs of a run, and whom it tells. */
export type CommittingRun = Pick<
  ServiceRun,
  'catalog' | 'runId' | 'lookup' | 'pipeline' | 'written' | 'emit' | 'afterCommit'
>

/** What a commit needs of a unit. */
export type CommittedUnit = Pick<ListUnit, 'finish' | 'abort' | 'rows' | 'basis' | 'written' | 'keys'>

/**
 * Makes a unit visible together with the progress of its streams. Rows that another commit stored after they were compared must not
 * be stored twice: then the new files are looked through, and when they hold rows of the unit, it is dropped and `rowsTaken`
 * is thrown. So it is when streams `beside` it have covered more of its slices than they had when it was planned.
 */
export async function commitUnit(
  run: CommittingRun,
  tables: readonly string[],
  unit: CommittedUnit,
  [first, ...others]: readonly [StreamProgress, ...StreamProgress[]],
  beside?: Commit['beside'],
): Promise<void> {
  const { catalog, runId } = run
  const { stream, progress } = first
  const parts = await unit.finish()
  const share = (other: StreamProgress) => ({ ...other, rows: unit.written(other.owner) })
  let basis = unit.basis()
  for (;;) {
    try {
      const snapshotId = await catalog.commit({
        runId,
        stream,
        tables,
        parts,
        progress,
        others: others.map(share),
        basis,
        ...(beside === undefined ? {} : { beside }),
      })
      run.written(parts)
      // Whoever compares with these files need not read them.
      run.lookup.learnKeys(parts, unit.keys)
      run.emit({ kind: 'committed', pipeline: run.pipeline, slice: sliceOf(progress), snapshotId, rows: unit.rows() })
      await run.afterCommit()
      return
    } catch (error) {
      // The catalog was not even opened: the disk shall not fill while somebody holds it.
      if (error instanceof LockedError) await unit.abort()
      if (!isConflict(error)) throw error
      if (basis === null) {
        // Others have covered some of it: it is planned again.
        await unit.abort()
        throw rowsTaken
      }
      basis = await compareAgain(run, unit, basis)
    }
  }
}

/** The snapshot up to which no other commit has rows of the unit. Throws `rowsTaken`. */
async function compareAgain(run: CommittingRun, unit: CommittedUnit, since: number): Promise<number> {
  let basis: number | null = null
  for (const [table, keys] of unit.keys()) {
    const { snapshotId, files } = await visibleFiles(run, table, { since })
    basis = basis === null ? snapshotId : Math.min(basis, snapshotId ?? basis)
    if (files.length === 0) continue
    const taken = await run.lookup.knownKeys({ table, files, keys: [...keys] })
    if (taken.size === 0) continue
    await unit.abort()
    throw rowsTaken
  }
  return basis ?? since
}

/** Whether another commit came between the comparison and this one: nothing was written. */
export function isConflict(error: unknown): boolean {
  return error instanceof CatalogError && error.code === 'catalog.conflict'
}

function sliceOf(progress: Progress) {
  return progress.kind === 'slice' ? progress.slice : null
}
