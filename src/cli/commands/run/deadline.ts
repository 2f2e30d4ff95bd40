/** The time at which a command must have ended. */
export type Deadline = {
  /** Aborted early enough to commit and publish finished units before the deadline. */
  readonly signal: AbortSignal
  /** Cancels the timer, so that the process can end earlier. */
  readonly end: () => void
}

/** Time reserved for stopping: 10 seconds, or a quarter of a shorter deadline. */
const mostStopMs = 10_000

/** Creates the deadline; with null it is never reached. */
export function createDeadline(milliseconds: number | null): Deadline {
  const controller = new AbortController()
  if (milliseconds === null) return { signal: controller.signal, end: () => undefined }
  const leftMs = milliseconds - Math.min(mostStopMs, milliseconds / 4)
  const timer = setTimeout(() => controller.abort(new Error('The deadline (--deadline) is reached.')), leftMs)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}
