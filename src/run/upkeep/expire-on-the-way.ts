import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { ChainlakeError, LockedError } from '../../errors.ts'
import { isStop } from '../job/early-end.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { expireCatalog } from './expire-lake.ts'

/** Expires old snapshots while a run follows the chain. */
export type Expirer = {
  /** Expires snapshots when the last time, in any process, is long enough ago. A failure is reported and retried later. */
  readonly whenDue: () => Promise<void>
}

type ExpirerOptions = Pick<LakeRun, 'catalog' | 'stop' | 'emit'> & {
  readonly lake: LakeLocation
  /** Age after which snapshots expire, in milliseconds. */
  readonly olderThanMs: number
  /** The last time before the start of the run. */
  readonly lastExpiry: Date | null
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number
}

const dayMs = 24 * 3_600_000
/** Snapshots may expire late by this share of their age. */
const tardiness = 1 / 24
/** Expiring snapshots examines every file of the lake. */
const leastPauseMs = 60_000

export function createExpirer({ olderThanMs, lastExpiry, now = Date.now, ...options }: ExpirerOptions): Expirer {
  const { catalog, stop, emit } = options
  const pauseMs = Math.max(leastPauseMs, Math.min(dayMs, olderThanMs * tardiness))
  let last = lastExpiry
  // If the clock was set back, the last time is in the future.
  const isDue = (): boolean => last === null || Math.abs(now() - last.getTime()) >= pauseMs
  const expire = async (): Promise<void> => {
    try {
      const clock = () => new Date(now())
      const { forgotten, removed } = await expireCatalog({ ...options, olderThanMs, now: clock })
      const { snapshots, files } = forgotten ?? { snapshots: 0, files: 0 }
      if (snapshots + removed > 0) emit({ kind: 'expired', snapshots, files, removed })
    } catch (error) {
      if (isStop(error, stop) || !(error instanceof ChainlakeError)) throw error
      // Another process is expiring snapshots.
      if (error instanceof LockedError && error.code === 'catalog.work-locked') return
      emit({ kind: 'warning', message: `Old snapshots were not expired: ${error.message}`, details: error.details })
    }
  }
  return {
    whenDue: async () => {
      if (stop.aborted || !isDue()) return
      // Another process may have expired snapshots since.
      last = await catalog.expiry.lastBegun()
      if (!isDue()) return
      last = new Date(now())
      await expire()
    },
  }
}
