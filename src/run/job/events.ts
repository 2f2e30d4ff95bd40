import type { ErrorFacts } from '../../errors.ts'
import type { LongWait } from '../../fetch/patience.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { Part, Slice } from '../../model.ts'

/**
 * An event of a run. The command line turns events into progress and log lines. `pipeline` is the name of the job, if it has one. Slices
 * and heads are coordinates.
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
      /** The source is there and refuses requests because of their rate. */
      readonly limited?: true
      /** The endpoint has not answered yet and refuses connections: whether this is the first such failure. */
      readonly unreached?: 'first' | 'again'
    }
  /** Requests sent to a host (its origin) since the last event of this kind, including retries, and their compute units. */
  | { readonly kind: 'requests'; readonly host: string; readonly requests: number; readonly units: number }
  | {
      readonly kind: 'planned'
      readonly pipeline: string
      readonly units: number
      /** Name of a record, such as `container` or `block`. */
      readonly record: string
      /** Number of records to fetch, each counted once. */
      readonly records: number
      /** Last coordinate that is final. */
      readonly head: number
    }
  /**
   * A round of a job begins or has ended: a run has one round of each job, and with `follow` one at each check. `atHead`: it ended at the head
   * of its source.
   */
  | { readonly kind: 'round'; readonly pipeline: string; readonly is: 'begun' | 'ended'; readonly atHead?: true }
  | {
      readonly kind: 'progress'
      readonly pipeline: string
      readonly done: number
      /** 0: unknown, as for a list. */
      readonly total: number
      readonly rows: number
      readonly bytes: number
      /** The stream that the job reads, counted from 1, where it has several one after another. */
      readonly stream?: { readonly number: number; readonly of: number }
      /** Pages that the job has read. */
      readonly pages?: number
      /** Where a list of unknown length is. */
      readonly span?: ItemSpan
    }
  | {
      readonly kind: 'committed'
      readonly pipeline: string
      /** Null for rows of lists and observations. */
      readonly slice: Slice | null
      readonly snapshotId: number
      readonly rows: number
      /** The latest `block_time` of these rows, ISO 8601 in UTC; absent where no row has one. */
      readonly newest?: string
    }
  | {
      readonly kind: 'merged'
      readonly table: string
      readonly files: number
      readonly into: number
      readonly snapshotId: number
    }
  /** Numbers of expired snapshots, of files that no snapshot contains any more, and of removed files. */
  | { readonly kind: 'expired'; readonly snapshots: number; readonly files: number; readonly removed: number }
  /** Files that a commit made visible, including files of the run's own tables. */
  | { readonly kind: 'stored'; readonly snapshotId: number; readonly parts: readonly Part[]; readonly seconds: number }
  | { readonly kind: 'published'; readonly snapshotId: number; readonly seconds: number }
  | {
      readonly kind: 'waiting'
      readonly pipeline: string
      readonly head: number | null
      /** Name of a record; absent for a list. */
      readonly record?: string
      /** Milliseconds until the next check of the source, at most. */
      readonly nextMs: number
    }

/** Unix seconds of items: where reading began, the last item that was read, and where reading is expected to end. */
export type ItemSpan = { readonly from: number; readonly at: number; readonly to: number }

/** `once`: the message describes a permanent fact, such as data that a source does not have. A command shows it only once. */
type Message<Kind extends string> = {
  readonly kind: Kind
  readonly message: string
  readonly details?: ErrorFacts
  readonly once?: true
}

/** The warning for a wait that is longer than usual. */
export function longWaitEvent({ url, waitMs, until, said, maxWaitMs }: LongWait): RunEvent {
  return {
    kind: 'warning',
    message: `${url} accepts no requests for ${durationText(waitMs / 1000)} (${said}); the run waits.`,
    details: { until: until.toISOString(), 'longest wait (--max-wait)': durationText(maxWaitMs / 1000) },
  }
}

/** Receives the events of a run. */
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
