import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import type { IcebergSummary } from '../../../run/publish/publish-iceberg.ts'
import { textTable } from '../../terminal/text-table.ts'

/** What was published, for people. */
export function icebergText(
  lake: string,
  { changed, unchanged, tables, snapshotId, location }: IcebergSummary,
): string {
  if (tables.length === 0) return `Nothing to publish: ${lake} has no tables yet.`
  const byName = new Map(tables.map((table) => [table.table, table]))
  const rows = changed.map(({ table, addedFiles, removedFiles }) => {
    const { version = 0, files = 0, rows = 0, bytes = 0 } = byName.get(table) ?? {}
    return [
      table,
      `v${version}`,
      countText(addedFiles),
      countText(removedFiles),
      countText(files),
      countText(rows),
      bytesText(bytes),
    ]
  })
  const table = textTable(['table', '>version', '>files added', '>removed', '>files', '>rows', '>bytes'], rows)
  return [
    ...(rows.length === 0 ? [] : [table]),
    `Iceberg shows snapshot ${snapshotId} of ${lake} at ${location}/iceberg: ${countText(changed.length)} ${changed.length === 1 ? 'table' : 'tables'} written, ${countText(unchanged.length)} unchanged.`,
  ].join('\n')
}
