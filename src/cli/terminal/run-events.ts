import { pino } from 'pino'
import type { logLevels } from '../../config/settings.ts'
import { definedOf } from '../../lib/arrays.ts'
import { visibleText } from '../../lib/text.ts'
import type { EmitEvent, RunEvent } from '../../run/events.ts'
import { createJobStates, type JobState, ratesOf, remaining } from './progress.ts'

/** A retry is a warning from this attempt on, or when it waits this long. */
const warningAttempt = 3
const longWaitMs = 10_000

/** Turns the events of a run into log lines, and into progress on a terminal; without a terminal that becomes log lines at intervals. */
export function eventListener(logger: Logger, terminal?: { readonly onEvent: EmitEvent }): EmitEvent {
  const progress = terminal ?? createProgressLog(logger)
  return (event) => {
    progress.onEvent(event)
    logEvent(logger, event)
  }
}

/** Reports only a source that is not there, for commands that have no other events to report. */
export function unreachedListener(logger: Logger): EmitEvent {
  return (event) => {
    if (event.kind === 'retry' && event.unreached === 'first') warnUnreached(logger, event)
  }
}

function warnUnreached(logger: Logger, { url, reason }: Extract<RunEvent, { kind: 'retry' }>): void {
  logger.warn(`cannot connect to ${new URL(url).origin}, trying again`, { reason })
}

function logEvent(logger: Logger, event: RunEvent): void {
  const { kind, ...facts } = event
  if (silent.includes(kind)) return
  if (event.kind === 'warning' || event.kind === 'notice') logger.warn(event.message, event.details)
  else if (event.kind === 'retry' && event.unreached === 'first') warnUnreached(logger, event)
  else if (event.kind === 'retry') logger[isWarning(event) ? 'warn' : 'info'](kind, facts)
  else if (event.kind === 'waiting') logger.debug(kind, facts)
  else logger.info(kind, facts)
}

const silent: readonly RunEvent['kind'][] = ['progress', 'round', 'stored', 'requests']

/** The first refusal of a source that is not there was a warning; the next ones say nothing new. */
function isWarning({ attempt, waitMs, unreached }: Extract<RunEvent, { kind: 'retry' }>): boolean {
  return unreached === undefined && (attempt >= warningAttempt || waitMs >= longWaitMs)
}

const readingEveryMs = 30_000
const followingEveryMs = 60_000
/** A job that follows its source is reported this often when nothing has changed. */
const unchangedEveryMs = 10 * 60_000

/** What was last reported of a job. */
type Reported = { readonly atMs: number; readonly followed: string | null }

/** Reports the progress of jobs as log lines at intervals, where there is no terminal. */
export function createProgressLog(
  logger: Pick<Logger, 'info'>,
  { now = () => performance.now(), wallMs = () => Date.now() } = {},
) {
  const states = createJobStates(now)
  const reported = new Map<string, Reported>()
  const report = (state: JobState, event: RunEvent): void => {
    const last = reported.get(state.name) ?? { atMs: state.beganMs, followed: null }
    const silentMs = now() - last.atMs
    if (event.kind === 'progress' && silentMs >= readingEveryMs) {
      reported.set(state.name, { ...last, atMs: now() })
      logger.info('progress', readingFacts(state, now()))
    }
    const followed = `${state.head} ${state.rows}`
    const everyMs = followed === last.followed ? unchangedEveryMs : followingEveryMs
    if (event.kind !== 'waiting' || (last.followed !== null && silentMs < everyMs)) return
    reported.set(state.name, { atMs: now(), followed })
    logger.info('following', followFacts(state, { nowMs: now(), wallMs: wallMs() }))
  }
  return {
    onEvent(event: RunEvent): void {
      const state = states.onEvent(event)
      if (state !== null) report(state, event)
    },
  }
}

function readingFacts(state: JobState, nowMs: number): object {
  const { name, head, record, reading } = state
  if (reading === null) return { pipeline: name }
  const { done, total, rows, pages } = reading
  const rates = ratesOf(state)
  const { seconds } = remaining(state, nowMs)
  return definedOf({
    pipeline: name,
    done,
    total: total || undefined,
    ...(record === null ? {} : { head, lag: total - done }),
    rows,
    pages,
    perSecond: rates && tenths(rates.perSecond),
    secondsLeft: seconds && Math.round(seconds),
  })
}

function followFacts(
  { name, head, rows, newestMs, committedMs, nextMs }: JobState,
  { nowMs, wallMs }: { readonly nowMs: number; readonly wallMs: number },
): object {
  const timeOf = (ms: number) => new Date(ms).toISOString()
  return {
    pipeline: name,
    ...(head === null ? {} : { head, lag: 0 }),
    ...(newestMs === null ? {} : { newest: timeOf(newestMs), ageSeconds: tenths((wallMs - newestMs) / 1000) }),
    rows,
    ...(committedMs === null ? {} : { lastCommit: timeOf(wallMs - (nowMs - committedMs)) }),
    nextCheckSeconds: tenths(((nextMs ?? nowMs) - nowMs) / 1000),
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

export type Logger = Readonly<Record<'debug' | 'info' | 'warn' | 'error', (message: string, facts?: object) => void>>

/** Logs to stderr: JSON lines, or short lines above the progress line when stderr is a terminal. */
export function createLogger(level: (typeof logLevels)[number], progress?: { above(line: string): void }): Logger {
  const terminal = process.stderr.isTTY === true
  const write = (line: string): void => {
    // Control characters are escaped as JSON does it, so that the parsed values are the same.
    if (!terminal) process.stderr.write(visibleText(line))
    else if (progress === undefined) process.stderr.write(`${humanLine(line)}\n`)
    else progress.above(humanLine(line))
  }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return {
    debug: (message, facts = {}) => logger.debug(facts, message),
    info: (message, facts = {}) => logger.info(facts, message),
    warn: (message, facts = {}) => logger.warn(facts, message),
    error: (message, facts = {}) => logger.error(facts, message),
  }
}

/** `{"level":"warn","time":"2026-01-02T03:04:05.678Z","url":"…","msg":"…"}` → `03:04:05 warn  … url=…`. */
export function humanLine(json: string): string {
  const { level, time, msg, ...facts } = JSON.parse(json) as Record<string, unknown>
  const rest = Object.entries(facts).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = [String(time).slice(11, 19), String(level).padEnd(5), msg, ...rest].join(' ')
  return visibleText(text.replace(/\s*\n\s*/g, ' '))
}
