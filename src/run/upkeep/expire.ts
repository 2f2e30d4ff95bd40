import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { expireCommand } from '../../catalog/upkeep.ts'
import { ChainlakeError } from '../../errors.ts'
import { gaveUp, isStop } from '../error-parts.ts'
import type { EmitEvent } from '../events.ts'
import { asRun, publishTablesInTurn } from '../publish/publication.ts'
import { icebergTarget, readPublication } from '../publish/publish-iceberg.ts'
import { publishLake } from '../publish/publish-views.ts'

export type ExpireSummary = {
  readonly runId: string
  /** What has expired; null when the command was stopped before. */
  readonly forgotten: {
    readonly snapshots: number
    readonly files: number
    readonly bytes: number
    /** The oldest remaining snapshot. */
    readonly oldest: number
  } | null
  /** Number of removed files: those that had waited long enough. */
  readonly removed: number
  /** Number of files that wait to be removed. */
  readonly waiting: number
  readonly stopped: boolean
}

/** Files are kept this long after the next publication, because analysts may still read an earlier one. */
const graceMs = 24 * 3_600_000

type ExpireOptions = {
  readonly lake: LakeLocation
  readonly catalog: Catalog
  /** Age after which snapshots expire, in milliseconds. */
  readonly olderThanMs: number
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  readonly now?: () => Date
}

export async function expireLake(
  lake: LakeLocation,
  options: Omit<ExpireOptions, 'lake' | 'catalog'>,
): Promise<ExpireSummary> {
  const catalog = await openCatalog(lake, declaredTables, { stop: options.stop })
  return expireCatalog({ ...options, lake, catalog })
}

/**
 * Expires snapshots that are older than `olderThanMs`, publishes a catalog without them, and removes files that no publication of the last
 * 24 hours contains. Iceberg metadata, if there are any, are published as well.
 *
 * @throws LockedError `catalog.work-locked` while another process does the same.
 */
async function expireCatalog({
  lake,
  catalog,
  olderThanMs,
  stop,
  emit,
  now = () => new Date(),
}: ExpireOptions): Promise<ExpireSummary> {
  const { expiry } = catalog
  return asRun(catalog, expireCommand, { stop, emit }, async (runId) => {
    let forgotten: ExpireSummary['forgotten'] = null
    let removed = 0
    try {
      forgotten = await expiry.forget(new Date(now().getTime() - olderThanMs))
      // Even after other publications: analysts may have opened a copy that still names these files.
      if ((await expiry.waiting()) > 0) {
        await publishLake({ lakeDir: lake.folder, catalog, owner: runId, stop })
        if ((await readPublication(lake.folder)) !== null)
          await publishTablesInTurn(icebergTarget(lake), { stop, emit })
        await expiry.published(now())
        removed = await expiry.removeWaiting(new Date(now().getTime() - graceMs))
      }
    } catch (error) {
      if (!gaveUp(error, stop)) throw error
    }
    return { runId, forgotten, removed, waiting: await expiry.waiting(), stopped: stop.aborted }
  })
}

type ExpirerOptions = Omit<ExpireOptions, 'now'> & {
  /** The last time before the start of the run. */
  readonly lastExpiry: Date | null
}

const dayMs = 24 * 3_600_000
/** Snapshots may expire late by this share of their age. */
const tardiness = 1 / 24
/** Expiring snapshots examines every file of the lake. */
const leastPauseMs = 60_000

/** Expires old snapshots while a run follows the chain. */
export function createExpirer({ lastExpiry, ...options }: ExpirerOptions) {
  const { catalog, olderThanMs, stop, emit } = options
  const pauseMs = Math.max(leastPauseMs, Math.min(dayMs, olderThanMs * tardiness))
  let last = lastExpiry
  // If the clock was set back, the last time is in the future.
  const isDue = (): boolean => last === null || Math.abs(Date.now() - last.getTime()) >= pauseMs
  const expire = async (): Promise<void> => {
    try {
      const { forgotten, removed } = await expireCatalog(options)
      const { snapshots, files } = forgotten ?? { snapshots: 0, files: 0 }
      if (snapshots + removed > 0) emit({ kind: 'expired', snapshots, files, removed })
    } catch (error) {
      if (isStop(error, stop) || !(error instanceof ChainlakeError)) throw error
      // Another process is expiring snapshots.
      if (error.kind === 'taken') return
      emit({ kind: 'warning', message: `Old snapshots were not expired: ${error.message}`, details: error.details })
    }
  }
  return {
    /** Expires snapshots when the last time, in any process, is long enough ago. A failure is reported and retried later. */
    whenDue: async (): Promise<void> => {
      if (stop.aborted || !isDue()) return
      // Another process may have expired snapshots since.
      last = await catalog.expiry.lastBegun()
      if (!isDue()) return
      last = new Date()
      await expire()
    },
  }
}
