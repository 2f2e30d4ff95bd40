/** When (`performance.now()`) a server last let a connection wait in vain; null once it answers. */
export type Silence = { atMs: number | null }

/** What a connection knows of its server's patience. */
export type Patience = {
  /** How late an answer may be before the server is asked about it, in milliseconds. */
  readonly lateMs: number
  /** Shared by all who use this server. */
  readonly silence: Silence
}

/** A process that was told to stop waits so long at most for a server that says nothing. */
export const hurriedMs = 2_000

/** Calls `late` after `milliseconds`, or soon after `stop` where that is sooner. Returns what ends the waiting. */
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

/** A server that said nothing is given little time to answer for so long. */
const silentForMs = 60_000

/** Whether it let a connection wait in vain lately. */
export function isSilent({ silence: { atMs } }: Patience): boolean {
  return atMs !== null && performance.now() - atMs < silentForMs
}

/** How long a connection may take to be made: not long at a silent server, and no time at all where the process is to stop, too. */
export function patienceOf(server: Patience, usualMs: number, stop: AbortSignal | undefined): number {
  if (!isSilent(server)) return usualMs
  return stop?.aborted ? 0 : Math.min(usualMs, hurriedMs)
}

/** How long an answer may take before the server is asked about it. */
export function lateAfter(server: Patience, stop: AbortSignal | undefined): number {
  if (!stop?.aborted) return server.lateMs
  return Math.min(server.lateMs, isSilent(server) ? hurriedMs / 4 : hurriedMs)
}

export function lateConnection(): Error {
  return Object.assign(new Error('no connection was made in time'), { code: 'ETIMEDOUT' })
}
