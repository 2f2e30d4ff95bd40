import { pause } from '../../lib/pause.ts'

/** Waits. Returns at once, without an error, when `stop` is aborted. */
export async function waitUnlessStopped(milliseconds: number, stop: AbortSignal): Promise<void> {
  await pause(milliseconds, stop).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
}
