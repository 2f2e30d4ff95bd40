import type { Part } from '../model.ts'

export type CatalogOptions = {
  /** How long another holder of the catalog is waited for, in milliseconds; default 60,000. */
  readonly waitMs?: number
  /**
   * Ends the waiting with `LockedError`: at once where nothing can be lost, that is until a run is registered; a few
   * seconds later for what a run has read and what it says at its end.
   */
  readonly stop?: AbortSignal
  /** After a stop, commits wait so long for another holder; ending the run, which comes last, half as long again. */
  readonly graceMs?: number
  /** Told of each commit, with the files that it made visible and how long it took, waiting included. */
  readonly onCommit?: (stored: { snapshotId: number; parts: readonly Part[]; seconds: number }) => void
}
