import { parseLocation } from '../../../iceberg/location.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { isStop } from '../../../run/job/early-end.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import { type IcebergSummary, publishIceberg } from '../../../run/publish/publish-iceberg.ts'
import { type ParquetSummary, publishParquet } from '../../../run/publish/publish-parquet.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { textTable } from '../../terminal/text-table.ts'
import { parseFormat, refuseOption } from './formats.ts'

type PublishFlags = {
  readonly table?: string | undefined
  readonly location?: string | undefined
  readonly to?: string | undefined
  readonly json?: boolean | undefined
}

/** A publication, and its text for people. */
type Published = { readonly summary: object; readonly text: string }

/** `chainlake publish`: resolves to the exit code. After a signal the previous publication stays. */
export async function publishAs(text: string, { lake, logLevel }: Settings, flags: PublishFlags): Promise<number> {
  const format = parseFormat(text)
  const { location: uri = null, to = null } = flags
  refuseOption('location', uri, 'iceberg', format)
  refuseOption('to', to, 'parquet', format)
  const location = uri === null ? null : parseLocation(uri)
  const tables = flags.table === undefined ? null : flags.table.split(',').map((name) => name.trim())
  const logger = createLogger({ level: logLevel, terminal: process.stderr.isTTY === true })
  const publish = async (stop: AbortSignal, emit: EmitEvent): Promise<Published> => {
    if (format === 'iceberg') {
      const summary = await publishIceberg({ lake, location, tables, stop, emit })
      return { summary, text: icebergText(lake.folder, summary) }
    }
    const summary = await publishParquet({ lake, to, tables, stop, emit })
    return { summary, text: parquetText(lake.folder, summary) }
  }
  return untilSignal(async ({ signal, code }) => {
    try {
      const { summary, text } = await publish(signal, eventListener(logger, undefined))
      if (flags.json === true) await printJson({ lake: lake.folder, ...summary })
      else await printLine(text)
      return code() ?? 0
    } catch (error) {
      if (!isStop(error, signal)) throw error
      process.stderr.write('Stopped by a signal; the previous publication is unchanged.\n')
      return code() ?? 0
    }
  })
}

/** What was published, for people. */
export function icebergText(
  lake: string,
  { changed, unchanged, tables, snapshotId, location }: IcebergSummary,
): string {
  if (tables.length === 0) return `Nothing to publish: ${lake} has no tables yet.`
  const byName = new Map(tables.map((table) => [table.table, table]))
  const rows = changed.map(({ table, addedFiles, removedFiles }) => {
    const { version = 0, files = 0, rows = 0, bytes = 0 } = byName.get(table) ?? {}
    return [
      table,
      `v${version}`,
      countText(addedFiles),
      countText(removedFiles),
      countText(files),
      countText(rows),
      bytesText(bytes),
    ]
  })
  const table = textTable(['table', '>version', '>files added', '>removed', '>files', '>rows', '>bytes'], rows)
  return [
    ...(rows.length === 0 ? [] : [table]),
    `Iceberg shows snapshot ${snapshotId} of ${lake} at ${location}/iceberg: ${countText(changed.length)} ${changed.length === 1 ? 'table' : 'tables'} written, ${countText(unchanged.length)} unchanged.`,
  ].join('\n')
}

/** What was published, for people. */
function parquetText(lake: string, { changed, tables, snapshotId, folder }: ParquetSummary): string {
  if (tables.length === 0) return `Nothing to publish: ${lake} has no tables yet.`
  const byName = new Map(tables.map((table) => [table.table, table]))
  const rows = changed.map(({ table, added, rewritten, removed }) => {
    const { files = 0, rows = 0 } = byName.get(table) ?? {}
    return [table, ...[added, rewritten, removed, files, rows].map(countText)]
  })
  const table = textTable(['table', '>files added', '>rewritten', '>removed', '>files', '>rows'], rows)
  const same = tables.length - changed.length
  return [
    ...(rows.length === 0 ? [] : [table]),
    `${folder} shows snapshot ${snapshotId} of ${lake}: ${countText(changed.length)} ${changed.length === 1 ? 'table' : 'tables'} changed, ${countText(same)} unchanged.`,
  ].join('\n')
}
