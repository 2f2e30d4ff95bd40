import type { CatalogFile, LakeSnapshot } from '../../model.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { KnownColumn } from '../schema/column-changes.ts'
import { type PartitionColumn, readPartitions, readTables } from '../schema/known-tables.ts'
import { partitionOf } from '../schema/partition-values.ts'
import type { Session } from '../session/session.ts'
import { isAt, latestSnapshot } from '../session/snapshot.ts'

export type CatalogTable = {
  readonly name: string
  /** In commit order. */
  readonly files: readonly CatalogFile[]
  /** All columns in the catalog. Nested columns follow their parents. */
  readonly columns: readonly KnownColumn[]
  /** The partitioning of its files. */
  readonly partition: readonly PartitionColumn[]
}

export type CatalogFiles = { readonly snapshot: LakeSnapshot; readonly tables: readonly CatalogTable[] }

/** The files of a snapshot (default: the latest), by table in the order in which the tables were created. */
export async function readFiles(session: Session, given?: LakeSnapshot): Promise<CatalogFiles> {
  const snapshot = given ?? (await latestSnapshot(session))
  const tables = await readTables(session, snapshot.snapshotId)
  const partitions = await readPartitions(session)
  const files = new Map([...tables.values()].map((table) => [table.id, [] as CatalogFile[]]))
  const [count] = await session.rows(
    'SELECT coalesce(max(partition_key_index) + 1, 0) AS n FROM main.ducklake_partition_column',
  )
  const values = Array.from({ length: count?.['n'] ?? 0 }, (_, position) => `p${position}`)
  const rows = await session.rows(filesSql(values, snapshot.snapshotId))
  for (const row of rows) {
    const partition = partitionOf(
      partitions.get(row['partition_id']) ?? [],
      values.map((name) => row[name]),
    )
    const path = inDataFolder(`${row['folder']}${row['path']}`)
    files.get(row['table_id'])?.push({
      id: row['data_file_id'],
      path,
      rows: row['record_count'],
      bytes: row['file_size_bytes'],
      partition,
    })
  }
  return {
    snapshot,
    tables: [...tables].map(([name, { id, columns, layout }]) => ({
      name,
      columns,
      partition: layout.partition,
      files: files.get(id) ?? [],
    })),
  }
}

/** Selects one column for each partition value. An ordered list of the values takes ten times as long. */
function filesSql(values: readonly string[], snapshotId: number): string {
  const sums = values.map(
    (name, position) => `, max(partition_value) FILTER (WHERE partition_key_index = ${position}) AS ${name}`,
  )
  // Replaced files stay in the catalog until they expire; there may be many more of them than visible files.
  const visible = isAt('d', snapshotId)
  return `SELECT d.data_file_id, d.table_id, d.partition_id, t.path AS folder, d.path, d.record_count, d.file_size_bytes${values.map((name) => `, p.${name}`).join('')}
    FROM main.ducklake_data_file d
    JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
    LEFT JOIN (SELECT data_file_id${sums.join('')} FROM main.ducklake_file_partition_value
      WHERE data_file_id IN (SELECT data_file_id FROM main.ducklake_data_file d WHERE ${visible}) GROUP BY data_file_id) p
      ON p.data_file_id = d.data_file_id
    WHERE ${visible} ORDER BY d.data_file_id`
}
