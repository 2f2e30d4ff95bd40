import type { LakeStatus, StreamStatus, TableStatus } from '../catalog/catalog.ts'
import { countOf } from '../plan/intervals.ts'
import { formatBytes, formatCount, textTable } from './format.ts'
import { gapsOf } from './gaps.ts'
import { knownText } from './service-plan.ts'

/** What the lake holds, for people. */
export function statusText(status: LakeStatus): string {
  if (status.streams.length === 0) return 'The lake is empty: nothing was run on it yet.'
  return status.streams.map((stream) => streamText(stream, gapsOf(status))).join('\n\n')
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

function plainRow({ table, rows, bytes }: TableStatus): string[] {
  return [`  ${table}`, formatCount(rows), formatBytes(bytes)]
}

function runText({ state, started, ended, pid, host }: NonNullable<StreamStatus['lastRun']>): string {
  const since = `started ${started.toISOString().slice(0, 19)}Z`
  if (ended === null) return `${state}, ${since}, process ${pid} on ${host}`
  return `${state}, ${since}, ended ${ended.toISOString().slice(0, 19)}Z`
}
