import type { RowsOf, Tables } from '../../define/index.ts'
import { isOfSource, isStop } from '../error-parts.ts'
import type { Run } from '../rows/lake-run.ts'
import type { ListBatch } from '../rows/list-batch.ts'

const batchRows = 65_536

/**
 * The commits of a list that is committed, or staged, while it is read. Rows and the progress that they justify are one batch: `commit` makes
 * them durable together, once. The next batch begins after the commit. After a failed commit nothing more is committed.
 */
export function createListCommits<P>(
  run: Pick<Run, 'unitPages' | 'commitEveryMs' | 'stop'>,
  begin: P,
  newBatch: () => ListBatch,
  commit: (rows: ListBatch, progress: P) => Promise<void>,
) {
  const open = (progress: P) => ({ rows: newBatch(), progress, pages: 0, startedMs: performance.now() })
  let batch = open(begin)
  let hasFailed = false
  const commitNow = async (): Promise<void> => {
    hasFailed = true
    await commit(batch.rows, batch.progress)
    hasFailed = false
    batch = open(batch.progress)
  }
  return {
    /** The rows that are not committed yet. */
    batch: () => batch.rows,
    /** The progress that they justify. */
    progress: () => batch.progress,
    async take(rows: RowsOf<Tables>, progress: P): Promise<void> {
      batch.rows.add(rows)
      batch = { ...batch, progress, pages: batch.pages + 1 }
      await batch.rows.relieve()
    },
    turnTo(progress: P): void {
      batch = { ...batch, progress }
    },
    commit: commitNow,
    /** Commits the batch if it has enough rows or pages, or is old enough. */
    async commitWhenDue(): Promise<void> {
      const { rows, pages, startedMs } = batch
      const isOld = performance.now() - startedMs > run.commitEveryMs
      if (rows.rows() >= batchRows || pages >= run.unitPages || isOld) await commitNow()
    },
    /** Ends a walk that failed. After a failure of the source or a stop a whole batch is committed; otherwise it is dropped. */
    async fail(error: unknown, isWhole: boolean): Promise<void> {
      const keepsPrefix = isOfSource(error) || isStop(error, run.stop)
      if (isWhole && !hasFailed && batch.pages > 0 && keepsPrefix) await commitNow()
      else await batch.rows.abort()
    },
  }
}
