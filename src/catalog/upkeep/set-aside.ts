import { readDataFileName } from '../../store/data-file-path.ts'
import { forgetStaged } from '../files/broken-observations.ts'
import type { UnnamedFile } from '../files/unnamed-files.ts'
import { restoredOutcome } from '../runs/runs.ts'
import { inTransaction, type Session } from '../session/session.ts'

/**
 * Marks runs of a restored catalog as ended: open runs, and runs with files that this catalog does not reference. Recovery keeps the files of
 * these runs, because the replaced catalog may reference them. Open observations restart, because their files may be visible there.
 */
export async function setAside(session: Session, unnamed: readonly UnnamedFile[]): Promise<void> {
  const observations = await session.rows(
    'SELECT DISTINCT observation_id FROM chainlake.observation WHERE outcome IS NULL',
  )
  await forgetStaged(
    session,
    observations.map((row) => row['observation_id']),
  )
  const writers = new Set(unnamed.map(({ path }) => readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId))
  const runs = await session.rows('SELECT run_id, ended IS NULL AS open FROM chainlake.run')
  await inTransaction(session, async () => {
    for (const { run_id, open } of runs)
      if (open || writers.has(run_id))
        await session.run('UPDATE chainlake.run SET ended = coalesce(ended, now()), outcome = $2 WHERE run_id = $1', [
          run_id,
          restoredOutcome,
        ])
  })
}
