import { lakeExists } from '../../../catalog/lake/lake-folder.ts'
import { loadAvro } from '../../../iceberg/avro.ts'
import { isStop } from '../../../run/job/early-end.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import { publishIcebergInTurn } from '../../../run/publish/publish-iceberg.ts'
import type { Logger } from '../../terminal/logger.ts'
import { mustBeIceberg } from '../publish/publish-command.ts'

/** Throws what a run cannot be published as before it begins. */
export function canPublish(format: string): void {
  mustBeIceberg(format)
  loadAvro()
}

/** Publishes what a run has committed; jobs that failed or were to be continued have committed what is whole. */
export async function publishAtEnd(
  lakeDir: string,
  logger: Logger,
  options: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<void> {
  if (options.stop.aborted || !(await lakeExists(lakeDir))) return
  try {
    const { changed, snapshotId } = await publishIcebergInTurn({ lakeDir, ...options })
    logger.info('published as Iceberg', { tables: changed.length, snapshot: snapshotId })
  } catch (error) {
    if (!isStop(error, options.stop)) throw error
    logger.warn('told to stop before this was published as Iceberg: chainlake publish iceberg does it')
  }
}
