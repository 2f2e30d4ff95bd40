import type { LakeStatus, StreamStatus, TaskCounts } from '../../../catalog/catalog.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import { groupStreams } from '../../../run/status/group-streams.ts'
import { knownText } from '../../../run/status/known-text.ts'
import { lastRunOf } from '../../../run/status/last-run.ts'
import { streamSums } from '../../../run/status/stream-sums.ts'
import { textTable } from '../../terminal/text-table.ts'
import { cutText } from '../../terminal/text-width.ts'
import { tasksText } from './tasks-text.ts'

/** One reading of a lake that is watched. */
export type WatchedLake = {
  readonly status: LakeStatus
  readonly tasks: TaskCounts | null
  /** The time of the reading, and the same by the monotonic clock, in ms. */
  readonly atMs: number
  readonly monotonicMs: number
}

/** The committed progress of similar streams. */
type Watched = {
  readonly name: string
  readonly rows: number
  /** Rows, items and ranges in words. */
  readonly known: string
  /** State of the run that is running, or was the last one; null if no run reads the streams, such as `chains`. */
  readonly state: string | null
  /** When the stream that is furthest behind last reached its head, in ms; null if one never did. */
  readonly reachedMs: number | null
}

type Screen = { readonly columns: number; readonly lines: number }

/**
 * A lake for a terminal: totals, then the streams, running ones first. No line is longer than the screen, so that the next frame can
 * replace this one. Rates compare with the reading before.
 */
export function watchFrame(now: WatchedLake, before: WatchedLake | null, { columns, lines }: Screen): string[] {
  const tasks = now.tasks === null ? [] : [tasksText(now.tasks)]
  const head = [`${totalsText(now, before)}. Ctrl-C ends the watch.`, ...tasks, '']
  const streams = watchedStreams(now.status.streams)
  const most = Math.max(1, lines - head.length - 3)
  const shown = streams.slice(0, streams.length > most ? most : undefined)
  const earlier = before === null ? [] : watchedStreams(before.status.streams)
  const rows = shown.map((stream) => [
    cutText(stream.name, Math.floor(columns * 0.4)),
    stream.state ?? '',
    newRowsText(stream, earlier, before === null ? null : now.monotonicMs - before.monotonicMs),
    reachedText(stream, now.atMs),
    stream.known,
  ])
  const table = textTable(['stream', 'run', '>new rows', '>at head', 'committed'], rows).split('\n')
  const rest = streams.length - shown.length
  const more = rest === 0 ? [] : [`… and ${countText(rest)} more. chainlake status shows all.`]
  return [...head, ...(streams.length === 0 ? [emptyText] : table), ...more].map((line) => cutText(line, columns - 1))
}

/** Lines for a log: the totals at the first reading, then one line for each stream that changed. */
export function watchLines(now: WatchedLake, before: WatchedLake | null): string[] {
  const at = `${new Date(now.atMs).toISOString().slice(0, 19)}Z`
  const earlier = before === null ? [] : watchedStreams(before.status.streams)
  const changed = watchedStreams(now.status.streams).filter((stream) => {
    const old = earlier.find(({ name }) => name === stream.name)
    return old?.known !== stream.known || old.state !== stream.state
  })
  const lines = changed.map((stream) => {
    const added = newRowsText(stream, earlier, before === null ? null : now.monotonicMs - before.monotonicMs)
    return `${stream.name}: ${stream.known}${[added, stream.state ?? ''].map((text) => (text === '' ? '' : `, ${text}`)).join('')}`
  })
  const first = before === null ? [totalsText(now, null), ...(now.status.streams.length === 0 ? [emptyText] : [])] : []
  return [...first, ...lines].map((line) => `${at}  ${line}`)
}

const emptyText = 'The lake is empty: no job has run on it yet.'

function totalsText({ status, monotonicMs }: WatchedLake, before: WatchedLake | null): string {
  const { rows, bytes } = streamSums(status.streams)
  const added =
    before === null
      ? ''
      : ` (${addedText(rows - streamSums(before.status.streams).rows, monotonicMs - before.monotonicMs)})`
  return `snapshot ${status.snapshotId}: ${countText(rows)} rows${added}, ${bytesText(bytes)}`
}

function reachedText({ state, reachedMs }: Watched, nowMs: number): string {
  if (reachedMs !== null) return `${durationText(Math.max(0, nowMs - reachedMs) / 1000)} ago`
  return state === null ? '' : 'not yet'
}

/** How many rows a stream has gained; empty if none. A stream that is new has gained all of them. */
function newRowsText({ name, rows }: Watched, earlier: readonly Watched[], passedMs: number | null): string {
  if (passedMs === null) return ''
  const added = rows - (earlier.find((stream) => stream.name === name)?.rows ?? 0)
  return added === 0 ? '' : addedText(added, passedMs)
}

function addedText(rows: number, passedMs: number): string {
  // A repair removes rows.
  const sign = rows < 0 ? '-' : '+'
  return `${sign}${countText(Math.abs(rows))}, ${countText(Math.round((Math.max(0, rows) / passedMs) * 1000))}/s`
}

function watchedStreams(all: readonly StreamStatus[]): Watched[] {
  const watched = groupStreams(all).map(({ name, streams }): Watched => {
    const runs = streams.flatMap(({ lastRun }) => lastRun ?? [])
    const running = runs.find(({ state }) => state === 'running')
    const reached = streams.map((stream) => stream.reached?.getTime() ?? null)
    return {
      name: streams.length === 1 ? name : `${name} (${countText(streams.length)} streams)`,
      rows: streamSums(streams).rows,
      known: knownText(streams),
      state: (running ?? lastRunOf(streams))?.state ?? null,
      reachedMs: reached.some((ms) => ms === null) ? null : Math.min(...reached.map(Number)),
    }
  })
  const isRunning = ({ state }: Watched) => state === 'running'
  return [...watched.filter(isRunning), ...watched.filter((stream) => !isRunning(stream))]
}
