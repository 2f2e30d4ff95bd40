import { type Catalog, isCatalogHeld } from '../../catalog/catalog.ts'
import { abortLater } from '../../lib/abort-later.ts'
import type { LakeSnapshot } from '../../model.ts'
import type { EmitEvent } from '../job/events.ts'
import { waitUnlessStopped } from '../job/wait.ts'
import { type Publishing, publishWhenBehind } from './publish-lake.ts'

/** When a run shows what it has committed: rarely while it goes on, and always at its end. */
export type Publisher = {
  /** Publishes when the last time is long enough ago. */
  readonly afterCommit: () => Promise<void>
  /** The same for a round of a run that goes on; when nothing was shown yet, at once. */
  readonly afterRound: () => Promise<void>
  /** Waits until the next round or until `stop`; what the last one left to show is shown when it may be. */
  readonly wait: (milliseconds: number) => Promise<void>
  /**
   * Publishes; what cannot be done within the time that a stop leaves is told and left. `unchanged` is the latest snapshot of a run that has
   * made none: what others have made since it began they show.
   */
  readonly atEnd: (unchanged: LakeSnapshot | null) => Promise<void>
}

type PublisherOptions = {
  readonly lakeDir: string
  readonly catalog: Catalog
  readonly runId: string
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  /** Milliseconds that a stop leaves for publishing. */
  readonly graceMs?: number
}

/** Between the end of one publication and the next one, while the run goes on. */
const everyMs = 60_000
/** Publishing begins behind the last commit, which a stop leaves 4 s for; ten seconds are for all of a stop. */
const usualGraceMs = 6_000

export function createPublisher(options: PublisherOptions): Publisher {
  const { lakeDir, catalog, runId, stop, emit, graceMs = usualGraceMs } = options
  const closing = abortLater(stop, graceMs)
  let lastMs = performance.now()
  let hasPublished = false
  let isBehind = false

  const dueInMs = (): number => Math.max(0, lastMs + everyMs - performance.now())
  const publish = async (publishing: Publishing, latest?: LakeSnapshot): Promise<void> => {
    const beganMs = performance.now()
    const snapshotId = await publishWhenBehind(publishing, latest)
    lastMs = performance.now()
    hasPublished = true
    isBehind = false
    if (snapshotId !== null) emit({ kind: 'published', snapshotId, seconds: (lastMs - beganMs) / 1000 })
  }
  /** Gives up at a stop: what is not committed yet comes first. */
  const publishNow = async (): Promise<void> => {
    try {
      await publish({ lakeDir, catalog, owner: runId, stop })
    } catch (error) {
      if (!gaveUp(error, stop)) throw error
    }
  }
  return {
    afterCommit: async () => {
      isBehind = true
      if (dueInMs() === 0) await publishNow()
    },
    afterRound: async () => {
      if (!hasPublished || dueInMs() === 0) await publishNow()
    },
    wait: async (milliseconds) => {
      const untilMs = performance.now() + milliseconds
      if (isBehind && dueInMs() < milliseconds) {
        await waitUnlessStopped(dueInMs(), stop)
        if (!stop.aborted) await publishNow()
      }
      await waitUnlessStopped(Math.max(0, untilMs - performance.now()), stop)
    },
    atEnd: async (unchanged) => {
      try {
        await publish({ lakeDir, catalog, owner: runId, stop: closing }, unchanged ?? undefined)
      } catch (error) {
        if (!gaveUp(error, closing)) throw error
        // The last publication showed all that this run has committed.
        if (hasPublished && !isBehind) return
        emit({
          kind: 'warning',
          message:
            'The views do not show the last commits: the run was told to stop. chainlake views brings them up to date, and so does the next run.',
        })
      }
    },
  }
}

function gaveUp(error: unknown, stop: AbortSignal): boolean {
  return stop.aborted && (error === stop.reason || isCatalogHeld(error))
}
