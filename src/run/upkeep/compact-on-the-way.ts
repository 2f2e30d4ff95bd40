import type { StreamFacts } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { ChainlakeError, VerifyError } from '../../errors.ts'
import { openCopier } from '../../lookup/copy-files.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { fanOut, lastLevel, mergesInLevels } from './compact-plan.ts'
import { compactTables } from './compact-tables.ts'
import { trailingIn } from './compact-tail.ts'

/** Merges the small files of a run while it follows the chain. */
export type Compactor = {
  /** Called after each commit. */
  readonly afterCommit: () => void
  /** Merges files after enough commits. A failure is reported as a warning, and the merge is retried later. */
  readonly afterRound: () => Promise<void>
  /** Merges files at the end, if there was any commit. */
  readonly atEnd: () => Promise<void>
}

type CompactorOptions = Pick<LakeRun, 'catalog' | 'store' | 'runId' | 'nextPart' | 'stop' | 'emit'> & {
  readonly lakeDir: string
  /** Names of the tables that the run writes. */
  readonly writes: readonly string[]
}

/** A level is full after twice as many commits. */
const commitsBetween = fanOut / 2

export function createCompactor(options: CompactorOptions): Compactor {
  const { lakeDir, store, runId, stop, emit } = options
  const copier = openCopier(lakeDir, runId, store)
  /** Tables that have damaged files. */
  const skipped = new Set<string>()
  let commits = 0

  const compactTable = async (table: Table, streams: ReadonlyMap<string, StreamFacts>): Promise<void> => {
    try {
      await compactTables({
        run: { ...options, copier },
        tables: [table],
        upTo: lastLevel - 1,
        plan: mergesInLevels,
        trailingOf: trailingIn(streams),
        merged: ({ before, snapshotId }) =>
          emit({ kind: 'merged', table: table.name, files: before, into: 1, snapshotId }),
      })
    } catch (error) {
      if (stop.aborted || !(error instanceof ChainlakeError)) throw error
      // A run must not fail because of maintenance. Damaged files are not tried again.
      if (error instanceof VerifyError) skipped.add(table.name)
      emit({
        kind: 'warning',
        message: `The small files of ${table.name} were not merged: ${error.message}`,
        details: error.details,
      })
    } finally {
      await copier.close()
    }
  }
  const compact = async (): Promise<void> => {
    commits = 0
    const { catalog, writes } = options
    const streams = await catalog.streams()
    for (const table of await catalog.tables()) {
      if (stop.aborted) return
      if (writes.includes(table.name) && !skipped.has(table.name)) await compactTable(table, streams)
    }
  }
  return {
    afterCommit: () => {
      commits++
    },
    afterRound: async () => {
      if (commits >= commitsBetween) await compact()
    },
    atEnd: async () => {
      if (commits > 0 && !stop.aborted) await compact()
    },
  }
}
