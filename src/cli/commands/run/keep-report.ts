import { abortLater } from '../../../lib/abort-later.ts'
import type { RunEvent } from '../../../run/job/events.ts'

/** A report about the lake that is rewritten after each publication. */
export type KeptReport = {
  readonly onEvent: (event: RunEvent) => void
  /** Writes the report a last time, after all runs have ended. Throws what `write` throws. */
  readonly end: () => Promise<void>
}

type ReportKeeping = {
  /** Makes the report and replaces the file. */
  readonly write: (stop: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
  /** Called when a report could not be made during the run; the next publication tries again. */
  readonly failed: (error: unknown) => void
}

/** Time for the report after a stop: most of the 10 seconds that a stop may take. */
const graceMs = 9_000

/** Makes one report at a time; publications in the meantime are in the next one. */
export function keepReport({ write, stop, failed }: ReportKeeping): KeptReport {
  const limit = abortLater(stop, graceMs)
  let making: Promise<void> | null = null
  let isBehind = false
  const make = async (): Promise<void> => {
    while (isBehind) {
      isBehind = false
      await write(limit).catch(failed)
    }
    making = null
  }
  return {
    onEvent: ({ kind }) => {
      if (kind !== 'published') return
      isBehind = true
      making ??= make()
    },
    end: async () => {
      isBehind = false
      await making
      await write(limit).catch((error: unknown) => {
        // The previous report stays; it is complete.
        if (!limit.aborted) throw error
        failed(error)
      })
    },
  }
}
