import type { EmitEvent, RunEvent } from '../../run/job/events.ts'
import type { Logger } from './logger.ts'
import type { Progress } from './progress.ts'
import { createProgressLog } from './progress-log.ts'

/** A retry is a warning from this attempt on, or when it waits this long. */
const warningAttempt = 3
const longWaitMs = 10_000

/** Turns the events of a run into log lines, and into progress on a terminal; without a terminal that becomes log lines at intervals. */
export function eventListener(logger: Logger, terminal: Progress | undefined): EmitEvent {
  const progress = terminal ?? createProgressLog(logger)
  return (event) => {
    progress.onEvent(event)
    if (!isSilent(event)) logEvent(logger, event)
  }
}

type Silent = Extract<RunEvent, { kind: 'progress' | 'round' | 'stored' | 'requests' }>

function isSilent(event: RunEvent): event is Silent {
  const { kind } = event
  return kind === 'progress' || kind === 'round' || kind === 'stored' || kind === 'requests'
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

function logEvent(logger: Logger, event: Exclude<RunEvent, Silent>): void {
  const { kind, ...facts } = event
  if (event.kind === 'warning' || event.kind === 'notice') logger.warn(event.message, event.details)
  else if (event.kind === 'retry' && event.unreached === 'first') warnUnreached(logger, event)
  else if (event.kind === 'retry') logger[isWarning(event) ? 'warn' : 'info'](kind, facts)
  else if (event.kind === 'waiting') logger.debug(kind, facts)
  else logger.info(kind, facts)
}

/** The first refusal of a source that is not there was a warning; the next ones say nothing new. */
function isWarning({ attempt, waitMs, unreached }: Extract<RunEvent, { kind: 'retry' }>): boolean {
  return unreached === undefined && (attempt >= warningAttempt || waitMs >= longWaitMs)
}
