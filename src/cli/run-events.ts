import type { EmitEvent, RunEvent } from '../run/events.ts'
import type { Logger } from './logger.ts'
import type { Progress } from './progress.ts'

/** A request that is tried again this often, or only after so long, is worth a warning. */
const patience = 3
const longWaitMs = 10_000

/** Turns what a run tells into progress on a terminal and log lines. */
export function eventListener(logger: Logger, progress: Progress | undefined): EmitEvent {
  return (event) => {
    if (event.kind === 'progress') progress?.update(event.pipeline, event)
    else if (event.kind !== 'stored' && event.kind !== 'asked') logEvent(logger, event)
  }
}

function logEvent(logger: Logger, event: Exclude<RunEvent, { kind: 'progress' | 'stored' | 'asked' }>): void {
  const { kind, ...facts } = event
  if (event.kind === 'warning' || event.kind === 'notice') logger.warn(event.message, event.details)
  else if (event.kind === 'retry')
    logger[event.attempt >= patience || event.waitMs >= longWaitMs ? 'warn' : 'info'](kind, facts)
  else if (event.kind === 'waiting') logger.debug(kind, facts)
  else logger.info(kind, facts)
}
