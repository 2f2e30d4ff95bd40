import { type CommittedUnit, commitUnit } from '../rows/commit-unit.ts'
import { removeParts } from '../rows/unit-writer.ts'
import type { RangeMember } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'
import type { UnitExecutor } from '../units/unit-executor.ts'
import { createUnitJoins } from '../units/unit-joins.ts'
import type { UnitChunk, UnitMessage } from '../units/unit-message.ts'
import { createCommitOrder } from './commit-order.ts'
import { committingRun } from './committing-run.ts'
import type { WalkProgress } from './walk-progress.ts'

/** A chunk that waits for its turn. */
type Waiting = {
  readonly unit: UnitMessage
  readonly chunk: UnitChunk
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Executes units and commits their chunks in the order of their slices. A chunk that is due is committed although earlier units are
 * incomplete, and at the end all chunks are committed. Missing slices are gaps, which the next run plans again. Throws the first failure.
 */
export async function commitChunks(
  member: RangeMember,
  units: Iterable<UnitMessage>,
  executor: UnitExecutor,
  run: RangeRun,
  progress: WalkProgress,
): Promise<void> {
  const order = createCommitOrder<Waiting>()
  const joins = createUnitJoins(member)
  const halt = new AbortController()
  const begun = new Map<number, UnitMessage>()
  let committing: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | null = null

  function* remembered() {
    let at = 0
    for (const unit of units) {
      begun.set(at++, unit)
      yield unit
    }
  }
  const commit = async ({ unit, chunk, resolve, reject }: Waiting): Promise<void> => {
    try {
      try {
        if (failure !== null) throw failure.error
        joins.add(chunk)
      } catch (error) {
        // No commit was attempted, so the files are removed.
        await removeParts(run.store, chunk.parts)
        throw error
      }
      await commitChunk(member, unit, chunk, run, progress)
      resolve()
    } catch (error) {
      failure ??= { error }
      halt.abort(error)
      reject(error)
    }
  }
  const commitAll = (chunks: readonly Waiting[]): void => {
    for (const waiting of chunks) committing = committing.then(() => commit(waiting))
  }

  const listener = {
    read: progress.read,
    chunk: (at: number, chunk: UnitChunk, isWhole: boolean) =>
      new Promise<void>((resolve, reject) => {
        order.add(at, { unit: begun.get(at)!, chunk, resolve, reject }, isWhole)
        if (isWhole) begun.delete(at)
        commitAll(chunk.isDue ? order.all() : order.due())
      }),
  }
  try {
    await executor.execute(remembered(), listener, AbortSignal.any([run.stop, halt.signal]))
  } finally {
    commitAll(order.all())
    await committing
  }
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}

async function commitChunk(
  member: RangeMember,
  { stream, tables }: UnitMessage,
  chunk: UnitChunk,
  run: RangeRun,
  progress: WalkProgress,
): Promise<void> {
  const { slice, ends, blockEnds } = chunk
  const paths = member.walk.overlapping
  const streamPart = { stream, progress: { kind: 'slice', slice, ends, blockEnds }, owner: 0 } as const
  await commitUnit(
    committingRun(run, member, progress, slice.to - slice.from),
    tables,
    writtenUnit(chunk),
    [streamPart],
    paths === undefined ? undefined : { paths, seen: [] },
  )
}

/** A chunk as a unit to commit. */
function writtenUnit(chunk: UnitChunk): CommittedUnit {
  return {
    finish: async () => chunk.parts,
    rows: () => chunk.rows,
    basis: () => null,
    written: () => new Map(),
    keys: () => new Map(),
  }
}
