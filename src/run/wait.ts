import { setTimeout } from 'node:timers/promises'

/** Waits; ends at once, without an error, when `stop` is aborted. */
export async function waitUnlessStopped(milliseconds: number, stop: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal: stop }).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
}
