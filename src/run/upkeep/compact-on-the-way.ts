import { tables as declaredTables } from '../../../schemas/index.ts'
import type { StreamDeclaration } from '../../define/index.ts'
import { ChainlakeError, VerifyError } from '../../errors.ts'
import { openSorter } from '../../lookup/sorted-rows.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { fanOut, lastLevel, mergesInLevels } from './compact-plan.ts'
import { compactTables } from './compact-tables.ts'
import { trailingIn } from './compact-tail.ts'
import { usualTrailing } from './usual-trailing.ts'

/** Merges what a run leaves in small files, while it goes on. */
export type Compactor = {
  /** Told of each commit. */
  readonly afterCommit: () => void
  /** Merges what is due after so many commits that it may be; what fails is told and tried again later. */
  readonly afterRound: () => Promise<void>
  /** The same at the end, after any commit. */
  readonly atEnd: () => Promise<void>
}

type CompactorOptions = Pick<LakeRun, 'catalog' | 'store' | 'thread' | 'runId' | 'nextPart' | 'stop' | 'emit'> & {
  readonly lakeDir: string
  /** Names of the tables that the run writes. */
  readonly writes: readonly string[]
  readonly declared: readonly StreamDeclaration[]
}

/** A level has room for twice as many commits before it is full. */
const commitsBetween = fanOut / 2

export function createCompactor(options: CompactorOptions): Compactor {
  const { lakeDir, store, runId, stop, emit } = options
  const sorter = openSorter(lakeDir, runId, store)
  const given = new Set<string>()
  let commits = 0

  const compact = async (): Promise<void> => {
    commits = 0
    for (const table of declaredTables.filter(({ name }) => options.writes.includes(name) && !given.has(name))) {
      if (stop.aborted) return
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
        // A run does not fall with what only makes it tidier. Files that are damaged stay so.
        if (error instanceof VerifyError) given.add(table.name)
        emit({
          kind: 'warning',
          message: `The small files of ${table.name} were not merged: ${error.message}`,
          details: error.details,
        })
      } finally {
        await sorter.close()
      }
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
