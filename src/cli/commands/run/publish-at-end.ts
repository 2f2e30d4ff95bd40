import { resolve } from 'node:path'
import { lakeExists } from '../../../catalog/lake/lake-paths.ts'
import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import { loadAvro } from '../../../iceberg/avro.ts'
import { isStop } from '../../../run/job/early-end.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import { publishIcebergInTurn } from '../../../run/publish/publish-iceberg.ts'
import { folderOf, publishParquetInTurn } from '../../../run/publish/publish-parquet.ts'
import type { Logger } from '../../terminal/logger.ts'
import { parseFormat, refuseOption } from '../publish/formats.ts'

/** Publishes the commits of a run, including the finished units of jobs that failed or ended early. */
export type PublishAtEnd = (
  logger: Logger,
  options: { readonly stop: AbortSignal; readonly emit: EmitEvent },
) => Promise<void>

type PublishFlags = { readonly publish?: string | undefined; readonly 'publish-to'?: string | undefined }

/** How a run is published at its end; null: it is not. Throws `ConfigError` before the run for what cannot be published. */
export function publicationAtEnd(flags: PublishFlags, lake: LakeLocation): PublishAtEnd | null {
  const { publish, 'publish-to': to = null } = flags
  const format = publish === undefined ? null : parseFormat(publish)
  refuseOption('publish-to', to, 'parquet', format)
  if (format === null) return null
  if (format === 'iceberg') loadAvro()
  else folderOf(resolve(lake.folder), to)
  return async (logger, options) => {
    if (options.stop.aborted || !(await lakeExists(lake))) return
    try {
      const { changed, snapshotId } =
        format === 'iceberg'
          ? await publishIcebergInTurn({ lake, ...options })
          : await publishParquetInTurn({ lake, to, ...options })
      logger.info(`published as ${format}`, { tables: changed.length, snapshot: snapshotId })
    } catch (error) {
      if (!isStop(error, options.stop)) throw error
      logger.warn(`stopped before the publication as ${format}; run chainlake publish ${format}`)
    }
  }
}
