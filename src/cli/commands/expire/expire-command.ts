import { expireLake } from '../../../run/upkeep/expire-lake.ts'
import { parseAge } from '../../settings/numbers.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { expireText } from './expire-text.ts'

/** `chainlake expire`: resolves to the exit code. */
export async function expireInto({ lake, logLevel }: Settings, olderThan: string, json: boolean): Promise<number> {
  const olderThanMs = parseAge('--older-than', olderThan)
  const logger = createLogger({ level: logLevel, terminal: process.stderr.isTTY === true })
  return untilSignal(async ({ signal, code }) => {
    const summary = await expireLake(lake, { olderThanMs, stop: signal, emit: eventListener(logger, undefined) })
    if (json) await printJson({ lake: lake.folder, ...summary })
    else await printLine(expireText(summary))
    return code() ?? 0
  })
}
