import type { Catalog } from '../../catalog/catalog.ts'
import type { SmallFile } from '../../catalog/files/small-files.ts'
import type { Table } from '../../define/index.ts'
import { type CompactingRun, isOvertaken, type Merged, mergeFiles } from './compact-files.ts'
import { lastLevel, leadingColumn, type Merge, smallBytes, timeColumn } from './compact-plan.ts'
import { type TrailingOf, withoutTails } from './compact-tail.ts'

/** Chooses the files of a table to merge. */
type PlanMerges = (table: Table, files: readonly SmallFile[], snapshotId: number) => Merge[]

type CompactOptions = {
  readonly run: CompactingRun
  readonly tables: readonly Table[]
  /** Files of higher levels are ignored. */
  readonly upTo?: number
  readonly plan: PlanMerges
  readonly trailingOf: TrailingOf
  readonly merged: (merged: Merged) => void
}

/** Maximum number of consecutive new plans for a table because other processes were faster. */
const mostCollisions = 20

/** Merges small files, table by table. Plans again when another process has replaced or removed a file of the plan. */
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
