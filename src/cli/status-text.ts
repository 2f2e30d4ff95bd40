import type { LakeStatus, StreamStatus, TableStatus } from '../catalog/catalog.ts'
import { countOf } from '../plan/intervals.ts'
import { formatBytes, formatCount, textTable } from './format.ts'
import { gapsOf } from './gaps.ts'
import { knownText } from './service-plan.ts'

/** What the lake holds, for people. */
export function statusText(status: LakeStatus): string {
  if (status.streams.length === 0) return 'The lake is empty: nothing was run on it yet.'
  const gaps = gapsOf(status)
  return groupsOf(status.streams)
    .map(([path, streams]) =>
      streams.length > mostStreams
        ? manyText(path, streams)
        : streams.map((stream) => streamText(stream, gaps)).join('\n\n'),
    )
    .join('\n\n')
}

/** More streams than these of one pipeline are shown together: a job may have one for each of a thousand wallets. */
const mostStreams = 4

/** Streams that differ in their parameters only, in their order. */
function groupsOf(streams: readonly StreamStatus[]): [string, StreamStatus[]][] {
  const groups = new Map<string, StreamStatus[]>()
  for (const stream of streams) {
    const path = stream.stream.split('?')[0] ?? stream.stream
    groups.set(path, [...(groups.get(path) ?? []), stream])
  }
  return [...groups]
}

function manyText(path: string, streams: readonly StreamStatus[]): string {
  const tables = new Map<string, { rows: number; bytes: number }>()
  for (const { table, rows, bytes } of streams.flatMap((stream) => stream.tables)) {
    const sum = tables.get(table) ?? { rows: 0, bytes: 0 }
    tables.set(table, { rows: sum.rows + rows, bytes: sum.bytes + bytes })
  }
  const lastRun = streams
    .flatMap((stream) => stream.lastRun ?? [])
    .reduce<StreamStatus['lastRun']>((last, run) => (last === null || run.started > last.started ? run : last), null)
  const title = `${path}  ${formatCount(streams.length)} streams${lastRun === null ? '' : `, last run ${lastRun.id}: ${runText(lastRun)}`}`
  const rows = [...tables].map(([table, sum]) => plainRow({ table, ...sum }))
  return `${title}\n${textTable(['  table', '>rows', '>bytes'], rows)}`
}

function streamText(status: StreamStatus, gaps: ReturnType<typeof gapsOf>): string {
  const { stream, tables, lastRun, stretches, observations } = status
  const title = `${stream}  ${lastRun === null ? '' : `last run ${lastRun.id}: ${runText(lastRun)}`}`.trimEnd()
  if (tables.length === 0) return `${title}\n  nothing is committed yet`
  // Lists and observations are no ranges: what is known of them stands in a line of its own.
  if (stretches !== null || observations !== null)
    return `${title}\n  ${knownText(status)}\n${textTable(['  table', '>rows', '>bytes'], tables.map(plainRow))}`
  const rows = tables.map((table) =>
    tableRow(
      table,
      gaps.filter((gap) => gap.stream === stream && gap.table === table.table),
    ),
  )
  return `${title}\n${textTable(['  table', '>from', '>to', '>covered', '>gaps', '>rows', '>bytes'], rows)}`
}

function tableRow({ table, slices, rows, bytes }: TableStatus, gaps: readonly object[]): string[] {
  return [
    `  ${table}`,
    formatCount(slices[0]?.from ?? 0),
    formatCount(slices.at(-1)?.to ?? 0),
    formatCount(countOf(slices)),
    formatCount(gaps.length),
    formatCount(rows),
    formatBytes(bytes),
  ]
}

function plainRow({ table, rows, bytes }: Pick<TableStatus, 'table' | 'rows' | 'bytes'>): string[] {
  return [`  ${table}`, formatCount(rows), formatBytes(bytes)]
}

function runText({ state, started, ended, pid, host }: NonNullable<StreamStatus['lastRun']>): string {
  const since = `started ${started.toISOString().slice(0, 19)}Z`
  if (ended === null) return `${state}, ${since}, process ${pid} on ${host}`
  return `${state}, ${since}, ended ${ended.toISOString().slice(0, 19)}Z`
}
