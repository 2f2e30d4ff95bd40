import type { WindowSource } from '../../define/index.ts'

/** A request that several sources wait for. */
type Joined<R> = {
  readonly to: number
  readonly records: Promise<ReadonlyMap<string, R[]>>
  readonly cancel: AbortController
  /** Sources that have not requested the window yet, by their positions. */
  readonly left: Set<number>
  /** Sources that wait for the answer. */
  waiting: number
}

/**
 * Sources that share the windows of one source: the first one to want a window requests it, and each gets its own records. A window is
 * forgotten when each has requested it or has read beyond it: after a window that was too large, some request the following ones again, and
 * others do not. The request is cancelled when nothing waits for it any more.
 *
 * @param parts names the parts of the source, one source each
 * @param recordsOf divides the records of a window among the parts
 */
export function joinWindows<R>(
  source: WindowSource<R>,
  parts: readonly string[],
  recordsOf: (records: readonly R[]) => ReadonlyMap<string, R[]>,
): WindowSource<R>[] {
  const windows = new Map<string, Joined<R>>()
  const begin = (from: number, to: number): Joined<R> => {
    const cancel = new AbortController()
    const records = source.window(from, to, cancel.signal).then(recordsOf)
    // Each waiting source handles the failure.
    records.catch(() => undefined)
    return { to, records, cancel, left: new Set(parts.keys()), waiting: 0 }
  }
  const readTo = (at: number, end: number): void => {
    for (const [key, { to, left }] of windows) {
      if (to <= end) left.delete(at)
      if (left.size === 0) windows.delete(key)
    }
  }
  const joined = (at: number, from: number, to: number): Joined<R> => {
    const key = `${from}-${to}`
    const known = windows.get(key)
    const window = known === undefined || known.cancel.signal.aborted ? begin(from, to) : known
    window.left.delete(at)
    if (window.left.size > 0) windows.set(key, window)
    else windows.delete(key)
    return window
  }
  return parts.map(
    (part, at): WindowSource<R> => ({
      ...source,
      async window(from, to, signal, turn) {
        const window = joined(at, from, to)
        void turn?.then(() => signal?.aborted || readTo(at, from))
        window.waiting++
        const leave = (): void => {
          window.waiting--
          if (window.waiting === 0) window.cancel.abort(signal?.reason)
        }
        signal?.addEventListener('abort', leave, { once: true })
        try {
          return (await window.records).get(part) ?? []
        } finally {
          signal?.removeEventListener('abort', leave)
        }
      },
    }),
  )
}
