import { abortLater } from '../../../lib/abort-later.ts'
import type { RunEvent } from '../../../run/job/events.ts'

/** A page about the lake that is made anew with each publication. */
export type KeptReport = {
  readonly hear: (event: RunEvent) => void
  /** Makes it a last time, as the lake is when all runs have ended. Throws what the making throws. */
  readonly end: () => Promise<void>
}

export type ReportKeeping = {
  /** Makes the page and puts it in place. */
  readonly write: (stop: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
  /** Told of a page that could not be made while the run goes on: the next publication makes another. */
  readonly failed: (error: unknown) => void
}

/** What is left of the ten seconds of a stop when all is committed and published. */
const graceMs = 9_000

/** One page at a time; publications while it is made are in the next one. */
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
    hear: ({ kind }) => {
      if (kind !== 'published') return
      isBehind = true
      making ??= make()
    },
    end: async () => {
      isBehind = false
      await making
      await write(limit).catch((error: unknown) => {
        // The page of before stays: it is whole.
        if (!limit.aborted) throw error
        failed(error)
      })
    },
  }
}
