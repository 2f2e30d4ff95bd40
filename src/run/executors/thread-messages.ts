import type { StorePlace } from '../../store/store.ts'
import type { ErrorParts } from '../job/error-parts.ts'
import type { RunEvent } from '../job/events.ts'
import type { NodeOptions } from '../job/job.ts'
import type { ReadingProgress, UnitChunk, UnitMessage } from '../units/unit-message.ts'
import type { SharedEndpoints } from './shared-endpoints.ts'

/** Data for a thread at its start. Secrets are passed here only. */
export type ThreadStart = {
  /** The store that receives data files. */
  readonly store: StorePlace
  /** Connection settings of nodes. */
  readonly node: Omit<NodeOptions, 'concurrency' | 'threads'>
  /** The endpoints that each `HiddenUrl` of a message refers to. */
  readonly endpoints: SharedEndpoints
  /** A unit ends early when it takes longer than this (milliseconds). */
  readonly commitEveryMs: number
  /** Counter of the parts of the run, shared by all threads. */
  readonly partCount: SharedArrayBuffer
  /** See `countStepsIn`. */
  readonly stepCounts: SharedArrayBuffer
}

export type ToUnitThread =
  /** Begins a walk. `concurrency`: the maximum number of concurrent requests of this thread. */
  | { readonly kind: 'begin'; readonly concurrency: number }
  | { readonly kind: 'unit'; readonly at: number; readonly unit: UnitMessage }
  /** No more units follow. The walk ends when all units are done. */
  | { readonly kind: 'end' }
  /** The walk ends as soon as possible and keeps the complete prefix of its unit. */
  | { readonly kind: 'stop' }

export type FromUnitThread =
  | { readonly kind: 'chunk'; readonly at: number; readonly chunk: UnitChunk; readonly isWhole: boolean }
  | { readonly kind: 'read'; readonly progress: ReadingProgress }
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The walk has ended in this thread. `error`: the failure that ended it early. */
  | { readonly kind: 'ended'; readonly error: ErrorParts | null }
