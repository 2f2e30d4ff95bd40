import { CatalogError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import { type Part, type Stream, streamId } from '../../model.ts'
import { addStagedParts, dropStagedParts, readStagedParts } from '../files/staged-parts.ts'
import { newRunId } from '../runs/run-id.ts'
import { requireRunning } from '../runs/runs.ts'
import { type InSameTransaction, runInSameTransaction } from '../session/same-transaction.ts'
import { inLastTransaction, inTransaction, type Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'

/** An observation that is still being read. Its parts are durable, but not visible. */
export type OpenObservation = {
  /** Ids sort by time, over all streams of the lake. */
  readonly id: string
  /** When it was opened, in microseconds since 1970 UTC. */
  readonly observedAt: bigint
  /** Where to resume reading: the last staged cursor. Null: at the beginning. */
  readonly cursor: string | null
  /** When the cursor was staged, in milliseconds since 1970 UTC. */
  readonly cursorAtMs: number | null
  readonly parts: readonly Part[]
}

export type Staging = {
  readonly runId: string
  readonly observationId: string
  readonly parts: readonly Part[]
  readonly cursor: string | null
  /** Further work in the same transaction. */
  readonly inSameTransaction?: InSameTransaction
}

/** An observation resumes for this long after its last staging, in milliseconds: long and postponed readings finish, and old ones begin again. */
const longestPauseMs = 3 * 86_400_000

/** The observation that a run continues with, and the paths of parts that were dropped. */
type Opened = { readonly observation: OpenObservation; readonly dropped: readonly string[] }

/**
 * Resumes the open observation of the stream, or opens a new one. The observation then belongs to this run. An open observation that staged
 * nothing, or staged last too long ago, is replaced: its time would be that of an attempt that read nothing, or of another state.
 */
export async function openObservation(
  session: Session,
  { runId, stream }: { runId: string; stream: Stream },
): Promise<Opened> {
  return inTransaction(session, async () => {
    await requireRunning(session, runId)
    const known = await readOpenObservation(session, stream)
    if (known === null) return { observation: await addObservation(session, stream, runId), dropped: [] }
    if (!isResumable(known)) return replaceObservation(session, known.id, stream, runId)
    await session.run('UPDATE chainlake.observation SET run_id = $2 WHERE observation_id = $1', [known.id, runId])
    return { observation: known, dropped: [] }
  })
}

function isResumable({ cursor, cursorAtMs, parts }: OpenObservation): boolean {
  if (cursor === null && parts.length === 0) return false
  return cursorAtMs === null || Date.now() - cursorAtMs <= longestPauseMs
}

/** Adds parts and a cursor to an open observation. CatalogError `catalog.observation`, `catalog.run-ended`. */
export async function stageParts(
  session: Session,
  { runId, observationId, parts, cursor, inSameTransaction }: Staging,
): Promise<void> {
  reachStep('stage.before-begin')
  await inLastTransaction(session, async () => {
    await settleAll([requireRunning(session, runId), requireOpen(session, { runId, observationId })])
    await addStagedParts(session, observationId, parts)
    reachStep('stage.after-parts')
    await setCursor(session, observationId, cursor)
    if (inSameTransaction !== undefined) await runInSameTransaction(session, inSameTransaction)
  })
  reachStep('stage.after-commit')
}

/** Replaces an open observation by a new one of this time, without staged parts. Throws what `stageParts` throws. */
export async function restartObservation(
  session: Session,
  { runId, observationId, stream }: { runId: string; observationId: string; stream: Stream },
): Promise<Opened> {
  const opened = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    await requireOpen(session, { runId, observationId, stream })
    return replaceObservation(session, observationId, stream, runId)
  })
  reachStep('restart.after-commit')
  return opened
}

/** The ids of the complete observations of a stream, oldest first. */
export async function readObservationIds(session: Session, stream: Stream): Promise<string[]> {
  const rows = await session.rows(
    'SELECT observation_id FROM chainlake.observation WHERE stream = $1 AND outcome IS NOT NULL ORDER BY observation_id',
    [streamId(stream)],
  )
  return rows.map((row) => row['observation_id'])
}

/** Completes an observation inside the transaction of a commit. */
export async function completeObservation(
  session: Session,
  { observationId, staged }: { observationId: string; staged: 'publish' | 'discard' },
): Promise<void> {
  await dropStagedParts(session, observationId)
  await setCursor(session, observationId, null)
  await session.run('UPDATE chainlake.observation SET completed = now(), outcome = $2 WHERE observation_id = $1', [
    observationId,
    staged === 'publish' ? 'published' : 'compared',
  ])
}

/** CatalogError when the observation is not open, or belongs to another run or stream. */
export async function requireOpen(
  session: Session,
  { runId, observationId, stream }: { runId: string; observationId: string; stream?: Stream },
): Promise<void> {
  const [row] = await session.rows('SELECT * FROM chainlake.observation WHERE observation_id = $1', [observationId])
  const own = row?.['run_id'] === runId && (stream === undefined || row['stream'] === streamId(stream))
  if (row !== undefined && row['outcome'] === null && own) return
  throw new CatalogError('The observation is not open, or it belongs to another run or stream.', {
    code: 'catalog.observation',
    details: { observation: observationId, run: runId, outcome: row?.['outcome'] ?? null },
    hint: 'Nothing was written. Start again: the run resumes from the staged parts.',
  })
}

async function readOpenObservation(session: Session, stream: Stream): Promise<OpenObservation | null> {
  const [row] = await session.rows('SELECT * FROM chainlake.observation WHERE stream = $1 AND outcome IS NULL', [
    streamId(stream),
  ])
  if (row === undefined) return null
  const id = row['observation_id']
  return {
    id,
    observedAt: BigInt(row['observed_at_ms']) * 1000n,
    cursor: row['cursor_token'],
    cursorAtMs: row['cursor_at_ms'],
    parts: await readStagedParts(session, id),
  }
}

async function replaceObservation(
  session: Session,
  observationId: string,
  stream: Stream,
  runId: string,
): Promise<Opened> {
  const parts = await readStagedParts(session, observationId)
  await dropStagedParts(session, observationId)
  await session.run('DELETE FROM chainlake.observation WHERE observation_id = $1', [observationId])
  return { observation: await addObservation(session, stream, runId), dropped: parts.map(({ path }) => path) }
}

/** Its time is later than that of all other observations, even if the clock was set back: the latest observation has the latest rows. */
async function addObservation(session: Session, stream: Stream, runId: string): Promise<OpenObservation> {
  const [row] = await session.rows('SELECT max(observed_at_ms) AS latest FROM chainlake.observation')
  const nowMs = Math.max(Date.now(), (row?.['latest'] ?? 0) + 1)
  const id = newRunId(nowMs)
  await session.append('chainlake', 'observation', [[id, streamId(stream), nowMs, runId, null, null, null, null]])
  return { id, observedAt: BigInt(nowMs) * 1000n, cursor: null, cursorAtMs: null, parts: [] }
}

async function setCursor(session: Session, observationId: string, cursor: string | null): Promise<void> {
  await session.run('UPDATE chainlake.observation SET cursor_token = $2, cursor_at_ms = $3 WHERE observation_id = $1', [
    observationId,
    cursor,
    cursor === null ? null : Date.now(),
  ])
}
