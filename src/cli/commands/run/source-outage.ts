import type { RunEvent } from '../../../run/job/events.ts'

/** Watches whether a source fails until the end of a command, so that the job that reads it does nothing. */
export type SourceOutage = {
  readonly onEvent: (event: RunEvent) => void
  /** The last failure of the source; null when the job did something, or when the source does not fail at present. */
  readonly lasting: () => { readonly url: string; readonly reason: string } | null
}

/** After its pause, a request may take this long to fail again. */
const requestMs = 60_000

export function watchSource(now: () => number = () => performance.now()): SourceOutage {
  let failed: { readonly url: string; readonly reason: string; readonly untilMs: number } | null = null
  return {
    onEvent(event) {
      // A source that limits the rate is there.
      if (event.kind === 'retry' && event.limited === undefined)
        failed = { url: event.url, reason: event.reason, untilMs: now() + event.waitMs + requestMs }
      else if (event.kind === 'round' && event.is === 'ended') failed = null
      else if (event.kind === 'progress' || event.kind === 'stored') failed = null
    },
    lasting: () => (failed === null || now() > failed.untilMs ? null : failed),
  }
}
