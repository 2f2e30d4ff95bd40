import type { LakeLocation } from '../../catalog/place.ts'
import { abortLater } from '../../lib/wait.ts'
import type { LakeSnapshot } from '../../model.ts'
import { publishedViews } from '../../views/published-views.ts'
import { gaveUp, waitUnlessStopped } from '../error-parts.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { type Publishing, withOwner } from './publication.ts'

type PublisherOptions = Pick<LakeRun, 'lakeDir' | 'catalog' | 'runId' | 'stop' | 'emit'> & {
  /** `each commit`: publishes after each commit, unless that would take more than half of the time. Default: at most once a minute. */
  readonly pace?: 'each commit' | 'usual'
  /** Time for publishing after a stop, in milliseconds. */
  readonly graceMs?: number
}

/** Minimum time between two publications during a run. */
const everyMs = 60_000
/** After a stop the last commit has 4 seconds, and everything together ten seconds. */
const usualGraceMs = 6_000

/** Publishes the commits of a run: at intervals, and always at its end. */
export function createPublisher(options: PublisherOptions) {
  const { lakeDir, catalog, runId, pace = 'usual', stop, emit, graceMs = usualGraceMs } = options
  const closing = abortLater(stop, graceMs)
  let lastMs = performance.now()
  let hasPublished = false
  let isBehind = false

  /** Minimum time to the next publication, in milliseconds. */
  let gapMs = pace === 'usual' ? everyMs : 0
  const dueInMs = (): number => Math.max(0, lastMs + gapMs - performance.now())
  const publish = async (publishing: Publishing, latest?: LakeSnapshot): Promise<void> => {
    const beganMs = performance.now()
    const snapshotId = await publishWhenBehind(publishing, latest)
    lastMs = performance.now()
    if (pace === 'each commit') gapMs = Math.min(everyMs, lastMs - beganMs)
    hasPublished = true
    isBehind = false
    if (snapshotId !== null) emit({ kind: 'published', snapshotId, seconds: (lastMs - beganMs) / 1000 })
  }
  /** Gives up at a stop, because commits are more urgent. */
  const publishNow = async (): Promise<void> => {
    try {
      await publish({ lakeDir, catalog, owner: runId, stop })
    } catch (error) {
      if (!gaveUp(error, stop)) throw error
    }
  }
  return {
    /** Publishes when the last publication is old enough. */
    afterCommit: async (): Promise<void> => {
      isBehind = true
      if (dueInMs() === 0) await publishNow()
    },
    /** Publishes after a round of a following run; at once when the run has published nothing yet. */
    afterRound: async (): Promise<void> => {
      if (!hasPublished || dueInMs() === 0) await publishNow()
    },
    /** Waits for the next round or for `ended`, and meanwhile publishes what the last round left. `stop` also aborts `ended`. */
    wait: async (milliseconds: number, ended: AbortSignal): Promise<void> => {
      const untilMs = performance.now() + milliseconds
      if (isBehind && dueInMs() < milliseconds) {
        await waitUnlessStopped(dueInMs(), ended)
        if (!ended.aborted) await publishNow()
      }
      await waitUnlessStopped(Math.max(0, untilMs - performance.now()), ended)
    },
    /**
     * Publishes at the end. After a stop it gives up when the time is over, with a warning. `unchanged` is the latest snapshot at the start of
     * a run that has made none itself: other runs publish their own snapshots.
     */
    atEnd: async (unchanged: LakeSnapshot | null): Promise<void> => {
      try {
        await publish({ lakeDir, catalog, owner: runId, stop: closing }, unchanged ?? undefined)
      } catch (error) {
        if (!gaveUp(error, closing)) throw error
        // The last publication contains all commits of this run.
        if (hasPublished && !isBehind) return
        emit({
          kind: 'warning',
          message:
            'The views do not show the last commits, because the run was stopped. Run chainlake views to update them; the next run also updates them.',
        })
      }
    },
  }
}

/**
 * Publishes unless the latest snapshot of this catalog is already published; then returns null. Queries the catalog for the latest snapshot
 * unless `latest` is already published. What builds views is loaded only for that.
 */
export async function publishWhenBehind(publishing: Publishing, latest?: LakeSnapshot): Promise<number | null> {
  const { lakeDir, catalog, stop } = publishing
  const shown = await publishedViews(lakeDir)
  const isCurrent =
    shown !== null &&
    ((latest !== undefined && isSame(shown, latest)) || isSame(shown, await catalog.snapshot({ stop }))) &&
    shown.catalogCopy === (await catalog.publishedCopy())
  return isCurrent ? null : (await import('./publish-views.ts')).publishLake(publishing)
}

/** `publishWhenBehind` without a run. */
export async function publishLatest(lake: LakeLocation, stop: AbortSignal): Promise<void> {
  await withOwner(lake, stop, publishWhenBehind)
}

function isSame(a: LakeSnapshot, b: LakeSnapshot): boolean {
  return a.lakeId === b.lakeId && a.snapshotId === b.snapshotId && a.runId === b.runId
}
