import { errorParts } from '../job/error-parts.ts'
import type { RangeReading } from '../units/range-plan.ts'
import { type ReadingRun, readUnits } from '../units/read-units.ts'
import type { UnitMessage } from '../units/unit-message.ts'
import type { WritingRun } from '../units/unit-rows.ts'
import { writingPieces } from '../units/write-pieces.ts'
import type { FromUnitThread } from './thread-messages.ts'
import { createUnitQueue } from './unit-queue.ts'

/** The part of a walk that one thread has. */
export type ThreadWalk = {
  readonly add: (at: number, unit: UnitMessage) => void
  /** Nothing more is added. */
  readonly end: () => void
  /** Ends as soon as it can, with what it has. */
  readonly stop: () => void
}

/** What does not differ from unit to unit. */
type ThreadRun = Omit<ReadingRun, 'stop' | 'pipeline'> &
  Omit<WritingRun, 'runId'> & {
    readonly open: (unit: UnitMessage) => Promise<RangeReading>
    readonly tell: (message: FromUnitThread) => void
  }

/** Reads units as they come, and tells when it is over. */
export function beginThreadWalk({ open, tell, ...shared }: ThreadRun): ThreadWalk {
  const stopping = new AbortController()
  const queue = createUnitQueue<RangeReading>(stopping.signal)
  const numbers = new Map<RangeReading, number>()
  let reading: Promise<void> | null = null
  let opening: Promise<void> = Promise.resolve()
  let failure: unknown = null

  const fail = (error: unknown): void => {
    failure ??= error
    stopping.abort(new Error('A unit of the thread failed.'))
  }
  const read = ({ job, runId }: UnitMessage): Promise<void> => {
    const run = { ...shared, runId, pipeline: job.pipeline, stop: stopping.signal }
    const sink = writingPieces(run, {
      read: (progress) => tell({ kind: 'read', progress }),
      async piece({ shares: [{ reading: whole }] }, piece) {
        tell({ kind: 'piece', at: numbers.get(whole)!, piece, isWhole: piece.slice.to === whole.read.to })
      },
    })
    return readUnits(queue, run, sink)
  }
  let isOver = false
  /** Told once: the next walk of the thread has its own end. */
  const over = (): void => {
    if (!isOver) tell({ kind: 'ended', error: failure === null ? null : errorParts(failure) })
    isOver = true
  }

  return {
    add(at, unit) {
      if (reading === null) {
        reading = read(unit).catch(fail)
        void reading.then(over)
      }
      opening = opening
        .then(async () => {
          const opened = await open(unit)
          numbers.set(opened, at)
          queue.add(opened)
        })
        .catch(fail)
    },
    end() {
      if (reading === null) over()
      else void opening.then(queue.end)
    },
    stop() {
      if (reading === null) over()
      else stopping.abort(new Error('The thread was told to stop.'))
    },
  }
}
