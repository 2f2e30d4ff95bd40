import type { RunEvent } from '../../run/job/events.ts'
import { createJobStates, type JobState, ratesOf, remaining } from './job-states.ts'
import type { Logger } from './logger.ts'

/** Reports the progress of jobs as log lines at intervals, where there is no terminal. */
type ProgressLog = { readonly onEvent: (event: RunEvent) => void }

const readingEveryMs = 30_000
const followingEveryMs = 60_000
/** A job that follows its source is reported this often when nothing has changed. */
const unchangedEveryMs = 10 * 60_000

/** What was last reported of a job. */
type Reported = { readonly atMs: number; readonly followed: string | null }

export function createProgressLog(
  logger: Pick<Logger, 'info'>,
  { now = () => performance.now(), wallMs = () => Date.now() } = {},
): ProgressLog {
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
    onEvent(event) {
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
  return {
    pipeline: name,
    done,
    ...(total === 0 ? {} : { total }),
    ...(record === null ? {} : { head, lag: total - done }),
    rows,
    ...(pages === undefined ? {} : { pages }),
    ...(rates === undefined ? {} : { perSecond: tenths(rates.perSecond) }),
    ...(seconds === undefined ? {} : { secondsLeft: Math.round(seconds) }),
  }
}

function followFacts(
  { name, head, rows, newestMs, committedMs, nextMs }: JobState,
  { nowMs, wallMs }: { readonly nowMs: number; readonly wallMs: number },
): object {
  const newest =
    newestMs === null
      ? {}
      : { newest: new Date(newestMs).toISOString(), ageSeconds: tenths((wallMs - newestMs) / 1000) }
  return {
    pipeline: name,
    ...(head === null ? {} : { head, lag: 0 }),
    ...newest,
    rows,
    ...(committedMs === null ? {} : { lastCommit: new Date(wallMs - (nowMs - committedMs)).toISOString() }),
    nextCheckSeconds: tenths(((nextMs ?? nowMs) - nowMs) / 1000),
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
