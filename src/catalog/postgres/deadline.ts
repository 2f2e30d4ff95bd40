/** The last time (`performance.now()`) that the server failed to answer; null once it answers again. */
export type Silence = { atMs: number | null }

/** Timeouts of a server, and whether it answers. */
export type Patience = {
  /** How long to wait for an answer before checking over another connection, in milliseconds. */
  readonly lateMs: number
  /** Shared by all connections to this server. */
  readonly silence: Silence
}

/** The longest wait of a stopping process for a server that does not answer, in milliseconds. */
export const hurriedMs = 2_000

/** Calls `late` after `milliseconds`, or soon after `stop` if that is earlier. Returns a function that cancels the timer. */
export function setDeadline(milliseconds: number, stop: AbortSignal | undefined, late: () => void): () => void {
  let timer = setTimeout(late, stop?.aborted ? Math.min(milliseconds, hurriedMs) : milliseconds)
  const hurry = () => {
    clearTimeout(timer)
    timer = setTimeout(late, Math.min(milliseconds, hurriedMs))
  }
  if (!stop?.aborted) stop?.addEventListener('abort', hurry, { once: true })
  return () => {
    clearTimeout(timer)
    stop?.removeEventListener('abort', hurry)
  }
}

/** How long timeouts stay short after a server has failed to answer, in milliseconds. */
const silentForMs = 60_000

/** Whether the server failed to answer lately. */
export function isSilent({ silence: { atMs } }: Patience): boolean {
  return atMs !== null && performance.now() - atMs < silentForMs
}

/** Connection timeout in milliseconds: short for a silent server, and zero if the process is also stopping. */
export function patienceOf(server: Patience, usualMs: number, stop: AbortSignal | undefined): number {
  if (!isSilent(server)) return usualMs
  return stop?.aborted ? 0 : Math.min(usualMs, hurriedMs)
}

/** How long to wait for an answer before checking over another connection, in milliseconds. A stopping process waits less. */
export function lateAfter(server: Patience, stop: AbortSignal | undefined): number {
  if (!stop?.aborted) return server.lateMs
  return Math.min(server.lateMs, isSilent(server) ? hurriedMs / 4 : hurriedMs)
}

export function lateConnection(): Error {
  return Object.assign(new Error('connecting timed out'), { code: 'ETIMEDOUT' })
}
