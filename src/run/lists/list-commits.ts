import type { RowsOf, Tables } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { keepsPrefix } from '../job/early-end.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import type { ListUnit } from '../rows/list-unit.ts'
import { type ChainOptions, newChainUnit, unitRows } from './chain-unit.ts'

/**
 * The commits of a list that is committed while it is read. Rows and the progress that they justify are one unit and are committed together,
 * once. The next unit begins after the commit. After a failed commit nothing more is committed.
 */
export type ListCommits<P> = {
  /** The progress that the unit justifies. */
  readonly progress: () => P
  /** Number of new rows in the current unit. */
  readonly rows: () => number
  /** Number of new rows in the committed units. */
  readonly newRows: () => number
  /** Whether the unit or the lake has all of these rows. */
  readonly holdsAll: ListUnit['holdsAll']
  /** Whether the catalog has the progress already. */
  readonly isRecorded: () => boolean
  /** Takes the rows of a page and the progress that they justify. */
  readonly take: (rows: RowsOf<Tables>, progress: P) => Promise<void>
  /** Takes progress without rows. */
  readonly turnTo: (progress: P) => void
  readonly commit: () => Promise<void>
  /** Commits the current unit if it has enough rows or pages, or is old enough. */
  readonly commitWhenDue: () => Promise<void>
  /** Commits the last unit if it has rows, if it joined stretches that an earlier commit recorded, or if `isChanged` is true. */
  readonly end: (isChanged: boolean) => Promise<void>
  /** Ends a walk that failed. After a failure of the source the rows are committed; after any other failure they are dropped. */
  readonly fail: (error: unknown) => Promise<void>
}

/** `stretchesOf` returns the stretches to record for a progress; none for a list without items. */
export function createListCommits<P>(
  { stream, run }: Pick<ChainOptions<unknown>, 'stream' | 'run'>,
  begin: P,
  stretchesOf: (progress: P) => readonly Stretch[],
): ListCommits<P> {
  const names = Object.values(stream.tables).map(({ name }) => name)
  const newUnit = (progress: P) => ({
    rows: newChainUnit({ stream, run }),
    progress,
    pages: 0,
    startedMs: performance.now(),
  })
  let unit = newUnit(begin)
  let newRows = 0
  let recorded = stretchesOf(begin)
  let hasFailed = false

  const commit = async (): Promise<void> => {
    const { rows, progress } = unit
    const stretches = { kind: 'stretches', stretches: stretchesOf(progress) } as const
    hasFailed = true
    await commitUnit(run, names, rows, [{ stream: stream.stream, progress: stretches, owner: 0 }])
    hasFailed = false
    newRows += rows.rows()
    recorded = stretches.stretches
    unit = newUnit(progress)
  }
  const isDue = ({ rows, pages, startedMs }: typeof unit): boolean =>
    rows.rows() >= unitRows || pages >= run.unitPages || performance.now() - startedMs > run.commitEveryMs
  return {
    progress: () => unit.progress,
    rows: () => unit.rows.rows(),
    newRows: () => newRows,
    holdsAll: (rows) => unit.rows.holdsAll(rows),
    isRecorded: () => JSON.stringify(stretchesOf(unit.progress)) === JSON.stringify(recorded),
    async take(rows, progress) {
      unit.rows.add(rows)
      unit = { ...unit, progress, pages: unit.pages + 1 }
      if (unit.rows.isFull()) await unit.rows.flush()
    },
    turnTo(progress) {
      unit = { ...unit, progress }
    },
    commit,
    async commitWhenDue() {
      if (isDue(unit)) await commit()
    },
    async end(isChanged) {
      await unit.rows.flush()
      const { length } = stretchesOf(unit.progress)
      if (length > 0 && (isChanged || length < recorded.length || unit.rows.rows() > 0)) await commit()
      else await unit.rows.abort()
    },
    async fail(error) {
      const isWhole = !hasFailed && unit.pages > 0 && stretchesOf(unit.progress).length > 0
      if (isWhole && keepsPrefix(error, run.stop)) await commit()
      else await unit.rows.abort()
    },
  }
}
