import { expireLake } from '../run/expire-lake.ts'
import { createLogger } from './logger.ts'
import { printJson, printLine } from './output.ts'
import { eventListener } from './run-events.ts'
import { parseAge } from './settings/numbers.ts'
import type { Settings } from './settings/settings.ts'
import { untilSignal } from './signals.ts'
import { expireText } from './texts/expire-text.ts'

/** `chainlake expire`: resolves to the exit code. */
export async function expireInto({ lake, logLevel }: Settings, olderThan: string, json: boolean): Promise<number> {
  const olderThanMs = parseAge('--older-than', olderThan)
  const logger = createLogger({ level: logLevel, terminal: process.stderr.isTTY === true })
  return untilSignal(async ({ signal, code }) => {
    const summary = await expireLake(lake, { olderThanMs, stop: signal, emit: eventListener(logger, undefined) })
    if (json) await printJson({ lake, ...summary })
    else await printLine(expireText(summary))
    return code() ?? 0
  })
}
