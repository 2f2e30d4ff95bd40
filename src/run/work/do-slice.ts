import type { Also } from '../../catalog/catalog.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import type { Part, Slice } from '../../model.ts'
import { countOf } from '../../plan/intervals.ts'
import { isStop } from '../early-end.ts'
import type { JobResult } from '../job-result.ts'
import { type LakeRun, tableResult } from '../lake-run.ts'
import { withBlockEnds } from '../range/known-block-ends.ts'
import { coveredOf, planRange, type RangeMember, tableNames } from '../range/range-plan.ts'
import type { RangeRun } from '../range/range-run.ts'
import type { UnitThreads } from '../range/unit-threads.ts'
import { walkUnits } from '../range/walk-units.ts'
import type { Task } from './task.ts'

/** A slice of a stream, and who says in the transactions of its commits what became of it. */
export type SliceWork = {
  readonly task: Task
  readonly slice: Slice
  readonly member: RangeMember
  /** What is part of a commit after which the slice is whole, or not yet; of a commit that makes it whole, with what was done. */
  readonly also: { readonly goingOn: Also; readonly whole: (result: JobResult) => Also }
  /** Sets what is part of the next commit. */
  readonly within: (also: Also) => void
}

export type SliceResult = { readonly result: JobResult; readonly isCommitted: boolean }

/** A worker is one of many: it does a slice in one thread. */
const noThreads: UnitThreads = {
  threadsFor: () => 1,
  executor: () => {
    throw new RangeError('A worker has no threads of its own.')
  },
  close: async () => undefined,
}

/**
 * Does what the lake lacks of a slice by now. With its last commit the task is done: `isCommitted` says that there was one. Told to stop,
 * it commits a prefix.
 */
export async function doSlice(
  { task, slice, member: open, also, within }: SliceWork,
  run: LakeRun & { readonly lookup: Lookup },
): Promise<SliceResult> {
  const startedMs = performance.now()
  const { from, to } = slice
  const { catalog, stop } = run
  const member: RangeMember = { ...open, walk: { ...open.walk, from, to } }
  const covered = (await coveredOf(catalog, [member]))(member)
  const own = await withBlockEnds(member, covered.own, run)
  const plan = await planRange(member, { ...covered, own }, to - 1, { signal: stop })
  const total = countOf(plan.plan.lacks.map((lack) => lack.slice))
  const parts: Part[] = []
  let done = 0
  let units = 0
  const result = (): JobResult => ({
    kind: 'containers',
    name: task.job,
    pipeline: task.message.pipeline,
    streams: 1,
    record: member.walk.record,
    stream: member.stream.path,
    head: to - 1,
    containers: done,
    units,
    pages: 0,
    tables: tableNames(member).map((name) => tableResult(name, parts)),
    seconds: (performance.now() - startedMs) / 1000,
    upToDate: done === 0,
    postponed: null,
    interrupted: stop.aborted,
  })
  if (total === 0) return { result: result(), isCommitted: false }
  const ranges: RangeRun = {
    ...run,
    catalog: {
      ...catalog,
      commit: (commit) => {
        const { progress } = commit
        const length = progress.kind === 'slice' ? progress.slice.to - progress.slice.from : 0
        parts.push(...commit.parts)
        done += length
        units++
        within(done === total ? also.whole(result()) : also.goingOn)
        return catalog.commit(commit)
      },
    },
    job: task.job,
    pipeline: task.message.pipeline,
    message: task.message,
    unitThreads: noThreads,
    atHead: () => undefined,
    committed: () => undefined,
  }
  try {
    await walkUnits([plan], total, ranges)
  } catch (error) {
    if (!isStop(error, stop)) throw error
  }
  return { result: result(), isCommitted: done === total }
}
