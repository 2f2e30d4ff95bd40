import { tables as declaredTables } from '../../../schemas/index.ts'
import { isCatalogHeld, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { openCopier } from '../../lookup/copy-files.ts'
import { aboveFloor } from '../job/disk-space.ts'
import { isStop } from '../job/early-end.ts'
import type { EmitEvent } from '../job/events.ts'
import { publishWhenBehind } from '../publish/publisher.ts'
import { reportLostFiles, reportRecovery } from '../publish/report-recovery.ts'
import type { Merged } from './compact-files.ts'
import { mergesOfAll } from './compact-plan.ts'
import { compactTables } from './compact-tables.ts'
import { trailingIn } from './compact-tail.ts'

export type CompactSummary = {
  readonly runId: string
  readonly tables: readonly CompactedTable[]
  /** The snapshot that the views show. */
  readonly snapshotId: number | null
  readonly stopped: boolean
}

type CompactedTable = {
  readonly name: string
  readonly filesBefore: number
  readonly filesAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
  readonly rows: number
}

/**
 * Merges the small files of a lake, partition by partition, and publishes the views. When `stop` is aborted, finished merges are kept.
 *
 * @throws LockedError while another process does the same; StorageError `storage.space` when the disk is almost full.
 */
export async function compactLake(
  lake: LakeLocation,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<CompactSummary> {
  const catalog = await openCatalog(lake, declaredTables, { stop })
  const run = await catalog.startRun({ streams: [], command: 'compact' })
  reportRecovery(run.recovery, emit)
  reportLostFiles(run.lost, emit)
  const store = aboveFloor(catalog.store, lake.folder)
  const copier = openCopier(lake.folder, run.id, store)
  const merged: Merged[] = []
  let outcome = 'failed'
  try {
    let parts = 0
    try {
      await compactTables({
        run: { catalog, store, copier, runId: run.id, nextPart: () => parts++, stop },
        tables: await catalog.tables(),
        plan: mergesOfAll,
        trailingOf: trailingIn(await catalog.streams()),
        merged: (one) => void merged.push(one),
      })
      await publishWhenBehind({ lakeDir: lake.folder, catalog, owner: run.id, stop })
    } catch (error) {
      if (!isStop(error, stop) && !(stop.aborted && isCatalogHeld(error))) throw error
    }
    outcome = stop.aborted ? 'stopped' : 'done'
    const snapshotId = stop.aborted ? null : await catalog.snapshotId()
    return { runId: run.id, tables: summed(merged), snapshotId, stopped: stop.aborted }
  } finally {
    await copier.close()
    await run.end(outcome)
  }
}

function summed(merged: readonly Merged[]): CompactedTable[] {
  return [...new Set(merged.map(({ table }) => table))].map((name) => {
    const own = merged.filter(({ table }) => table === name)
    const parts = own.map(({ part }) => part)
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
    return {
      name,
      filesBefore: sum(own.map(({ before }) => before)),
      filesAfter: parts.length,
      bytesBefore: sum(own.map(({ bytesBefore }) => bytesBefore)),
      bytesAfter: sum(parts.map(({ bytes }) => bytes)),
      rows: sum(parts.map(({ rows }) => rows)),
    }
  })
}
