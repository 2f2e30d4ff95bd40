import { inTransaction, type Session } from '../session/session.ts'

/** Measurements of the last complete run of a job. */
export type Measure = {
  /** Name of the job in chainlake.yaml, or name of the pipeline. */
  readonly job: string
  readonly pipeline: string
  /** When it ended, in milliseconds since 1970 UTC. */
  readonly endedAtMs: number
  /** Duration in milliseconds. */
  readonly milliseconds: number
  /** Number of records that were read from ranges: containers or blocks. */
  readonly records: number
  /** Number of requests for pages of lists and for single answers. */
  readonly requests: number
}

/** Facts about a run that are not rows of the lake. They make no snapshot. */
export type RunRecord = {
  /** When the run last reached the head of each stream, by stream id, in milliseconds since 1970 UTC. */
  readonly reached: ReadonlyMap<string, number>
  readonly measures: readonly Measure[]
}

/** Replaces the records of these streams and jobs. */
export async function writeRunRecord(session: Session, { reached, measures }: RunRecord): Promise<void> {
  if (reached.size === 0 && measures.length === 0) return
  await inTransaction(session, async () => {
    await session.run('DELETE FROM chainlake.reached WHERE stream IN (SELECT unnest($1::VARCHAR[]))', [
      [...reached.keys()],
    ])
    await session.append('chainlake', 'reached', [...reached])
    const useful = await usefulAmong(session, measures)
    for (const { job, pipeline } of useful)
      await session.run('DELETE FROM chainlake.measure WHERE job = $1 AND pipeline = $2', [job, pipeline])
    await session.append(
      'chainlake',
      'measure',
      useful.map((each) => [
        each.job,
        each.pipeline,
        each.endedAtMs,
        Math.round(each.milliseconds),
        each.records,
        each.requests,
      ]),
    )
  })
}

/** From this number of records on, a measurement is always useful. With fewer records, the start of the run dominates the duration. */
const minUsefulRecords = 1_000

/** The measurements that are better than the stored ones. */
async function usefulAmong(session: Session, measures: readonly Measure[]): Promise<readonly Measure[]> {
  if (measures.length === 0) return []
  const known = await readMeasures(session)
  return measures.filter(({ job, pipeline, records, requests }) => {
    const before = known.find((each) => each.job === job && each.pipeline === pipeline)
    return requests > 0 || records >= Math.min(minUsefulRecords, before?.records ?? 0)
  })
}

/** When a run last reached the head of each stream, in milliseconds since 1970 UTC. */
export async function readReached(session: Session): Promise<Map<string, number>> {
  const rows = await session.rows('SELECT stream, reached_ms FROM chainlake.reached')
  return new Map(rows.map((row) => [row['stream'], row['reached_ms']]))
}

export async function readMeasures(session: Session): Promise<Measure[]> {
  const rows = await session.rows('SELECT * FROM chainlake.measure ORDER BY job, pipeline')
  return rows.map((row) => ({
    job: row['job'],
    pipeline: row['pipeline'],
    endedAtMs: row['ended_ms'],
    milliseconds: row['duration_ms'],
    records: row['record_count'],
    requests: row['request_count'],
  }))
}
