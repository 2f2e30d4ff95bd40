import type { CompactSummary } from '../../../run/upkeep/compact-lake.ts'
import { formatBytes, formatCount, textTable } from '../../terminal/format.ts'

/** What was merged, for people. */
export function compactText(lake: string, { tables, snapshotId, stopped }: CompactSummary): string {
  const lines: string[] = []
  if (tables.length === 0) lines.push(stopped ? 'Stopped before anything was merged.' : 'There is nothing to merge.')
  else
    lines.push(
      textTable(
        ['table', '>files', '>now', '>bytes', '>now', '>rows'],
        tables.map(({ name, filesBefore, filesAfter, bytesBefore, bytesAfter, rows }) => [
          name,
          formatCount(filesBefore),
          formatCount(filesAfter),
          formatBytes(bytesBefore),
          formatBytes(bytesAfter),
          formatCount(rows),
        ]),
      ),
      'The files that were there before stay for earlier snapshots, until chainlake expire removes them.',
    )
  if (stopped && tables.length > 0) lines.push('Stopped by a signal; chainlake compact goes on with the rest.')
  if (snapshotId !== null && tables.length > 0) lines.push(`The views show snapshot ${snapshotId} of ${lake}.`)
  return lines.join('\n')
}
