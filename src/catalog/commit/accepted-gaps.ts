import { type Slice, type Stream, streamId } from '../../model.ts'
import { readOpenRuns, streamTaken } from '../runs/runs.ts'
import type { Locks } from '../session/backend.ts'
import { inTransaction, type Session } from '../session/session.ts'

/** A gap of a table and stream. `slice` is null for a list that ended before the rows that were known. */
export type StreamGap = { readonly stream: string; readonly table: string; readonly slice: Slice | null }

/** The gaps of ranges that the user accepted, of a stream or of all streams, sorted. */
export async function readAcceptedGaps(
  session: Session,
  stream?: Stream,
): Promise<(StreamGap & { readonly slice: Slice })[]> {
  const rows = await session.rows(
    `SELECT stream, table_name, slice_from, slice_to FROM chainlake.accepted_gap
     ${stream === undefined ? '' : 'WHERE stream = $1'} ORDER BY stream, table_name, slice_from`,
    stream === undefined ? [] : [streamId(stream)],
  )
  return rows.map((row) => ({
    stream: row['stream'],
    table: row['table_name'],
    slice: { from: row['slice_from'], to: row['slice_to'] },
  }))
}

/**
 * Accepts gaps, or revokes what was accepted. Runs keep the state of lists in memory, so this throws StreamTakenError while a run holds one of
 * the streams.
 */
export async function changeAcceptedGaps(
  session: Session,
  locks: Locks,
  { gaps, accepted }: { readonly gaps: readonly StreamGap[]; readonly accepted: boolean },
): Promise<void> {
  const streams = [...new Set(gaps.map(({ stream }) => stream))]
  const open = await readOpenRuns(session, locks)
  const holders = open.filter((run) => run.state === 'running' && run.streams.some((each) => streams.includes(each)))
  if (holders[0] !== undefined) throw streamTaken(holders[0], streams, holders)
  await inTransaction(session, async () => {
    for (const { stream, table, slice } of gaps) {
      if (slice === null)
        await session.run('UPDATE chainlake.stretch SET hole = $2 WHERE stream = $1 AND hole = $3', [
          stream,
          ...(accepted ? ['accepted', 'open'] : ['open', 'accepted']),
        ])
      else if (accepted)
        await session.run('INSERT INTO chainlake.accepted_gap VALUES ($1, $2, $3, $4)', [
          stream,
          table,
          slice.from,
          slice.to,
        ])
      else
        await session.run(
          'DELETE FROM chainlake.accepted_gap WHERE stream = $1 AND table_name = $2 AND slice_from < $4 AND slice_to > $3',
          [stream, table, slice.from, slice.to],
        )
    }
  })
}
