import { redactUrl } from '../../fetch/base-url.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import { type HeadListener, listenToHeads } from '../../sources/heads/evm-heads.ts'
import type { EmitEvent } from '../job/events.ts'

/** New blocks as a WebSocket announces them. It connects again when it fails. */
export type HeadFeed = {
  /** Counts how often the feed began to listen; null while it does not listen. */
  readonly session: () => number | null
  /** Calls a function with each announced block (`head`), and when the feed begins or ceases to listen (`change`). */
  readonly on: (listener: (what: 'head' | 'change') => void) => void
  /** Ends the connection because its announcements are wrong. The feed connects again later. */
  readonly distrust: (reason: string) => void
  readonly close: () => void
}

export type HeadFeedOptions = {
  readonly url: string
  /** The job names the URL (`given`), or it follows from that of the RPC, which may have no WebSocket (`derived`). */
  readonly origin: 'given' | 'derived'
  readonly emit: EmitEvent
  /** How to listen; other than in tests `listenToHeads`. */
  readonly listen?: (url: string, listener: HeadListener) => () => void
}

const firstWaitMs = 1_000
const longestWaitMs = 5 * 60_000
/** A URL that was only derived, and never worked, is tried again after this time. */
const derivedWaitMs = 10 * 60_000
/** A connection that lasted this long was a good one: the next wait is short again. */
const goodMs = 60_000
/** Failures of a connection that fails again and again are reported this often. */
const reportEveryMs = 10 * 60_000

export function createHeadFeed(options: HeadFeedOptions): HeadFeed {
  const { url, origin, emit, listen = listenToHeads } = options
  const shown = redactUrl(url)
  const listeners: ((what: 'head' | 'change') => void)[] = []
  const notify = (what: 'head' | 'change'): void => {
    for (const listener of listeners) listener(what)
  }
  let sessions = 0
  let sinceMs: number | null = null
  let failures = 0
  let reportedMs = Number.NEGATIVE_INFINITY
  let isReported = true
  let timer: NodeJS.Timeout | undefined
  let end = (): void => undefined

  const onListening = (): void => {
    sessions++
    sinceMs = performance.now()
    if (isReported)
      emit({
        kind: 'notice',
        message:
          sessions === 1
            ? `Listening to new blocks by WebSocket: ${shown}.`
            : `Listening to new blocks by WebSocket again: ${shown}.`,
      })
    isReported = false
    notify('change')
  }
  /** Reports a failure, unless it is one of many, or of a derived URL, which may not exist. */
  const report = (reason: string, waitMs: number): void => {
    if (origin === 'derived' && sessions === 0) return
    if (performance.now() - reportedMs < reportEveryMs) return
    reportedMs = performance.now()
    isReported = true
    emit({
      kind: origin === 'given' && sessions === 0 ? 'warning' : 'notice',
      message: `Cannot listen to new blocks by WebSocket (${shown}): ${reason}. The run polls the chain every second until the WebSocket works.`,
      details: { 'next try in': durationText(waitMs / 1000) },
    })
  }
  const onEnd = (reason: string): void => {
    if (sinceMs !== null && performance.now() - sinceMs >= goodMs) failures = 0
    sinceMs = null
    failures++
    const waitMs =
      origin === 'derived' && sessions === 0
        ? derivedWaitMs
        : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 30))
    report(reason, waitMs)
    timer = setTimeout(connect, waitMs)
    // A run that ends does not wait for the next try.
    timer.unref()
    notify('change')
  }
  const connect = (): void => {
    end = listen(url, { onListening, onHead: () => notify('head'), onEnd })
  }
  connect()
  return {
    session: () => (sinceMs === null ? null : sessions),
    on: (listener) => void listeners.push(listener),
    distrust: (reason) => {
      if (sinceMs === null) return
      end()
      onEnd(reason)
    },
    close: () => {
      clearTimeout(timer)
      end()
      sinceMs = null
    },
  }
}
