import { compactLake } from '../run/compact-lake.ts'
import { createLogger } from './logger.ts'
import { printJson, printLine } from './output.ts'
import { eventListener } from './run-events.ts'
import type { Settings } from './settings/settings.ts'
import { untilSignal } from './signals.ts'
import { compactText } from './texts/compact-text.ts'

/** `chainlake compact`: resolves to the exit code. A signal leaves what is merged, and nothing else. */
export async function compactInto({ lake, logLevel }: Settings, json: boolean): Promise<number> {
  const logger = createLogger({ level: logLevel, terminal: process.stderr.isTTY === true })
  return untilSignal(
    async ({ signal, code }) => {
      const summary = await compactLake(lake, { stop: signal, emit: eventListener(logger, undefined) })
      if (json) await printJson({ lake, ...summary })
      else await printLine(compactText(lake, summary))
      return code() ?? 0
    },
    (name) => logger.warn(`${name}: what is merged stays; a second one ends at once`),
  )
}
