import { tables as declaredTables } from '../../../schemas/index.ts'
import type { StreamDeclaration, Table } from '../../define/index.ts'
import { ChainlakeError, VerifyError } from '../../errors.ts'
import { openSorter } from '../../lookup/sorted-rows.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { fanOut, lastLevel, mergesInLevels } from './compact-plan.ts'
import { compactTables } from './compact-tables.ts'
import { trailingIn } from './compact-tail.ts'
import { usualTrailing } from './usual-trailing.ts'

/** Merges the small files of a run while it follows the chain. */
export type Compactor = {
  /** Called after each commit. */
  readonly afterCommit: () => void
  /** Merges files after enough commits. A failure is reported as a warning, and the merge is retried later. */
  readonly afterRound: () => Promise<void>
  /** Merges files at the end, if there was any commit. */
  readonly atEnd: () => Promise<void>
}

type CompactorOptions = Pick<LakeRun, 'catalog' | 'store' | 'thread' | 'runId' | 'nextPart' | 'stop' | 'emit'> & {
  readonly lakeDir: string
  /** Names of the tables that the run writes. */
  readonly writes: readonly string[]
  readonly declared: readonly StreamDeclaration[]
}

/** A level is full after twice as many commits. */
const commitsBetween = fanOut / 2

export function createCompactor(options: CompactorOptions): Compactor {
  const { lakeDir, store, runId, stop, emit } = options
  const sorter = openSorter(lakeDir, runId, store)
  /** Tables that have damaged files. */
  const skipped = new Set<string>()
  let commits = 0

  const compactTable = async (table: Table): Promise<void> => {
    try {
      await compactTables({
        run: { ...options, sorter },
        tables: [table],
        upTo: lastLevel - 1,
        plan: mergesInLevels,
        trailingOf: trailingIn(options.declared, usualTrailing),
        merged: ({ before, parts, snapshotId }) =>
          emit({ kind: 'merged', table: table.name, files: before, into: parts.length, snapshotId }),
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
      await sorter.close()
    }
  }
  const compact = async (): Promise<void> => {
    commits = 0
    for (const table of declaredTables.filter(({ name }) => options.writes.includes(name) && !skipped.has(name))) {
      if (stop.aborted) return
      await compactTable(table)
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
