import { countText } from '../../../lib/text/count-text.ts'
import type { ParquetSummary } from '../../../run/publish/publish-parquet.ts'
import { textTable } from '../../terminal/text-table.ts'

/** What was published, for people. */
export function parquetText(lake: string, { changed, tables, snapshotId, folder }: ParquetSummary): string {
  if (tables.length === 0) return `Nothing to publish: ${lake} has no tables yet.`
  const byName = new Map(tables.map((table) => [table.table, table]))
  const rows = changed.map(({ table, added, rewritten, removed }) => {
    const { files = 0, rows = 0 } = byName.get(table) ?? {}
    return [table, ...[added, rewritten, removed, files, rows].map(countText)]
  })
  const table = textTable(['table', '>files added', '>rewritten', '>removed', '>files', '>rows'], rows)
  const same = tables.length - changed.length
  return [
    ...(rows.length === 0 ? [] : [table]),
    `${folder} shows snapshot ${snapshotId} of ${lake}: ${countText(changed.length)} ${changed.length === 1 ? 'table' : 'tables'} changed, ${countText(same)} unchanged.`,
  ].join('\n')
}
