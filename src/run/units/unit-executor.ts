import type { ReadingProgress, UnitMessage, UnitPiece } from './unit-message.ts'

/** Does units, wherever: fetches and reads them and writes their files. Nothing of it is visible before somebody commits it. */
export type UnitExecutor = {
  /**
   * Does the units; they are taken in their order, a few at a time, and may be done in another. When it ends, all of them are told of,
   * or as much of them as there was when `stop` was aborted or something failed: then this throws what failed, at last.
   */
  readonly execute: (units: Iterable<UnitMessage>, listener: UnitListener, stop: AbortSignal) => Promise<void>
}

export type UnitListener = {
  /** `at`: the number of the unit, from 0. Pieces of a unit come in order. Resolves when the piece is committed. */
  readonly piece: (at: number, piece: UnitPiece, isWhole: boolean) => Promise<void>
  readonly read: (progress: ReadingProgress) => void
}

/** Threads that do units, started when there is enough to do. */
export type UnitThreads = {
  /** How many threads a walk over so many coordinates is worth; 1: none but the one that asks. */
  readonly threadsFor: (coordinates: number) => number
  /** What does units in so many threads. */
  readonly executor: (count: number) => UnitExecutor
  /** Ends the threads; those of a later walk are started anew. */
  readonly close: () => Promise<void>
}
