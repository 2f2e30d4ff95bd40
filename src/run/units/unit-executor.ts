import type { ReadingProgress, UnitChunk, UnitMessage } from './unit-message.ts'

/** Executes units in some thread: fetches, decodes and writes files. The listener commits the files. */
export type UnitExecutor = {
  /**
   * Executes units. They are taken in order, a few at a time, and may complete in another order. When this returns, the listener has received
   * all chunks. After `stop` or a failure it has received the complete prefixes, and this throws the failure.
   */
  readonly execute: (units: Iterable<UnitMessage>, listener: UnitListener, stop: AbortSignal) => Promise<void>
}

export type UnitListener = {
  /** `at`: the number of the unit, from 0. Chunks of a unit arrive in order. Resolves when the chunk is committed. */
  readonly chunk: (at: number, chunk: UnitChunk, isWhole: boolean) => Promise<void>
  readonly read: (progress: ReadingProgress) => void
}

/** Threads that execute units, started for long ranges. */
export type UnitThreads = {
  /** The number of threads for this many coordinates; 1: only the calling thread. */
  readonly threadsFor: (coordinates: number) => number
  /** An executor with this many threads. */
  readonly executor: (count: number) => UnitExecutor
  /** Ends the threads. A later walk starts new ones. */
  readonly close: () => Promise<void>
}
