import { ChainlakeError, ConfigError, LockedError } from '../../../errors.ts'
import { visibleText } from '../../../lib/text/visible-text.ts'
import { waitUnlessStopped } from '../../../run/job/wait.ts'
import { lakeStatusWithTasks } from '../../../run/status/lake-status.ts'
import { parseDuration } from '../../settings/numbers.ts'
import { readSettings } from '../../settings/settings.ts'
import { printLine, printText } from '../../terminal/output.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { chosenStreams } from './chosen-streams.ts'
import type { StatusFlags } from './show-status.ts'
import { type WatchedLake, watchFrame, watchLines } from './watched-lake.ts'

/** Reading holds an embedded catalog, which runs need for their commits: a watch must not read it more often. */
const shortestIntervalMs = 5_000
/** How long a reading waits for the catalog before the watch says so and tries again. */
const waitMs = 5_000

/** `chainlake status --watch`: shows committed progress until a signal, which is its normal end. Resolves to the exit code. */
export async function watchStatus(names: readonly string[], flags: StatusFlags): Promise<number> {
  const intervalMs = intervalOf(flags)
  const { lake } = await readSettings(flags)
  const show = process.stdout.isTTY === true ? showInTerminal() : showAsLines()
  return untilSignal(async ({ signal }) => {
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
        if (!isTransient(error, before)) throw error
        await show.note(`${error.message} Trying again.`)
      }
      await waitUnlessStopped(intervalMs, signal)
    }
    return 0
  })
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
  const intervalMs = parseDuration('--interval', flags.interval ?? '5s')
  if (intervalMs >= shortestIntervalMs) return intervalMs
  throw new ConfigError(`--interval must be at least 5s, not ${flags.interval}.`, {
    code: 'config.watch',
    hint: 'Each reading holds the catalog for a moment, and runs need it for their commits.',
  })
}

/** Another process may hold the catalog; a server may be away for a while, if it was there at first. */
function isTransient(error: unknown, before: WatchedLake | null): error is ChainlakeError {
  return error instanceof LockedError || (error instanceof ChainlakeError && error.retryable && before !== null)
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
