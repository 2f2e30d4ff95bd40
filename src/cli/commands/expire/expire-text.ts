import type { ExpireSummary } from '../../../run/upkeep/expire-lake.ts'
import { formatBytes, formatCount } from '../../terminal/format.ts'

/** What was forgotten and removed, for people. */
export function expireText({ forgotten, removed, waiting, stopped }: ExpireSummary): string {
  const lines: string[] = []
  if (forgotten !== null) {
    const { snapshots, files, bytes, oldest } = forgotten
    lines.push(
      snapshots === 0
        ? `No snapshot is old enough to be forgotten; the oldest is ${oldest}.`
        : `Forgot ${formatCount(snapshots)} snapshots; the oldest is ${oldest} now. ${formatCount(files)} files of ${formatBytes(bytes)} are in none any more.`,
    )
  }
  if (removed > 0) lines.push(`Removed ${formatCount(removed)} files that nobody had been shown for 24 hours.`)
  if (waiting > 0)
    lines.push(
      `${formatCount(waiting)} files wait until 24 hours after the publication that left them out; run chainlake expire again then.`,
    )
  if (stopped) lines.push('Stopped by a signal; chainlake expire goes on with the rest.')
  return lines.join('\n')
}
