import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import type { ExpireSummary } from '../../../run/upkeep/expire-lake.ts'

/** Expired snapshots and removed files, for people. */
export function expireText({ forgotten, removed, waiting, stopped }: ExpireSummary): string {
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
