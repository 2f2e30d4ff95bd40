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
