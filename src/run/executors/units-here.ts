import type { RangeMember, RangeReading } from '../units/range-plan.ts'
import { type ReadingRun, readUnits } from '../units/read-units.ts'
import type { UnitExecutor } from '../units/unit-executor.ts'
import type { UnitMessage } from '../units/unit-message.ts'
import type { WritingRun } from '../units/unit-rows.ts'
import { writingChunks } from '../units/write-chunks.ts'

/** Processes units in this thread, one after another, with the streams that the walk has already opened. */
export function unitsHere(member: RangeMember, run: Omit<ReadingRun, 'stop'> & WritingRun): UnitExecutor {
  return {
    execute(units, listener, stop) {
      const numbers = new Map<RangeReading, number>()
      function* readings() {
        let at = 0
        for (const unit of units) {
          const reading = readingOf(unit, member)
          numbers.set(reading, at++)
          yield reading
        }
      }
      const sink = writingChunks(run, {
        read: listener.read,
        async chunk({ streamParts: [{ reading }] }, chunk) {
          const isWhole = chunk.slice.to === reading.read.to
          const at = numbers.get(reading)!
          if (isWhole) numbers.delete(reading)
          await listener.chunk(at, chunk, isWhole)
        },
      })
      return readUnits(readings(), { ...run, stop }, sink)
    },
  }
}

/** The reading that a unit message describes. */
export function readingOf({ stream, slice, tables, followsUnit }: UnitMessage, member: RangeMember): RangeReading {
  return { member, source: member.source, unit: { stream, slice, tables }, read: slice, overlapping: [], followsUnit }
}
