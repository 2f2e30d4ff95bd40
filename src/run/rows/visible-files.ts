import type { Gap } from '../../catalog/files/table-files.ts'
import type { Table } from '../../define/index.ts'
import type { ListRun } from './lake-run.ts'
import type { KnownFiles } from './list-unit.ts'
import { type RowRange, rowRange } from './row-range.ts'

/** The visible files of a table. */
export async function visibleFiles(
  run: Pick<ListRun, 'catalog'>,
  table: Table,
  options: Parameters<ListRun['catalog']['tableFiles']>[1] = {},
): Promise<KnownFiles> {
  return run.catalog.tableFiles(table.name, options)
}

/**
 * The visible files that may contain the keys of given rows. If there were none, the catalog is not opened again for rows in the same gap
 * between files. The result then names the older snapshot, so that the commit compares with all later files.
 */
export function filesThatMayHold(run: Pick<ListRun, 'catalog'>) {
  const gaps = new Map<string, { readonly snapshotId: number; readonly gap: Gap }>()
  return async (table: Table, rows: readonly object[]): Promise<KnownFiles> => {
    const range = rowRange(table, rows)
    if (range === null) return visibleFiles(run, table)
    const known = gaps.get(table.name)
    if (known !== undefined && liesIn(range, known.gap)) return { snapshotId: known.snapshotId, files: [] }
    const { snapshotId, files, gap } = await run.catalog.tableFiles(table.name, { range })
    if (gap !== undefined) gaps.set(table.name, { snapshotId, gap })
    return { snapshotId, files }
  }
}

function liesIn({ min, max }: RowRange, { below, above }: Gap): boolean {
  return (below === null || min > below) && (above === null || max < above)
}
