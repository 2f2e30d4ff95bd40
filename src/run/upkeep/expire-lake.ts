import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, isCatalogHeld, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { expireCommand, type Forgotten } from '../../catalog/upkeep/expire.ts'
import { isStop } from '../job/early-end.ts'
import type { EmitEvent } from '../job/events.ts'
import { publishIcebergInTurn, readPublication } from '../publish/publish-iceberg.ts'
import { publishLake } from '../publish/publish-lake.ts'
import { reportLostFiles, reportRecovery } from '../publish/report-recovery.ts'

export type ExpireSummary = {
  readonly runId: string
  /** What has expired; null when the command was stopped before. */
  readonly forgotten: Forgotten | null
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
  /** The clock. */
  readonly now?: () => Date
}

/** `expireCatalog` of the lake in a folder. */
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
export async function expireCatalog({
  lake,
  catalog,
  olderThanMs,
  stop,
  emit,
  now = () => new Date(),
}: ExpireOptions): Promise<ExpireSummary> {
  const run = await catalog.startRun({ streams: [], command: expireCommand })
  reportRecovery(run.recovery, emit)
  reportLostFiles(run.lost, emit)
  const { expiry } = catalog
  let forgotten: Forgotten | null = null
  let removed = 0
  let outcome = 'failed'
  try {
    try {
      forgotten = await expiry.forget(new Date(now().getTime() - olderThanMs))
      // Even after other publications: analysts may have opened a copy that still names these files.
      if ((await expiry.waiting()) > 0) {
        await publishLake({ lakeDir: lake.folder, catalog, owner: run.id, stop })
        if ((await readPublication(lake.folder)) !== null) await publishIcebergInTurn({ lake, stop, emit })
        await expiry.published(now())
        removed = await expiry.removeWaiting(new Date(now().getTime() - graceMs))
      }
    } catch (error) {
      if (!isStop(error, stop) && !(stop.aborted && isCatalogHeld(error))) throw error
    }
    outcome = stop.aborted ? 'stopped' : 'done'
    return { runId: run.id, forgotten, removed, waiting: await expiry.waiting(), stopped: stop.aborted }
  } finally {
    await run.end(outcome)
  }
}
