import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, isCatalogHeld, openCatalog } from '../../catalog/catalog.ts'
import { expireCommand, type Forgotten } from '../../catalog/upkeep/expire.ts'
import { isStop } from '../job/early-end.ts'
import type { EmitEvent } from '../job/events.ts'
import { publishIcebergInTurn, readPublication } from '../publish/publish-iceberg.ts'
import { publishLake } from '../publish/publish-lake.ts'
import { tellLost, tellRecovery } from '../publish/tell-recovery.ts'

export type ExpireSummary = {
  readonly runId: string
  /** What is forgotten now; null when the command was told to stop before. */
  readonly forgotten: Forgotten | null
  /** Files that were removed: such as had waited long enough. */
  readonly removed: number
  /** Files that wait to be removed. */
  readonly waiting: number
  readonly stopped: boolean
}

/** Analysts may have opened what was published before, and read its files: they stay for so long after the next publication. */
const graceMs = 24 * 3_600_000

type ExpireOptions = {
  readonly lakeDir: string
  readonly catalog: Catalog
  /** Age of the snapshots that are forgotten. */
  readonly olderThanMs: number
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  /** The clock. */
  readonly now?: () => Date
}

/** `expireCatalog` of the lake in a folder. */
export async function expireLake(
  lakeDir: string,
  options: Omit<ExpireOptions, 'lakeDir' | 'catalog'>,
): Promise<ExpireSummary> {
  const catalog = await openCatalog(lakeDir, declaredTables, { stop: options.stop })
  return expireCatalog({ ...options, lakeDir, catalog })
}

/**
 * Forgets snapshots that are older than `olderThanMs`, publishes a catalog without them, and removes the files that nobody has been shown
 * for 24 hours; so it does with Iceberg's metadata where there are any.
 *
 * @throws LockedError `catalog.work-locked` while another process does the same.
 */
export async function expireCatalog({
  lakeDir,
  catalog,
  olderThanMs,
  stop,
  emit,
  now = () => new Date(),
}: ExpireOptions): Promise<ExpireSummary> {
  const run = await catalog.startRun({ streams: [], command: expireCommand })
  tellRecovery(run.recovery, emit)
  tellLost(run.lost, emit)
  const { expiry } = catalog
  let forgotten: Forgotten | null = null
  let removed = 0
  let outcome = 'failed'
  try {
    try {
      forgotten = await expiry.forget(new Date(now().getTime() - olderThanMs))
      // Whatever else was published since: a copy that still names them may have been opened until now.
      if ((await expiry.waiting()) > 0) {
        await publishLake({ lakeDir, catalog, owner: run.id, stop })
        if ((await readPublication(lakeDir)) !== null) await publishIcebergInTurn({ lakeDir, stop, emit })
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
