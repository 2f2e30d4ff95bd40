import type { Table } from '../define/index.ts'
import type { CatalogColumn } from './catalog-columns.ts'
import { readTables } from './ensure-table.ts'
import { partitionOf } from './partition-values.ts'
import { dataFolder } from './paths.ts'
import type { Session } from './session.ts'
import { latestSnapshotId } from './snapshot.ts'

export type CatalogFile = {
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  /** One value for each key of the table's `partitionBy`, as in `Part`. */
  readonly partition: readonly (string | null)[]
}

export type CatalogTable = {
  readonly name: string
  /** In the order in which they were committed. */
  readonly files: readonly CatalogFile[]
  /** Every column as the catalog states it, nested ones behind their parents. */
  readonly columns: readonly Omit<CatalogColumn, 'comment'>[]
}

export type CatalogFiles = { readonly snapshotId: number; readonly tables: readonly CatalogTable[] }

/** The visible files of the latest snapshot, by table in the order in which the tables were made. */
export async function readFiles(session: Session, declared: readonly Table[]): Promise<CatalogFiles> {
  const tables = await readTables(session)
  const keys = new Map(declared.map((table) => [table.name, table.partitionBy]))
  const files = new Map([...tables.values()].map((table) => [table.id, [] as CatalogFile[]]))
  const names = new Map([...tables].map(([name, { id }]) => [id, name]))
  const rows = await session.rows(
    `SELECT d.table_id, t.path || d.path AS path, d.record_count, d.file_size_bytes, p.partition
     FROM main.ducklake_data_file d
     JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     LEFT JOIN (SELECT data_file_id, list(partition_value ORDER BY partition_key_index) AS partition
       FROM main.ducklake_file_partition_value GROUP BY data_file_id) p ON p.data_file_id = d.data_file_id
     WHERE d.end_snapshot IS NULL ORDER BY d.data_file_id`,
  )
  for (const row of rows)
    files.get(row['table_id'])?.push({
      path: `${dataFolder}/${row['path']}`,
      rows: row['record_count'],
      bytes: row['file_size_bytes'],
      partition: partitionOf(keys.get(names.get(row['table_id']) ?? '') ?? [], row['partition'] ?? []),
    })
  return {
    snapshotId: await latestSnapshotId(session),
    tables: [...tables].map(([name, { id, columns }]) => ({ name, columns, files: files.get(id) ?? [] })),
  }
}
