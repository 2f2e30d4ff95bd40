import { type Stream, type Stretch, streamId } from '../../model.ts'
import type { Session } from '../session/session.ts'

/** The committed stretches of a stream, newest first. */
export async function readStretches(session: Session, stream: Stream): Promise<Stretch[]> {
  const rows = await session.rows('SELECT * FROM chainlake.stretch WHERE stream = $1 ORDER BY position', [
    streamId(stream),
  ])
  return rows.map((row) => ({
    topKeys: row['top_keys'],
    topTime: row['top_time'],
    bottomKeys: row['bottom_keys'],
    bottomTime: row['bottom_time'],
    token: row['token'],
    tokenAtMs: row['token_at_ms'],
    end: row['reached_end'],
    hole: row['hole'],
    items: row['item_count'],
  }))
}

/** The times between which a part of a list is committed. */
export type StretchTimes = Pick<Stretch, 'topTime' | 'bottomTime'>

/** The times of the stretches of all streams, by stream. */
export async function readStretchTimes(session: Session): Promise<Map<string, StretchTimes[]>> {
  const rows = await session.rows(
    'SELECT stream, top_time, bottom_time FROM chainlake.stretch ORDER BY stream, position',
  )
  const times = new Map<string, StretchTimes[]>()
  for (const row of rows) {
    const own = times.get(row['stream']) ?? []
    times.set(row['stream'], own)
    own.push({ topTime: row['top_time'], bottomTime: row['bottom_time'] })
  }
  return times
}

/** Replaces all stretches of the stream. */
export async function replaceStretches(session: Session, stream: Stream, stretches: readonly Stretch[]): Promise<void> {
  const id = streamId(stream)
  await session.run('DELETE FROM chainlake.stretch WHERE stream = $1', [id])
  for (const [position, stretch] of stretches.entries()) {
    const { topKeys, topTime, bottomKeys, bottomTime, token, tokenAtMs, end, hole, items } = stretch
    await session.run('INSERT INTO chainlake.stretch VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)', [
      id,
      position,
      topKeys,
      topTime,
      bottomKeys,
      bottomTime,
      token,
      tokenAtMs,
      end,
      hole,
      items,
    ])
  }
}
