import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { type ExpireSummary, expireLake } from '../../../run/upkeep/expire-lake.ts'
import { parseAge } from '../../settings/numbers.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'

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

/** Expired snapshots and removed files, for people. */
function expireText({ forgotten, removed, waiting, stopped }: ExpireSummary): string {
  const lines: string[] = []
  if (forgotten !== null) {
    const { snapshots, files, bytes, oldest } = forgotten
    lines.push(
      snapshots === 0
        ? `No snapshot is old enough to expire; the oldest is ${oldest}.`
        : `Expired ${countText(snapshots)} snapshots; the oldest is ${oldest} now. ${countText(files)} files (${bytesText(bytes)}) are in no snapshot any more.`,
    )
  }
  if (removed > 0) lines.push(`Removed ${countText(removed)} files that were unpublished for more than 24 hours.`)
  if (waiting > 0)
    lines.push(
      `${countText(waiting)} files can be removed 24 hours after they were last published; run chainlake expire again then.`,
    )
  if (stopped) lines.push('Stopped by a signal; run chainlake expire again for the rest.')
  return lines.join('\n')
}
