import type { Catalog } from '../../catalog/catalog.ts'
import type { SmallFile } from '../../catalog/files/small-files.ts'
import type { Table } from '../../define/index.ts'
import { type CompactingRun, isOvertaken, type Merged, mergeFiles } from './compact-files.ts'
import { lastLevel, leadingColumn, type Merge, smallBytes, timeColumn } from './compact-plan.ts'
import { type TrailingOf, withoutTails } from './compact-tail.ts'

/** Which files of a table are merged. */
export type PlanMerges = (table: Table, files: readonly SmallFile[], snapshotId: number) => Merge[]

export type CompactOptions = {
  readonly run: CompactingRun
  readonly tables: readonly Table[]
  /** Files that were merged more often are not looked at. */
  readonly upTo?: number
  readonly plan: PlanMerges
  readonly trailingOf: TrailingOf
  readonly merged: (merged: Merged) => void
}

/** How often in a row the files of a table are looked at again since others were faster. */
const mostCollisions = 20

/** Merges small files, table by table. Where another process has replaced or removed a file of the plan, it plans again. */
export async function compactTables(options: CompactOptions): Promise<void> {
  for (const table of options.tables) {
    for (let collisions = 0; ; ) {
      const found = await smallFilesOf(options, table)
      const merges = options.plan(table, withoutTails(table, found, options.trailingOf), found.snapshotId)
      try {
        for (const merge of merges) {
          options.run.stop.throwIfAborted()
          options.merged(await mergeFiles(options.run, merge))
          collisions = 0
        }
        break
      } catch (error) {
        if (!isOvertaken(error) || ++collisions >= mostCollisions) throw error
      }
    }
  }
}

function smallFilesOf(
  { run, upTo = lastLevel }: CompactOptions,
  table: Table,
): ReturnType<Catalog['compaction']['smallFiles']> {
  const columns = [leadingColumn(table), timeColumn(table)].filter((name) => name !== null)
  return run.catalog.compaction.smallFiles({ table: table.name, below: smallBytes, upTo, columns })
}
