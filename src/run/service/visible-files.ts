import type { Table } from '../../define/index.ts'
import type { ServiceRun } from '../lake-run.ts'
import type { KnownFiles } from './list-unit.ts'
import { rowRange } from './row-range.ts'

/** Files of a table. */
export async function visibleFiles(
  run: Pick<ServiceRun, 'catalog'>,
  table: Table,
  options: Parameters<ServiceRun['catalog']['tableFiles']>[1] = {},
): Promise<KnownFiles> {
  const { snapshotId, files } = await run.catalog.tableFiles(table.name, options)
  return { snapshotId, files: files.map(({ path }) => path) }
}

/** The visible files that may hold rows with the keys of given ones. */
export function filesThatMayHold(run: Pick<ServiceRun, 'catalog'>) {
  return (table: Table, rows: readonly object[]): Promise<KnownFiles> => {
    const range = rowRange(table, rows)
    return visibleFiles(run, table, range === null ? {} : { range })
  }
}
