import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import { errorParts } from '../job/error-parts.ts'
import type { RangeReading } from '../units/range-plan.ts'
import { type ReadingRun, readUnits } from '../units/read-units.ts'
import type { UnitMessage } from '../units/unit-message.ts'
import type { WritingRun } from '../units/unit-rows.ts'
import { writingChunks } from '../units/write-chunks.ts'
import type { FromUnitThread } from './thread-messages.ts'
import { createUnitQueue } from './unit-queue.ts'

/** The part of a walk that runs in one thread. */
export type ThreadWalk = {
  readonly add: (at: number, unit: UnitMessage) => void
  /** No more units will be added. */
  readonly end: () => void
  /** Ends as soon as possible and keeps the complete prefix of the current unit. */
  readonly stop: () => void
}

/** What all units of the walk share. */
type ThreadRun = Omit<ReadingRun, 'stop' | keyof PipelineName> &
  Omit<WritingRun, 'runId'> & {
    readonly open: (unit: UnitMessage) => Promise<RangeReading>
    readonly send: (message: FromUnitThread) => void
  }

/** Reads units as they arrive and sends a message when the walk has ended. */
export function beginThreadWalk({ open, send, ...shared }: ThreadRun): ThreadWalk {
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
    const run = { ...shared, runId, pipeline: job.pipeline, module: job.module, stop: stopping.signal }
    const sink = writingChunks(run, {
      read: (progress) => send({ kind: 'read', progress }),
      async chunk({ streamParts: [{ reading: whole }] }, chunk) {
        send({ kind: 'chunk', at: numbers.get(whole)!, chunk, isWhole: chunk.slice.to === whole.read.to })
      },
    })
    return readUnits(queue, run, sink)
  }
  let hasEnded = false
  /** Sends the end once: the next walk of the thread sends its own. */
  const sendEnd = (): void => {
    if (!hasEnded) send({ kind: 'ended', error: failure === null ? null : errorParts(failure) })
    hasEnded = true
  }

  return {
    add(at, unit) {
      if (reading === null) {
        reading = read(unit).catch(fail)
        void reading.then(sendEnd)
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
      if (reading === null) sendEnd()
      else void opening.then(queue.end)
    },
    stop() {
      if (reading === null) sendEnd()
      else stopping.abort(new Error('The thread received a stop message.'))
    },
  }
}
