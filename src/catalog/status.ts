import { isEnd, itemsOf, type ReadStretch, type Slice, type Stream } from '../model.ts'
import { readWritten, type WrittenRow } from './add-files.ts'
import { type CoverageRow, readAcceptedGaps, readAllStretches, readCoverage } from './commit/coverage.ts'
import { readRemoved } from './lost-files.ts'
import { type RunStatus, readReached, readRuns } from './runs.ts'
import { type Locks, latestSnapshotId, type Session } from './session.ts'
import { readStreamFacts, type StreamFacts } from './streams.ts'

export type TableStatus = {
  readonly table: string
  /** Committed slices, sorted; adjacent slices are merged. Empty for streams that are not read by range. */
  readonly slices: readonly Slice[]
  /** The gaps between them, and removed slices at their ends that no run has read again. */
  readonly gaps: readonly Slice[]
  /** Missing slices that the user accepted; omitted where there are none. */
  readonly accepted?: readonly Slice[]
  /** A repair removed rows of a list, and no run has read the list again. */
  readonly isAwaited?: true
  /** The first coordinate that jobs asked for, or else the first covered one; omitted where no run declared the stream. */
  readonly begins?: number
  /** The last run of the stream does not fill the table, such as without `--credentials`. */
  readonly isLeft?: true
  readonly rows: number
  readonly bytes: number
}

export type StreamStatus = Stream & {
  /** Such as `mainnet/P/block`. */
  readonly stream: string
  /** The pipeline that a run read it with last; null for the table `chains`, which belongs to no pipeline. */
  readonly pipeline: string | null
  /** What its slices and gaps count, in the plural: `heights`, `containers`, `blocks`, `seconds`. */
  readonly unit: string
  readonly tables: readonly TableStatus[]
  /** Null for streams that are not lists. */
  readonly stretches: StretchStatus | null
  /** Null for streams that are not observed. */
  readonly observations: ObservationStatus | null
  /** The last run that was started for the stream. */
  readonly lastRun: RunStatus | null
  /** When a run last reached the head of the stream; null if no run did. */
  readonly reached: Date | null
}

type StretchStatus = {
  readonly count: number
  /** Number of items in all stretches. */
  readonly items: number
  /** Whether the list was read to its end, or to an end that the user accepted. */
  readonly complete: boolean
  /** Where the list ended before the rows that were known; omitted where it did not. */
  readonly holes?: readonly ListHole[]
}

/** A part of a list that no run has seen. Times are Unix seconds; null where items have no time, or where the list has no item on that side. */
type ListHole = {
  /** The newest known item below it. */
  readonly from: number | null
  /** The oldest known item above it. */
  readonly to: number | null
  readonly isAccepted: boolean
}

type ObservationStatus = {
  readonly complete: number
  /** When the latest complete observation was completed. */
  readonly lastCompleted: Date | null
  /** When the open observation was opened; null if none is open. */
  readonly openSince: Date | null
}

export type LakeStatus = { readonly snapshotId: number; readonly streams: readonly StreamStatus[] }

