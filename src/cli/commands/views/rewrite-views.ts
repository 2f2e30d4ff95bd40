import { resolve } from 'node:path'
import { isCatalogHeld } from '../../../catalog/catalog.ts'
import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import { isStop } from '../../../run/job/early-end.ts'
import { republishLake } from '../../../run/status/republish-lake.ts'
import { publishedLocation } from '../../../views/published-views.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { untilSignal } from '../../terminal/signals.ts'

type ViewsFlags = {
  readonly 'as-of'?: string | undefined
  readonly location?: string | undefined
  readonly json?: boolean | undefined
}

/**
 * `chainlake views`: resolves to the exit code. After a signal the previous views stay, without leftover files. Views of a past snapshot
 * stay until the next publication.
 */
export async function rewriteViews(lake: LakeLocation, { 'as-of': asOf, location, json }: ViewsFlags): Promise<number> {
  const moment =
    asOf === undefined ? {} : { asOf: (await import('../../../run/status/lake-as-of.ts')).parseMoment(asOf) }
  return untilSignal(async ({ signal, code }) => {
    try {
      const snapshotId = await republishLake(lake, { stop: signal, location, ...moment })
      const readAt = await publishedLocation(lake.folder)
      if (json === true) await printJson({ lake: lake.folder, snapshotId, location: readAt })
      else await printLine(viewsText({ lake: resolve(lake.folder), snapshotId, readAt, isPast: asOf !== undefined }))
      return 0
    } catch (error) {
      if (!isStop(error, signal) && !(signal.aborted && isCatalogHeld(error))) throw error
      process.stderr.write('Stopped by a signal; the views are unchanged.\n')
      return code() ?? 0
    }
  })
}

type Written = {
  readonly lake: string
  readonly snapshotId: number
  readonly readAt: string | null
  readonly isPast: boolean
}

function viewsText({ lake, snapshotId, readAt, isPast }: Written): string {
  return [
    `Wrote lake.duckdb, views.sql and lake.ducklake of snapshot ${snapshotId} in ${lake}.`,
    ...(isPast ? ['The next publication (a run, or chainlake views) shows the latest snapshot again.'] : []),
    ...(readAt === null
      ? []
      : [
          `Readers find the lake at ${readAt}, also after later runs. To end that: chainlake views --location ${lake} --lake ${lake}`,
        ]),
  ].join('\n')
}
