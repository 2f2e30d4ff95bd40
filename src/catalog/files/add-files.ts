import type { Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import type { LeafStats, Part } from '../../model.ts'
import { tableFolder } from '../../store/data-file-path.ts'
import { catalogColumns, isLeaf } from '../schema/catalog-columns.ts'
import type { TableIds } from '../schema/ensure-table.ts'
import { leavesOf } from '../schema/part-leaves.ts'
import { partitionValues } from '../schema/partition-values.ts'
import type { Cell, Session } from '../session/session.ts'
import type { Snapshot } from '../session/snapshot.ts'
import { widenTables } from '../stats/widen-stats.ts'

/** A part and its file id. */
export type AddedFile = { readonly id: number; readonly part: Part }

/** Adds parts as files of their tables in the given order, with statistics and partition values. */
export async function addFiles(
  session: Session,
  snapshot: Snapshot,
  tables: readonly Table[],
  known: ReadonlyMap<string, TableIds>,
  parts: readonly Part[],
): Promise<AddedFile[]> {
  if (parts.length === 0) return []
  const result: AddedFile[] = []
  const files: Cell[][] = []
  const stats: Cell[][] = []
  const partitions: Cell[][] = []
  const added = tables.flatMap((table) => {
    const { id, partitionId } = known.get(table.name) ?? { id: 0, partitionId: null }
    const own = parts.filter((part) => part.table === table.name)
    return own.length === 0
      ? []
      : [{ table, id, partitionId, parts: own, columns: catalogColumns(table).filter(isLeaf) }]
  })
  // Must run before the new files are in the catalog.
  const nextRowIds = await widenTables(session, added)
  for (const { table, id, partitionId, parts: own, columns } of added) {
    let rowId = nextRowIds.get(id) ?? 0
    for (const part of own) {
      const fileId = snapshot.nextFileId++
      files.push(fileRow(fileId, id, partitionId, snapshot.id, rowId, part))
      rowId += part.rows
      result.push({ id: fileId, part })
      for (const leaf of leavesOf(part, columns)) stats.push(statsRow(fileId, id, leaf))
      partitionValues(table, part.partition).forEach((value, position) => {
        partitions.push([fileId, id, position, value])
      })
    }
    snapshot.changes.push(`inserted_into_table:${id}`)
  }
  await session.append('main', 'ducklake_data_file', files)
  await session.append('main', 'ducklake_file_column_stats', stats)
  await session.append('main', 'ducklake_file_partition_value', partitions)
  return result
}

function fileRow(
  fileId: number,
  tableId: number,
  partitionId: number | null,
  snapshotId: number,
  rowId: number,
  part: Part,
): Cell[] {
  const { rows, bytes, footerBytes } = part
  const path = pathInTable(part)
  return [
    fileId,
    tableId,
    snapshotId,
    null,
    null,
    path,
    true,
    'parquet',
    rows,
    bytes,
    footerBytes,
    rowId,
    partitionId,
    null,
    null,
    null,
  ]
}

/** In this table, DuckLake counts values without nulls. */
function statsRow(fileId: number, tableId: number, leaf: LeafStats): Cell[] {
  const { fieldId, columnBytes, valueCount, nullCount, min, max } = leaf
  return [fileId, tableId, fieldId, columnBytes, valueCount - nullCount, nullCount, min, max, null, null]
}

function pathInTable(part: Part): string {
  const folder = tableFolder(part.table)
  if (part.path.startsWith(folder)) return part.path.slice(folder.length)
  throw new CatalogError('A new file is not in the folder of its table.', {
    code: 'catalog.part',
    details: { path: part.path, expected: `${folder}…` },
  })
}
