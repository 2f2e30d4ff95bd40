import { isCatalogHeld } from '../../../catalog/catalog.ts'
import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import { isStop } from '../../../run/job/early-end.ts'
import { republishLake } from '../../../run/status/lake-status.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { untilSignal } from '../../terminal/signals.ts'

/**
 * `chainlake views`: resolves to the exit code. After a signal the previous views stay, without leftover files. Views of a past snapshot
 * stay until the next publication.
 */
export async function rewriteViews(lake: LakeLocation, asOf: string | undefined, json: boolean): Promise<number> {
  const moment =
    asOf === undefined ? {} : { asOf: (await import('../../../run/status/lake-as-of.ts')).parseMoment(asOf) }
  return untilSignal(async ({ signal, code }) => {
    try {
      const snapshotId = await republishLake(lake, { stop: signal, ...moment })
      if (json) await printJson({ lake: lake.folder, snapshotId })
      else {
        const past =
          asOf === undefined
            ? ''
            : '. The next publication (a run, or chainlake views) shows the latest snapshot again.'
        await printLine(
          `Wrote lake.duckdb, views.sql and lake.ducklake of snapshot ${snapshotId} in ${lake.folder}${past}`,
        )
      }
      return 0
    } catch (error) {
      if (!isStop(error, signal) && !(signal.aborted && isCatalogHeld(error))) throw error
      process.stderr.write('Stopped by a signal; the views are unchanged.\n')
      return code() ?? 0
    }
  })
}
