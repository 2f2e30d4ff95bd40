import type { StorePlace } from '../../store/store.ts'
import type { ErrorParts } from '../job/error-parts.ts'
import type { RunEvent } from '../job/events.ts'
import type { NodeOptions } from '../job/job.ts'
import type { ReadingProgress, UnitMessage, UnitPiece } from '../units/unit-message.ts'
import type { SharedPlaces } from './shared-places.ts'

/** What a thread is given once, when it starts; here are the secrets. */
export type ThreadStart = {
  /** Where files are written. */
  readonly store: StorePlace
  /** How nodes are reached. */
  readonly node: Omit<NodeOptions, 'concurrency' | 'threads'>
  /** What `HiddenUrl`s of messages stand for. */
  readonly places: SharedPlaces
  /** A unit ends early when it takes longer than this. */
  readonly commitEveryMs: number
  /** The parts of the run, counted by all threads. */
  readonly partCount: SharedArrayBuffer
  /** See `countStepsIn`. */
  readonly stepCounts: SharedArrayBuffer
}

export type ToUnitThread =
  /** Units of a walk follow. `concurrency`: requests that this thread may have under way. */
  | { readonly kind: 'begin'; readonly concurrency: number }
  | { readonly kind: 'unit'; readonly at: number; readonly unit: UnitMessage }
  /** No more of them: it ends when all are done. */
  | { readonly kind: 'end' }
  /** It ends as soon as it can, with what it has. */
  | { readonly kind: 'stop' }

export type FromUnitThread =
  | { readonly kind: 'piece'; readonly at: number; readonly piece: UnitPiece; readonly isWhole: boolean }
  | { readonly kind: 'read'; readonly progress: ReadingProgress }
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The walk is over for this thread; `error`: why before its end. */
  | { readonly kind: 'ended'; readonly error: ErrorParts | null }
