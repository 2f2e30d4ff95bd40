import { dirname } from 'node:path/posix'
import type { RunEvent } from '../../../run/job/events.ts'

/** What changed in the lake, for those who go on from there. */
export type ChangeReport = {
  /** Of this shape; another shape has another name. */
  readonly schema: 'chainlake.changes.v1'
  readonly lake: string
  readonly endedAt: string
  /** What the command ended with. What is listed is committed, whatever it is. */
  readonly exitCode: number
  /** The last snapshot that was committed; null: nothing changed. */
  readonly snapshot: number | null
  readonly tables: readonly TableChange[]
}

export type TableChange = {
  readonly table: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
  /** Folders below that of the table that got rows, such as `network=mainnet/month=2026-11`. */
  readonly partitions: readonly { readonly partition: string; readonly rows: number }[]
}

type Counted = { rows: number; files: number; bytes: number; readonly partitions: Map<string, number> }

/** Listens to runs and says what they changed, also what they committed before they failed. */
export function createChanges() {
  const tables = new Map<string, Counted>()
  let snapshot: number | null = null
  return {
    hear: (event: RunEvent): void => {
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
