import { parseLocation } from '../../../iceberg/location.ts'
import { isStop } from '../../../run/job/early-end.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import { publishIceberg } from '../../../run/publish/publish-iceberg.ts'
import { publishParquet } from '../../../run/publish/publish-parquet.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { parseFormat, refuseOption } from './formats.ts'
import { icebergText } from './iceberg-text.ts'
import { parquetText } from './parquet-text.ts'

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
