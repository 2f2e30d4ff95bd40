import { unknownStream } from './file-facts.ts'
import { inTransaction, type Session } from './session.ts'

/** The hash of a visible file that the catalog has none of. */
export type TakenHash = {
  readonly id: number
  /** The run that its name says wrote it. */
  readonly runId: string
  readonly sha256: string
}

/** Records hashes of files of before version 4. Whose rows they hold nobody said, so no stream is; files that have a hash keep it. */
export async function recordHashes(session: Session, taken: readonly TakenHash[]): Promise<void> {
  await inTransaction(session, async () => {
    const rows = await session.rows(
      `SELECT DISTINCT data_file_id FROM chainlake.file
       UNION SELECT data_file_id FROM main.ducklake_data_file WHERE end_snapshot IS NOT NULL`,
    )
    const settled = new Set(rows.map((row) => row['data_file_id']))
    const missing = taken.filter(({ id }) => !settled.has(id))
    await session.append(
      'chainlake',
      'file',
      missing.map(({ id, runId, sha256 }) => [id, unknownStream, null, null, runId, sha256]),
    )
  })
}
