import { ChainlakeError, LockedError } from '../../errors.ts'
import { isStop } from '../job/early-end.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { expireCatalog } from './expire-lake.ts'

/** Forgets old snapshots while a run goes on. */
export type Expirer = {
  /** Does it when the last time, of whichever process, is long enough ago; what fails is told and tried again later. */
  readonly whenDue: () => Promise<void>
}

type ExpirerOptions = Pick<LakeRun, 'catalog' | 'stop' | 'emit'> & {
  readonly lakeDir: string
  /** Age of the snapshots that are forgotten, in milliseconds. */
  readonly olderThanMs: number
  /** When it was last done, as the start of the run knows. */
  readonly lastExpiry: Date | null
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number
}

const dayMs = 24 * 3_600_000
/** Snapshots get older than they were to by so much of their age. */
const tardiness = 1 / 24
/** It looks at every file of the lake. */
const leastPauseMs = 60_000

export function createExpirer({ olderThanMs, lastExpiry, now = Date.now, ...options }: ExpirerOptions): Expirer {
  const { catalog, stop, emit } = options
  const pauseMs = Math.max(leastPauseMs, Math.min(dayMs, olderThanMs * tardiness))
  let last = lastExpiry
  // Where the clock was set back, the last time seems to be to come.
  const isDue = (): boolean => last === null || Math.abs(now() - last.getTime()) >= pauseMs
  return {
    whenDue: async () => {
      if (stop.aborted || !isDue()) return
      // Another process may have done it meanwhile.
      last = await catalog.expiry.lastBegun()
      if (!isDue()) return
      last = new Date(now())
      try {
        const clock = () => new Date(now())
        const { forgotten, removed } = await expireCatalog({ ...options, olderThanMs, now: clock })
        const { snapshots, files } = forgotten ?? { snapshots: 0, files: 0 }
        if (snapshots + removed > 0) emit({ kind: 'expired', snapshots, files, removed })
      } catch (error) {
        if (isStop(error, stop) || !(error instanceof ChainlakeError)) throw error
        // Another process does it.
        if (error instanceof LockedError && error.code === 'catalog.work-locked') return
        emit({ kind: 'warning', message: `Old snapshots were not forgotten: ${error.message}`, details: error.details })
      }
    },
  }
}
