import type { RowsOf, Tables } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { keepsWhole } from '../job/early-end.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import type { ListUnit } from '../rows/list-unit.ts'
import { type ChainOptions, newChainUnit, unitRows } from './chain-unit.ts'

/**
 * The commits of a list that is committed on the way. Rows and the progress that they justify are one unit: they are committed together and
 * once, and the next unit begins when the commit has succeeded. After a commit that failed nothing more is committed.
 */
export type ListCommits<P> = {
  /** The progress that the unit justifies. */
  readonly progress: () => P
  /** Rows of the unit that are new so far. */
  readonly rows: () => number
  /** Rows of the units that were committed. */
  readonly newRows: () => number
  /** Whether the unit or the lake has all of these rows. */
  readonly holdsAll: ListUnit['holdsAll']
  /** Takes the rows of a page, and the progress that the list has made with them. */
  readonly take: (rows: RowsOf<Tables>, progress: P) => Promise<void>
  /** Takes progress that needs no further rows. */
  readonly turnTo: (progress: P) => void
  readonly commit: () => Promise<void>
  /** Commits a unit that has enough rows or pages, or took long enough. */
  readonly commitWhenDue: () => Promise<void>
  /** Commits the last unit, when it has rows or `isChanged`. */
  readonly end: (isChanged: boolean) => Promise<void>
  /** The same for a walk that failed: what a failing source has given is kept, everything else is dropped. */
  readonly fail: (error: unknown) => Promise<void>
}

/** `stretchesOf` gives what is recorded of a progress; none for a list of which no item was seen. */
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
  let hasFailed = false

  const commit = async (): Promise<void> => {
    const { rows, progress } = unit
    const stretches = { kind: 'stretches', stretches: stretchesOf(progress) } as const
    hasFailed = true
    await commitUnit(run, names, rows, [{ stream: stream.stream, progress: stretches, owner: 0 }])
    hasFailed = false
    newRows += rows.rows()
    unit = newUnit(progress)
  }
  const isDue = ({ rows, pages, startedMs }: typeof unit): boolean =>
    rows.rows() >= unitRows || pages >= run.unitPages || performance.now() - startedMs > run.commitEveryMs
  return {
    progress: () => unit.progress,
    rows: () => unit.rows.rows(),
    newRows: () => newRows,
    holdsAll: (rows) => unit.rows.holdsAll(rows),
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
      const hasProgress = stretchesOf(unit.progress).length > 0
      if (hasProgress && (isChanged || unit.rows.rows() > 0)) await commit()
      else await unit.rows.abort()
    },
    async fail(error) {
      const isWhole = !hasFailed && unit.pages > 0 && stretchesOf(unit.progress).length > 0
      if (isWhole && keepsWhole(error, run.stop)) await commit()
      else await unit.rows.abort()
    },
  }
}
