import { ConfigError } from '../../../errors.ts'
import { parseLocation } from '../../../iceberg/location.ts'
import { isStop } from '../../../run/job/early-end.ts'
import { publishIceberg } from '../../../run/publish/publish-iceberg.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { icebergText } from './iceberg-text.ts'

type PublishFlags = {
  readonly table?: string | undefined
  readonly location?: string | undefined
  readonly json?: boolean | undefined
}

/** `chainlake publish iceberg`: resolves to the exit code. After a signal the previous publication stays. */
export async function publishAs(format: string, { lake, logLevel }: Settings, flags: PublishFlags): Promise<number> {
  mustBeIceberg(format)
  const location = flags.location === undefined ? null : parseLocation(flags.location)
  const tables = flags.table === undefined ? null : flags.table.split(',').map((name) => name.trim())
  const logger = createLogger({ level: logLevel, terminal: process.stderr.isTTY === true })
  return untilSignal(async ({ signal, code }) => {
    try {
      const emit = eventListener(logger, undefined)
      const summary = await publishIceberg({ lake, location, tables, stop: signal, emit })
      if (flags.json === true) await printJson({ lake: lake.folder, ...summary })
      else await printLine(icebergText(lake.folder, summary))
      return code() ?? 0
    } catch (error) {
      if (!isStop(error, signal)) throw error
      process.stderr.write('Stopped by a signal; the previous publication is unchanged.\n')
      return code() ?? 0
    }
  })
}

/** Throws `ConfigError` for any other format. */
export function mustBeIceberg(format: string): void {
  if (format === 'iceberg') return
  throw new ConfigError(`A lake cannot be published as ${JSON.stringify(format)}.`, {
    code: 'config.publish',
    hint: 'The only format is iceberg.',
  })
}
