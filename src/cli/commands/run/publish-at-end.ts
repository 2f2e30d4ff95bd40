import { lakeExists } from '../../../catalog/lake/lake-paths.ts'
import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import { loadAvro } from '../../../iceberg/avro.ts'
import { isStop } from '../../../run/job/early-end.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import { publishIcebergInTurn } from '../../../run/publish/publish-iceberg.ts'
import type { Logger } from '../../terminal/logger.ts'
import { mustBeIceberg } from '../publish/publish-command.ts'

/** Checks before the run that it can be published as `format`; throws otherwise. */
export function canPublish(format: string): void {
  mustBeIceberg(format)
  loadAvro()
}

/** Publishes the commits of a run, including the finished units of jobs that failed or ended early. */
export async function publishAtEnd(
  lake: LakeLocation,
  logger: Logger,
  options: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<void> {
  if (options.stop.aborted || !(await lakeExists(lake))) return
  try {
    const { changed, snapshotId } = await publishIcebergInTurn({ lake, ...options })
    logger.info('published as Iceberg', { tables: changed.length, snapshot: snapshotId })
  } catch (error) {
    if (!isStop(error, options.stop)) throw error
    logger.warn('stopped before the publication as Iceberg; run chainlake publish iceberg')
  }
}
