import { durationText } from '../../lib/text/duration-text.ts'
import type { RunEvent } from '../../run/job/events.ts'
import { createJobStates } from './job-states.ts'
import { progressLines } from './progress-text.ts'
import { createStatusLines, type TerminalOptions } from './status-lines.ts'

/** The progress of jobs at the bottom of a terminal. */
export type Progress = {
  /** Shows jobs that are about to begin. */
  begin(names: readonly string[]): void
  onEvent(event: RunEvent): void
  /** Prints a line above the progress. */
  above(line: string): void
  /** Forgets these jobs, and clears the progress so that their results can be printed; other jobs appear again at the next drawing. */
  forget(names: readonly string[]): void
  /** Clears the progress for good. */
  end(): void
}

/** Ages and waits change without events. */
const redrawMs = 250
const mostLines = 8

/** A wait from this length on is shown. */
const longWaitMs = 2_000

type ProgressOptions = TerminalOptions & {
  /** Lines of the terminal. */
  readonly height?: () => number
  readonly now?: () => number
  readonly wallMs?: () => number
}

/** Shows the progress of jobs on a terminal, in one line for each, and draws it at most four times per second. */
export function createProgress(options: ProgressOptions = {}): Progress {
  const { now = () => performance.now(), wallMs = () => Date.now() } = options
  const height = options.height ?? (() => process.stderr.rows || 24)
  const lines = createStatusLines(options)
  const states = createJobStates(now)
  let drawnMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  /** When a source is tried again, by its origin. */
  const retries = new Map<string, number>()
  const draw = (): void => {
    drawnMs = now()
    const most = Math.max(1, Math.min(mostLines, Math.floor(height() / 3)))
    const jobs = progressLines(states.all(), { nowMs: drawnMs, wallMs: wallMs() }, { width: lines.width(), most })
    lines.show([...jobs, ...retryLines(retries, drawnMs)])
  }
  const drawWhenDue = (): void => {
    timer ??= setInterval(draw, redrawMs).unref()
    if (now() - drawnMs >= redrawMs) draw()
  }
  return {
    begin(names) {
      states.start(names)
      drawWhenDue()
    },
    onEvent(event) {
      if (event.kind === 'retry' && event.waitMs >= longWaitMs)
        retries.set(new URL(event.url).origin, now() + event.waitMs)
      if (event.kind === 'progress') retries.clear()
      if (states.onEvent(event) !== null) drawWhenDue()
    },
    above: lines.above,
    forget(names) {
      states.remove(names)
      lines.clear()
    },
    end() {
      clearInterval(timer)
      timer = undefined
      states.remove(states.all().map(({ name }) => name))
      lines.clear()
    },
  }
}

/** A run that waits for a source must not look as if it hangs. */
function retryLines(retries: ReadonlyMap<string, number>, nowMs: number): string[] {
  return [...retries].flatMap(([origin, atMs]) =>
    atMs > nowMs ? [`next try at ${origin} in ${durationText(Math.ceil((atMs - nowMs) / 1_000))}`] : [],
  )
}
