import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import type { CompactSummary } from '../../../run/upkeep/compact-lake.ts'
import { textTable } from '../../terminal/text-table.ts'

/** What was merged, for people. */
export function compactText(lake: string, { tables, snapshotId, stopped }: CompactSummary): string {
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
