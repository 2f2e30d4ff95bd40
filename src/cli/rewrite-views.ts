import { isCatalogHeld } from '../catalog/catalog.ts'
import { isStop } from '../run/early-end.ts'
import { republishLake } from '../run/lake-status.ts'
import { printJson, printLine } from './output.ts'
import { untilSignal } from './signals.ts'

/** `chainlake views`: resolves to the exit code. A signal leaves the views as they were, and nothing beside them. */
export async function rewriteViews(lake: string, json: boolean): Promise<number> {
  return untilSignal(async ({ signal, code }) => {
    try {
      const snapshotId = await republishLake(lake, { stop: signal })
      if (json) await printJson({ lake, snapshotId })
      else await printLine(`Wrote lake.duckdb, views.sql and lake.ducklake of snapshot ${snapshotId} in ${lake}`)
      return 0
    } catch (error) {
      if (!isStop(error, signal) && !(signal.aborted && isCatalogHeld(error))) throw error
      process.stderr.write('Stopped by a signal; the views were not written anew.\n')
      return code() ?? 0
    }
  })
}
