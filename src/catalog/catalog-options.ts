import type { Part } from '../model.ts'

export type CatalogOptions = {
  /** How long to wait for another process that holds the catalog lock, in milliseconds; default 60,000. */
  readonly waitMs?: number
  /**
   * Ends the wait with `LockedError`. Until a run is registered, nothing can be lost and the wait ends at once. Commits of a run, and the
   * record of its end, may wait a few seconds longer.
   */
  readonly stop?: AbortSignal
  /** After a stop, how long commits wait for the lock, in milliseconds. Recording the end of the run may take 1.5 times as long. */
  readonly graceMs?: number
  /** Called after each commit with the files that it made visible and its duration in seconds, including the wait for the lock. */
  readonly onCommit?: (stored: { snapshotId: number; parts: readonly Part[]; seconds: number }) => void
}
