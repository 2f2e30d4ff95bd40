/** When a command has to be at its end. */
export type Deadline = {
  /** Aborted early enough for what is whole to be committed and shown. */
  readonly signal: AbortSignal
  /** Lets the process end before it. */
  readonly end: () => void
}

/** What a stop takes at most: ten seconds, of a short time a quarter. */
const mostStopMs = 10_000

/** Null: there is none. */
export function createDeadline(milliseconds: number | null): Deadline {
  const controller = new AbortController()
  if (milliseconds === null) return { signal: controller.signal, end: () => undefined }
  const leftMs = milliseconds - Math.min(mostStopMs, milliseconds / 4)
  const timer = setTimeout(() => controller.abort(new Error('The time of --deadline is over.')), leftMs)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}
