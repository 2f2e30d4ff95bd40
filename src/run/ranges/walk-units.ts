import { unitsHere } from '../executors/units-here.ts'
import type { RangePlan, RangeReading } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'
import { readUnits } from '../units/read-units.ts'
import type { UnitMessage } from '../units/unit-message.ts'
import { commitChunks } from './commit-chunks.ts'
import { committing } from './commit-reading.ts'
import { interleavedReadings } from './interleaved-readings.ts'
import { storedReadings } from './stored-readings.ts'
import { createWalkProgress } from './walk-progress.ts'

/** Executes plans: plain units as messages, in this thread or in worker threads; other units in this thread, which can query the lake. */
export async function walkUnits(plans: readonly RangePlan[], total: number, run: RangeRun): Promise<void> {
  const progress = createWalkProgress(total, run)
  const [first, ...others] = plans
  if (first?.isPlain === true && others.length === 0) {
    const { member, threads } = first
    const executor = threads > 1 ? run.unitThreads.executor(threads) : unitsHere(member, run)
    await commitChunks(member, messagesOf(first, run), executor, run, progress)
    return
  }
  const readings = await storedReadings(plans, run)
  const isShared = first?.member.source.shared !== undefined
  await readUnits(isShared ? interleavedReadings(readings) : readings, run, committing(run, progress))
}

/** The units of a plan as messages, created on demand. */
function* messagesOf(plan: RangePlan, { message: job, runId }: RangeRun): Generator<UnitMessage, void, undefined> {
  for (const reading of plan.readings()) yield messageOf(reading, { job, runId })
}

export function messageOf(
  { unit, followsUnit }: RangeReading,
  shared: Pick<UnitMessage, 'job' | 'runId'>,
): UnitMessage {
  const { stream, slice, tables } = unit
  return { ...shared, stream, slice, tables, followsUnit }
}
