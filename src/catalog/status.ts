import type { Slice } from '../model.ts'
import { type CoverageRow, readCoverage } from './coverage.ts'
import type { LakePaths } from './paths.ts'
import { type RunStatus, readRuns } from './runs.ts'
import type { Session } from './session.ts'
import { latestSnapshotId } from './snapshot.ts'

export type TableStatus = {
  readonly table: string
  /** Committed slices, sorted; neighbours are one. */
  readonly slices: readonly Slice[]
  /** What lies between them. */
  readonly gaps: readonly Slice[]
  readonly rows: number
  readonly bytes: number
}

export type StreamStatus = {
  readonly network: string
  /** Such as `mainnet/P/block`. */
  readonly stream: string
  readonly tables: readonly TableStatus[]
  /** The last run that was started for the stream. */
  readonly lastRun: RunStatus | null
}

export type LakeStatus = { readonly snapshotId: number; readonly streams: readonly StreamStatus[] }

/** What the lake holds, by stream. A stream that has only been started is there too, without tables. */
export async function readStatus(session: Session, paths: LakePaths): Promise<LakeStatus> {
  const coverage = await readCoverage(session)
  const runs = await readRuns(session, paths)
  const streams = new Set([...coverage.map((row) => row.stream), ...runs.flatMap((run) => run.streams)])
  return {
    snapshotId: await latestSnapshotId(session),
    streams: [...streams].sort().map((stream) => {
      const own = coverage.filter((row) => row.stream === stream)
      return {
        network: stream.split('/')[0] ?? stream,
        stream,
        tables: [...new Set(own.map((row) => row.table))].map((table) =>
          tableStatus(
            table,
            own.filter((row) => row.table === table),
          ),
        ),
        lastRun: runs.findLast((run) => run.streams.includes(stream)) ?? null,
      }
    }),
  }
}

function tableStatus(table: string, rows: readonly CoverageRow[]): TableStatus {
  const slices = rows.map((row) => row.slice)
  return {
    table,
    slices,
    gaps: slices.slice(1).map((slice, before) => ({ from: slices[before]?.to ?? slice.from, to: slice.from })),
    rows: rows.reduce((sum, row) => sum + row.rows, 0),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  }
}
