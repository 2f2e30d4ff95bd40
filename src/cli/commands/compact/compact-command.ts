import { compactLake } from '../../../run/upkeep/compact-lake.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { compactText } from './compact-text.ts'

/** `chainlake compact`: resolves to the exit code. After a signal finished merges stay, and nothing else is left behind. */
export async function compactInto({ lake, logLevel }: Settings, json: boolean): Promise<number> {
  const logger = createLogger({ level: logLevel, terminal: process.stderr.isTTY === true })
  return untilSignal(
    async ({ signal, code }) => {
      const summary = await compactLake(lake, { stop: signal, emit: eventListener(logger, undefined) })
      if (json) await printJson({ lake: lake.folder, ...summary })
      else await printLine(compactText(lake.folder, summary))
      return code() ?? 0
    },
    (name) => logger.warn(`${name}: stopping; finished merges stay. A second signal ends the command at once`),
  )
}
