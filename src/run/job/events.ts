import type { ErrorFacts } from '../../errors.ts'
import type { LongWait } from '../../fetch/patience.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { Part, Slice } from '../../model.ts'

/**
 * What a run tells while it works; the command line turns it into progress and log lines. `pipeline` is the name of the job where it
 * has one. Slices and heads are coordinates, and where `byHeight` is true heights less 1.
 */
export type RunEvent =
  | Message<'warning'>
  | Message<'notice'>
  | {
      readonly kind: 'retry'
      readonly url: string
      readonly attempt: number
      readonly waitMs: number
      readonly reason: string
    }
  /** Requests that were sent to a host (its origin) since this was told last, tries included, and the units that they cost. */
  | { readonly kind: 'asked'; readonly host: string; readonly requests: number; readonly units: number }
  | {
      readonly kind: 'planned'
      readonly pipeline: string
      readonly units: number
      /** Coordinates to fetch, each counted once. */
      readonly containers: number
      /** Last coordinate that is final. */
      readonly head: number
      readonly byHeight?: true | undefined
    }
  | {
      readonly kind: 'progress'
      readonly pipeline: string
      readonly done: number
      readonly total: number
      readonly rows: number
      readonly bytes: number
    }
  | {
      readonly kind: 'committed'
      readonly pipeline: string
      /** Null for rows of lists and observations, which are no range. */
      readonly slice: Slice | null
      readonly byHeight?: true | undefined
      readonly snapshotId: number
      readonly rows: number
    }
  | {
      readonly kind: 'merged'
      readonly table: string
      readonly files: number
      readonly into: number
      readonly snapshotId: number
    }
  /** Snapshots that were forgotten, files that are named by none any more, and files that were removed. */
  | { readonly kind: 'expired'; readonly snapshots: number; readonly files: number; readonly removed: number }
  /** Files that a commit made visible, also those of the run's own tables. */
  | { readonly kind: 'stored'; readonly snapshotId: number; readonly parts: readonly Part[]; readonly seconds: number }
  | { readonly kind: 'published'; readonly snapshotId: number; readonly seconds: number }
  | {
      readonly kind: 'waiting'
      readonly pipeline: string
      readonly head: number | null
      readonly byHeight?: true | undefined
    }

/** `once`: what it says stays as it is, such as what a source does not have. A command tells it once, whatever comes across it again. */
type Message<Kind extends string> = {
  readonly kind: Kind
  readonly message: string
  readonly details?: ErrorFacts
  readonly once?: true
}

/** A wait that somebody would wonder about. */
export function longWaitEvent({ url, waitMs, until, said, maxWaitMs }: LongWait): RunEvent {
  return {
    kind: 'warning',
    message: `${url} accepts no requests for ${durationText(waitMs / 1000)} (${said}); it is waited for.`,
    details: { until: until.toISOString(), 'longest wait (--max-wait)': durationText(maxWaitMs / 1000) },
  }
}

export type EmitEvent = (event: RunEvent) => void

/** Messages that each listener has received already. All runs of a command share one listener. */
const received = new WeakMap<EmitEvent, Set<string>>()

/** Passes events to a listener, and of repeated messages that are marked `once` only the first. */
export function withoutRepeats(emit: EmitEvent): EmitEvent {
  const messages = received.get(emit) ?? new Set()
  received.set(emit, messages)
  return (event) => {
    if ((event.kind === 'warning' || event.kind === 'notice') && event.once === true) {
      if (messages.has(event.message)) return
      messages.add(event.message)
    }
    emit(event)
  }
}