/** The contents of the lake by stream. A stream that was only started is included, without tables. */
export async function readStatus(session: Session, locks: Locks): Promise<LakeStatus> {
  const coverage = await readCoverage(session)
  const runs = await readRuns(session, locks)
  const written = await readWritten(session)
  const stretches = await readAllStretches(session)
  const observations = await readObservationStatus(session)
  const reached = await readReached(session)
  const removed = await readRemoved(session)
  const acceptedGaps = await readAcceptedGaps(session)
  const streams = await readStreamFacts(session)
  return {
    snapshotId: await latestSnapshotId(session),
    streams: [...streams.values()].map((declared): StreamStatus => {
      const { stream, network, path, kind, chain, parameters, pipeline, unit } = declared
      const own = coverage.filter((row) => row.stream === stream)
      const ownWritten = written.filter((row) => row.stream === stream)
      const ownRemoved = removed.filter((row) => row.stream === stream)
      const lastRun = runs.findLast((run) => run.streams.includes(stream)) ?? null
      const list = stretches.get(stream)
      const listed = list === undefined ? null : stretchStatus(list)
      const isReadAgain = lastRun?.command !== 'repair' && listed?.complete !== false
      const names = new Set([...own, ...ownWritten, ...ownRemoved].map((row) => row.table))
      return {
        ...{ network, stream, path, kind, chain, parameters, pipeline, unit },
        tables: [...names].map((table) => {
          const isOwn = (row: { readonly table: string }) => row.table === table
          const gone = ownRemoved.filter(isOwn)
          const ranges = gone.flatMap(({ slice }) => slice ?? [])
          const accepted = acceptedGaps.filter((gap) => gap.stream === stream && isOwn(gap)).map(({ slice }) => slice)
          return {
            ...tableStatus(table, declared, [own.filter(isOwn), ownWritten.filter(isOwn)], ranges),
            ...(accepted.length === 0 ? {} : { accepted }),
            ...(!isReadAgain && ranges.length < gone.length ? { isAwaited: true as const } : {}),
          }
        }),
        stretches: listed,
        observations: observations.get(stream) ?? null,
        lastRun,
        reached: reached.has(stream) ? new Date(reached.get(stream)!) : null,
      }
    }),
  }
}

function stretchStatus(stretches: readonly ReadStretch[]): StretchStatus {
  const holes = stretches.flatMap(({ hole, bottomTime: to }, position): ListHole[] => {
    if (hole === null) return []
    return [{ from: stretches[position + 1]?.topTime ?? null, to, isAccepted: hole === 'accepted' }]
  })
  return {
    count: stretches.length,
    items: itemsOf(stretches),
    complete: stretches[0] !== undefined && isEnd(stretches[0]),
    ...(holes.length === 0 ? {} : { holes }),
  }
}

async function readObservationStatus(session: Session): Promise<Map<string, ObservationStatus>> {
  const rows = await session.rows(
    `SELECT stream, count(*) FILTER (WHERE outcome IS NOT NULL) AS complete, max(completed) AS "lastCompleted",
       max(observed_at_ms) FILTER (WHERE outcome IS NULL) AS "openMs"
     FROM chainlake.observation GROUP BY stream`,
  )
  return new Map(
    rows.map(({ stream, complete, lastCompleted, openMs }) => {
      return [stream, { complete, lastCompleted, openSince: openMs === null ? null : new Date(openMs) }]
    }),
  )
}

function tableStatus(
  table: string,
  { pipeline, begins, tables }: StreamFacts,
  [covered, written]: readonly [readonly CoverageRow[], readonly WrittenRow[]],
  removed: readonly Slice[],
): TableStatus {
  const rows = [...covered, ...written]
  const slices = covered.map(({ slice }) => slice)
  const read = [...slices, ...removed]
  const first = Math.min(begins[table] ?? Number.POSITIVE_INFINITY, ...read.map(({ from }) => from))
  // What runs declared about a table that is read by range.
  const isExpected = pipeline !== null && read.length > 0
  return {
    table,
    slices,
    gaps: gapsBetween(slices, read),
    rows: rows.reduce((sum, row) => sum + row.rows, 0),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    ...(isExpected ? { begins: first } : {}),
    ...(isExpected && !tables.includes(table) ? { isLeft: true } : {}),
  }
}

/** The gaps of sorted slices between the lowest and the highest coordinate of `others`. */
function gapsBetween(slices: readonly Slice[], others: readonly Slice[]): Slice[] {
  const gaps: Slice[] = []
  let at = Math.min(...others.map(({ from }) => from))
  const end = Math.max(...others.map(({ to }) => to))
  for (const { from, to } of [...slices, { from: end, to: end }]) {
    if (at < from) gaps.push({ from: at, to: from })
    at = Math.max(at, to)
  }
  return gaps
}
