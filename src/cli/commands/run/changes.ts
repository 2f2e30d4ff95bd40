import { dirname } from 'node:path/posix'
import type { RunEvent } from '../../../run/job/events.ts'

/** What a run changed in the lake, for downstream jobs. */
type ChangeReport = {
  /** The name of this format; another format gets another name. */
  readonly schema: 'chainlake.changes.v1'
  readonly lake: string
  readonly endedAt: string
  /** The exit code of the command. The listed changes are committed even when it is not 0. */
  readonly exitCode: number
  /** The last committed snapshot; null: nothing changed. */
  readonly snapshot: number | null
  readonly tables: readonly TableChange[]
}

type TableChange = {
  readonly table: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
  /** Partitions of the table with new rows, such as `network=mainnet/month=2026-11`. */
  readonly partitions: readonly { readonly partition: string; readonly rows: number }[]
}

type Counted = { rows: number; files: number; bytes: number; readonly partitions: Map<string, number> }

/** Sums the commits of runs, including commits before a failure. */
export function createChanges() {
  const tables = new Map<string, Counted>()
  let snapshot: number | null = null
  return {
    onEvent: (event: RunEvent): void => {
      if (event.kind !== 'stored') return
      snapshot = event.snapshotId
      for (const { table, path, rows, bytes } of event.parts) {
        const counted = tables.get(table) ?? { rows: 0, files: 0, bytes: 0, partitions: new Map() }
        tables.set(table, counted)
        counted.rows += rows
        counted.files += 1
        counted.bytes += bytes
        const partition = partitionOf(path)
        counted.partitions.set(partition, (counted.partitions.get(partition) ?? 0) + rows)
      }
    },
    report: (lake: string, exitCode: number): ChangeReport => ({
      schema: 'chainlake.changes.v1',
      lake,
      endedAt: new Date().toISOString(),
      exitCode,
      snapshot,
      tables: [...tables].sort().map(([table, { partitions, ...counts }]) => ({
        table,
        ...counts,
        partitions: [...partitions].sort().map(([partition, rows]) => ({ partition, rows })),
      })),
    }),
  }
}

/** `network=mainnet/month=2026-11` of `data/p_blocks/network=mainnet/month=2026-11/000.parquet`. */
function partitionOf(path: string): string {
  return dirname(path).split('/').slice(2).join('/')
}
