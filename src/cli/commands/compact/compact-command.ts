import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { type CompactSummary, compactLake } from '../../../run/upkeep/compact-lake.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { textTable } from '../../terminal/text-table.ts'

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

/** What was merged, for people. */
function compactText(lake: string, { tables, snapshotId, stopped }: CompactSummary): string {
  const lines: string[] = []
  if (tables.length === 0) lines.push(stopped ? 'Stopped before anything was merged.' : 'Nothing to merge.')
  else
    lines.push(
      textTable(
        ['table', '>files', '>now', '>bytes', '>now', '>rows'],
        tables.map(({ name, filesBefore, filesAfter, bytesBefore, bytesAfter, rows }) => [
          name,
          countText(filesBefore),
          countText(filesAfter),
          bytesText(bytesBefore),
          bytesText(bytesAfter),
          countText(rows),
        ]),
      ),
      'Earlier snapshots still need the replaced files: they stay until chainlake expire removes them.',
    )
  if (stopped && tables.length > 0) lines.push('Stopped by a signal; run chainlake compact again to merge the rest.')
  if (snapshotId !== null && tables.length > 0) lines.push(`The views show snapshot ${snapshotId} of ${lake}.`)
  return lines.join('\n')
}
