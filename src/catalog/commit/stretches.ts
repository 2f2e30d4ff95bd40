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
