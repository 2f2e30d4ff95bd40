import type { LakeStatus, StreamStatus, TableStatus } from '../../../catalog/catalog.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { countOf } from '../../../plan/intervals.ts'
import { boundText, lengthText } from '../../../run/job/slice-text.ts'
import { groupStreams } from '../../../run/status/group-streams.ts'
import { knownText } from '../../../run/status/known-text.ts'
import { gapsOf } from '../../../run/status/lake-gaps.ts'
import { lastRunOf } from '../../../run/status/last-run.ts'
import { textTable } from '../../terminal/text-table.ts'

/** The tables of streams, for people. */
export function statusText(status: LakeStatus): string {
  if (status.streams.length === 0) return 'The lake is empty: no job has run on it yet.'
  const gaps = gapsOf(status)
  return groupStreams(status.streams)
    .map(({ name, streams }) => {
      const [only, ...others] = streams
      return only !== undefined && others.length === 0 ? streamText(only, gaps) : manyText(name, streams)
    })
    .join('\n\n')
}

function manyText(path: string, streams: readonly StreamStatus[]): string {
  const tables = new Map<string, { rows: number; bytes: number }>()
  for (const { table, rows, bytes } of streams.flatMap((stream) => stream.tables)) {
    const sum = tables.get(table) ?? { rows: 0, bytes: 0 }
    tables.set(table, { rows: sum.rows + rows, bytes: sum.bytes + bytes })
  }
  const title = titleText(`${path}  ${countText(streams.length)} streams`, lastRunOf(streams))
  const rows = [...tables].map(([table, sum]) => plainRow({ table, ...sum }))
  return `${title}\n  ${knownText(streams)}\n${textTable(['  table', '>rows', '>bytes'], rows)}`
}

function streamText(status: StreamStatus, gaps: ReturnType<typeof gapsOf>): string {
  const { stream, tables, lastRun, stretches, observations } = status
  const title = titleText(stream, lastRun)
  if (tables.length === 0) return `${title}\n  nothing committed yet`
  // Lists and observations have no ranges: a line of their own describes them.
  const known = stretches === null && observations === null ? '' : `  ${knownText([status])}\n`
  if (known !== '' || tables.every(({ slices, gaps: own }) => slices.length === 0 && own.length === 0))
    return `${title}\n${known}${textTable(['  table', '>rows', '>bytes'], tables.map(plainRow))}`
  const rows = tables.map((table) =>
    tableRow(
      status.unit,
      table,
      gaps.filter((gap) => gap.stream === stream && gap.table === table.table),
    ),
  )
  return `${title}\n${textTable(['  table', '>from', '>to', '>covered', '>gaps', '>rows', '>bytes'], rows)}`
}

/** The name of a stream and its last run, which is on a line of its own below a long name. */
function titleText(name: string, lastRun: StreamStatus['lastRun']): string {
  if (lastRun === null) return name
  return `${name}${name.includes('?') ? '\n' : ''}  last run ${lastRun.id}: ${runText(lastRun)}`
}

function tableRow(unit: string, { table, slices, rows, bytes }: TableStatus, gaps: readonly object[]): string[] {
  return [
    `  ${table}`,
    boundText(slices[0]?.from ?? 0, unit),
    boundText(slices.at(-1)?.to ?? 0, unit),
    lengthText(countOf(slices), unit),
    countText(gaps.length),
    countText(rows),
    bytesText(bytes),
  ]
}

function plainRow({ table, rows, bytes }: Pick<TableStatus, 'table' | 'rows' | 'bytes'>): string[] {
  return [`  ${table}`, countText(rows), bytesText(bytes)]
}

function runText({ state, started, ended, pid, host }: NonNullable<StreamStatus['lastRun']>): string {
  const since = `started ${started.toISOString().slice(0, 19)}Z`
  if (ended === null) return `${state}, ${since}, process ${pid} on ${host}`
  return `${state}, ${since}, ended ${ended.toISOString().slice(0, 19)}Z`
}
