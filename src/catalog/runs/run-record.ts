import { inTransaction, type Session } from '../session/session.ts'

/** What a job took when it was last run to its end. */
export type Measure = {
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly job: string
  readonly pipeline: string
  /** When, in milliseconds since 1970 UTC. */
  readonly endedAtMs: number
  readonly milliseconds: number
  /** Records of ranges that were read: containers, blocks. */
  readonly records: number
  /** Pages and single answers of lists. */
  readonly requests: number
}

/** What runs leave that is no row of the lake: no snapshot is made for it. */
export type RunRecord = {
  /** By id of the stream, when its head was last reached, in milliseconds since 1970 UTC. */
  readonly reached: ReadonlyMap<string, number>
  readonly measures: readonly Measure[]
}

/** Replaces what is known of these streams and jobs. */
export async function writeRunRecord(session: Session, { reached, measures }: RunRecord): Promise<void> {
  if (reached.size === 0 && measures.length === 0) return
  await inTransaction(session, async () => {
    await session.run('DELETE FROM chainlake.reached WHERE stream IN (SELECT unnest($1::VARCHAR[]))', [
      [...reached.keys()],
    ])
    await session.append('chainlake', 'reached', [...reached])
    const telling = await tellingOf(session, measures)
    for (const { job, pipeline } of telling)
      await session.run('DELETE FROM chainlake.measure WHERE job = $1 AND pipeline = $2', [job, pipeline])
    await session.append(
      'chainlake',
      'measure',
      telling.map((each) => [
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

/** So many records say how long others take, whatever was measured before; of fewer the start of the run takes most of the time. */
const tellingRecords = 1_000

/** Those that say more than what is known. */
async function tellingOf(session: Session, measures: readonly Measure[]): Promise<readonly Measure[]> {
  if (measures.length === 0) return []
  const known = await readMeasures(session)
  return measures.filter(({ job, pipeline, records, requests }) => {
    const before = known.find((each) => each.job === job && each.pipeline === pipeline)
    return requests > 0 || records >= Math.min(tellingRecords, before?.records ?? 0)
  })
}

/** When the head of each stream was last reached, in milliseconds since 1970 UTC. */
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
