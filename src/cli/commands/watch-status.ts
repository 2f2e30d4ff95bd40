import type { LakeStatus, StreamStatus, TaskCounts } from '../../catalog/catalog.ts'
import { ChainlakeError, ConfigError } from '../../errors.ts'
import { bytesText, countText, durationText, visibleText } from '../../lib/text.ts'
import { waitUnlessStopped } from '../../run/error-parts.ts'
import { groupStreams, knownText, lakeStatusWithTasks, lastRunOf, streamSums } from '../../run/status/lake-status.ts'
import type { FlagsOf } from '../flags/command.ts'
import { parsers, readSettings } from '../settings.ts'
import { cutText } from '../terminal/status-lines.ts'
import { textTable } from '../terminal/tables.ts'
import { canRedraw, printLine, printText, untilSignal } from '../terminal/terminal.ts'
import type { statusCommand } from './lake.ts'
import { chosenStreams, emptyText, tasksText } from './show-status.ts'

type StatusFlags = FlagsOf<typeof statusCommand>

/** Reading holds an embedded catalog, which runs need for their commits: a watch must not read it more often. */
const shortestIntervalMs = 5_000
/** How long a reading waits for the catalog before the watch says so and tries again. */
const waitMs = 5_000

/** `chainlake status --watch`: shows committed progress until a signal, which is its normal end. Resolves to the exit code. */
export async function watchStatus(flags: StatusFlags, names: readonly string[]): Promise<number> {
  const intervalMs = intervalOf(flags)
  const { lake } = await readSettings(flags)
  const show = canRedraw(process.stdout) ? showInTerminal() : showAsLines()
  await untilSignal(async ({ signal }) => {
    let before: WatchedLake | null = null
    while (!signal.aborted) {
      try {
        // An opened catalog listens to its signal for good: each reading has one of its own.
        const {
          tasks,
          newestTimes: _,
          ...status
        } = await lakeStatusWithTasks(lake, { waitMs, stop: AbortSignal.any([signal]) })
        const streams = chosenStreams(status.streams, names, flags.except)
        const times = { atMs: Date.now(), monotonicMs: performance.now() }
        const now: WatchedLake = { status: { ...status, streams }, tasks, ...times }
        await show.lake(now, before)
        before = now
      } catch (error) {
        if (signal.aborted) break
        if (!mayPass(error, before)) throw error
        await show.note(`${error.message} Trying again.`)
      }
      await waitUnlessStopped(intervalMs, signal)
    }
  })
  return 0
}

function intervalOf(flags: StatusFlags): number {
  const other = (['json', 'max-age', 'max-block-age'] as const).find(
    (name) => flags[name] !== undefined && flags[name] !== false,
  )
  if (other !== undefined)
    throw new ConfigError(`--${other} cannot be combined with --watch.`, {
      code: 'config.watch',
      hint: `Repeat chainlake status --${other} instead.`,
    })
  const intervalMs = parsers.duration('--interval', flags.interval ?? '5s')
  if (intervalMs >= shortestIntervalMs) return intervalMs
  throw new ConfigError(`--interval must be at least 5s, not ${flags.interval}.`, {
    code: 'config.watch',
    hint: 'Each reading holds the catalog for a moment, and runs need it for their commits.',
  })
}

/** Another process may hold the catalog; a server may be away for a while, if it was there at first. */
function mayPass(error: unknown, before: WatchedLake | null): error is ChainlakeError {
  return error instanceof ChainlakeError && error.retryable && (error.kind === 'held' || before !== null)
}

type Shown = {
  readonly lake: (now: WatchedLake, before: WatchedLake | null) => Promise<void>
  /** Says why there is nothing new. */
  readonly note: (text: string) => Promise<void>
}

/** Each frame replaces the one before. */
function showInTerminal(): Shown {
  let frame: readonly string[] = []
  let drawn = 0
  const columns = () => process.stdout.columns || 80
  const draw = async (lines: readonly string[]): Promise<void> => {
    const up = drawn === 0 ? '' : `\u001b[${drawn}A`
    drawn = lines.length
    await printText(`${up}\r\u001b[J${lines.map((line) => `${visibleText(line)}\n`).join('')}`)
  }
  return {
    lake: async (now, before) => {
      frame = watchFrame(now, before, { columns: columns(), lines: process.stdout.rows || 24 })
      await draw(frame)
    },
    note: async (text) => draw([...frame, text.slice(0, columns() - 1)]),
  }
}

/** A line for each change, such as for a log. */
function showAsLines(): Shown {
  let noted = ''
  return {
    lake: async (now, before) => {
      noted = ''
      for (const line of watchLines(now, before)) await printLine(line)
    },
    note: async (text) => {
      if (text !== noted) await printLine(text)
      noted = text
    },
  }
}

/** One reading of a lake that is watched. */
type WatchedLake = {
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

/**
 * A lake for a terminal: totals, then the streams, running ones first. No line is longer than the screen, so that the next frame can
 * replace this one. Rates compare with the reading before.
 */
export function watchFrame(
  now: WatchedLake,
  before: WatchedLake | null,
  screen: { readonly columns: number; readonly lines: number },
): string[] {
  const { columns, lines } = screen
  const tasks = now.tasks === null ? [] : [tasksText(now.tasks)]
  const head = [`${totalsText(now, before)}. Ctrl-C ends the watch.`, ...tasks, '']
  const streams = watchedStreams(now.status.streams)
  const most = Math.max(1, lines - head.length - 3)
  const shown = streams.slice(0, streams.length > most ? most : undefined)
  const newRows = newRowsSince(before, now)
  const rows = shown.map((stream) => [
    cutText(stream.name, Math.floor(columns * 0.4)),
    stream.state ?? '',
    newRows(stream),
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
  const newRows = newRowsSince(before, now)
  const lines = changed.map((stream) => {
    const more = [newRows(stream), stream.state ?? ''].map((text) => (text === '' ? '' : `, ${text}`))
    return `${stream.name}: ${stream.known}${more.join('')}`
  })
  const first = before === null ? [totalsText(now, null), ...(now.status.streams.length === 0 ? [emptyText] : [])] : []
  return [...first, ...lines].map((line) => `${at}  ${line}`)
}

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

/** Says how many rows a stream has gained; empty if none. A stream that is new has gained all of them. */
function newRowsSince(before: WatchedLake | null, now: WatchedLake): (stream: Watched) => string {
  if (before === null) return () => ''
  const earlier = new Map(watchedStreams(before.status.streams).map(({ name, rows }) => [name, rows]))
  return ({ name, rows }) => {
    const added = rows - (earlier.get(name) ?? 0)
    return added === 0 ? '' : addedText(added, now.monotonicMs - before.monotonicMs)
  }
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
