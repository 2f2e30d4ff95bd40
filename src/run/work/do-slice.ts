import type { Commit, InSameTransaction } from '../../catalog/catalog.ts'
import type { Pipeline } from '../../define/index.ts'
import type { Slice } from '../../model.ts'
import { countOf } from '../../plan/intervals.ts'
import { isStop } from '../job/early-end.ts'
import { fencedCatalog } from '../jobs/fenced-catalog.ts'
import { withBlockEnds } from '../ranges/known-block-ends.ts'
import { walkUnits } from '../ranges/walk-units.ts'
import { type JobResult, jobResult } from '../rows/job-result.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { createUnknownFields } from '../rows/unknown-fields.ts'
import { coveredOf, planRange, type RangeMember, tableNames } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'
import type { UnitThreads } from '../units/unit-executor.ts'
import type { Task } from './task.ts'

/** A slice of a stream, with the parts of the transactions of its commits. */
type SliceWork = {
  readonly task: Task
  readonly slice: Slice
  readonly member: RangeMember
  /** The pipeline of the task, as this worker knows it. */
  readonly pipeline: Pipeline
  /** Part of a commit that does not complete the slice. */
  readonly partial: InSameTransaction
  /** Part of the commit that completes the slice. */
  readonly whole: (result: JobResult) => InSameTransaction
}

export type SliceResult = { readonly result: JobResult; readonly isCommitted: boolean }

/** A worker reads a slice in one thread, because there are many workers. */
const noThreads: UnitThreads = {
  threadsFor: () => 1,
  executor: () => {
    throw new RangeError('A worker has no threads of its own.')
  },
  close: async () => undefined,
}

/**
 * Reads the parts of a slice that the lake is missing. The last commit also completes the task; then `isCommitted` is true. After a stop
 * the complete prefix is committed.
 */
export async function doSlice(
  { task, slice, member: open, pipeline: { name: pipeline, module }, partial, whole }: SliceWork,
  run: LakeRun,
): Promise<SliceResult> {
  const startedMs = performance.now()
  const { from, to } = slice
  const { catalog, stop } = run
  const member: RangeMember = { ...open, walk: { ...open.walk, from, to } }
  const covered = (await coveredOf(catalog, [member]))(member)
  const own = await withBlockEnds(member, covered.own, run)
  const plan = await planRange(member, { ...covered, own }, to - 1, { signal: stop })
  const total = countOf(plan.plan.missing.map((part) => part.slice))
  const committed: Commit[] = []
  const outline = {
    name: task.job,
    pipeline,
    streams: 1,
    tables: tableNames(member),
    range: { record: member.walk.record, stream: member.stream.path },
  }
  const result = (commits: readonly Commit[] = committed): JobResult =>
    jobResult(outline, {
      head: to - 1,
      records: lengthOf(commits),
      units: commits.length,
      parts: commits.flatMap(({ parts }) => parts),
      seconds: (performance.now() - startedMs) / 1000,
      upToDate: commits.length === 0,
      interrupted: stop.aborted,
    })
  if (total === 0) return { result: result(), isCommitted: false }
  const fenced = fencedCatalog(catalog, (commit) => {
    if (commit === null) throw new RangeError('A slice is committed as slices.')
    const all = [...committed, commit]
    return lengthOf(all) === total ? whole(result(all)) : partial
  })
  const unknown = createUnknownFields(task.job)
  const ranges: RangeRun = {
    ...run,
    catalog: {
      ...fenced,
      commit: async (commit) => {
        const snapshotId = await fenced.commit(commit)
        committed.push(commit)
        return snapshotId
      },
    },
    job: task.job,
    pipeline,
    module,
    message: { ...task.message, module },
    unitThreads: noThreads,
    atHead: () => undefined,
    continues: () => undefined,
    committed: () => undefined,
    unknownFields: unknown.add,
  }
  try {
    await walkUnits([plan], total, ranges)
  } catch (error) {
    if (!isStop(error, stop)) throw error
  } finally {
    unknown.warn(run.emit)
  }
  return { result: result(), isCommitted: lengthOf(committed) === total }
}

/** The length of the committed part of the slice. */
function lengthOf(commits: readonly Commit[]): number {
  return commits.reduce((sum, { progress }) => {
    if (progress.kind !== 'slice') throw new RangeError('A slice is committed as slices.')
    return sum + progress.slice.to - progress.slice.from
  }, 0)
}
