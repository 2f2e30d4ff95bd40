import type { StreamDeclaration } from '../../define/index.ts'
import { redactUrl } from '../../fetch/failures.ts'
import { getOrCreate } from '../../lib/arrays.ts'
import { durationText } from '../../lib/text.ts'
import { type HeadListener, headsUrl, listenToHeads } from '../../sources/evm-heads.ts'
import type { EmitEvent } from '../events.ts'
import { type Job, roundInterval } from '../job.ts'

type WatchOptions = {
  readonly jobs: readonly Job[]
  readonly streamsOf: (job: Job) => readonly StreamDeclaration[]
  readonly nodeUrl: string
  readonly follow: { readonly maxLagMs: number }
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/**
 * Listens to the chains of these jobs, with one connection for each URL. With a maximum lag above 0, rounds take place at intervals, however
 * many blocks there are, so that announcements would be useless.
 */
export function watchJobs(options: WatchOptions) {
  const { follow, stop } = options
  const urls = new Map(options.jobs.flatMap((job) => urlOf(job, options)))
  if (follow.maxLagMs > 0) {
    reportUnused(urls, options)
    urls.clear()
  }
  let waiting = new AbortController()
  const wake = (): void => waiting.abort()
  const feeds = new Map<string, HeadFeed>()
  const watches = new Map<Job, HeadWatch>()
  for (const [job, { url, origin }] of urls) {
    const feed = getOrCreate(feeds, url, () => createHeadFeed({ url, origin, emit: options.emit }))
    watches.set(job, createHeadWatch({ feed, pollMs: roundInterval(follow), wake }))
  }
  const close = (): void => {
    for (const feed of feeds.values()) feed.close()
    wake()
  }
  stop.addEventListener('abort', close, { once: true })
  return {
    /** Null for a job that reads no chain with announcements. */
    of: (job: Job): HeadWatch | null => watches.get(job) ?? null,
    /** A signal that is aborted at `stop`, and when an announcement may have made a round due. */
    nextWake: (): AbortSignal => {
      waiting = new AbortController()
      if (stop.aborted) wake()
      return waiting.signal
    },
    close: () => {
      stop.removeEventListener('abort', close)
      close()
    },
  }
}

type HeadsUrl = ReturnType<typeof headsUrl>

/** All streams of a job read the same chain. */
function urlOf(job: Job, { streamsOf, nodeUrl }: WatchOptions): [Job, HeadsUrl][] {
  for (const { walk } of streamsOf(job))
    if (walk.kind === 'range' && walk.heads !== undefined) return [[job, headsUrl(walk.heads, walk.endpoint, nodeUrl)]]
  return []
}

function reportUnused(urls: ReadonlyMap<Job, HeadsUrl>, { follow: { maxLagMs }, emit }: WatchOptions): void {
  for (const [{ name }, { origin }] of urls)
    if (origin === 'given')
      emit({
        kind: 'notice',
        message: `${name} does not use its ws-url: the run commits new blocks every ${durationText(maxLagMs / 1000)}. With --max-lag 0 it commits each block when the WebSocket announces it.`,
        once: true,
      })
}

type HeadWatchOptions = {
  readonly feed: HeadFeed
  /** The interval while no feed listens, or while its announcements lead to nothing, in milliseconds. */
  readonly pollMs: number
  /** Called when `intervalMs` may have become shorter. */
  readonly wake: () => void
}

/** While a feed listens, a round takes place at least this often, because a feed may become silent. */
export const silentMs = 5_000
/** Rounds with new blocks that the feed did not announce, until the feed counts as silent. */
const mostUnannounced = 2
/** Rounds without a new block although the feed announced one, until the feed counts as unreliable. */
const mostFalse = 30

export type HeadWatch = ReturnType<typeof createHeadWatch>

/**
 * Decides when the next round of a job is due, from the blocks that a feed announces and from the heads that the rounds found. An announcement
 * is only a hint: it makes the next round due at once. If that round finds no new block, further announcements have no
 * effect until a round finds one, so that wrong ones cost no more requests than polling.
 */
export function createHeadWatch({ feed, pollMs, wake }: HeadWatchOptions) {
  let head = Number.NEGATIVE_INFINITY
  /** Announcements since the last round began. */
  let announced = 0
  /** Announcements between the beginning of the previous round and of this one; null if the feed did not listen all that time. */
  let announcedBefore: number | null = null
  let session: number | null = null
  let isTrusted = true
  let unannounced = 0
  let wrong = 0
  feed.on((what) => {
    if (what === 'head') announced++
    if (what === 'change' || isTrusted) wake()
  })
  const judge = (announcements: number, hasGrown: boolean): void => {
    if (announcements > 0) unannounced = 0
    else if (hasGrown) unannounced++
    wrong = hasGrown ? 0 : wrong + (announcements > 0 ? 1 : 0)
    if (unannounced < mostUnannounced && wrong < mostFalse) return
    feed.distrust(
      wrong < mostFalse ? 'it is silent although the chain grows' : 'it announces blocks, but the chain does not grow',
    )
    unannounced = 0
    wrong = 0
  }
  return {
    roundBegins: () => {
      const now = feed.session()
      announcedBefore = now !== null && now === session ? announced : null
      session = now
      announced = 0
    },
    /** `found`: the last final block that the source reported. */
    roundEnds: (found: number | null) => {
      const hasGrown = found !== null && found > head
      if (found !== null) head = Math.max(head, found)
      isTrusted = hasGrown || announcedBefore === null || announcedBefore === 0
      if (announcedBefore !== null) judge(announcedBefore, hasGrown)
    },
    /** Milliseconds from the beginning of the last round to the next one. */
    intervalMs: (): number => {
      if (feed.session() === null || !isTrusted) return pollMs
      return announced > 0 ? 0 : silentMs
    },
  }
}

type HeadFeedOptions = {
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

type HeadFeed = ReturnType<typeof createHeadFeed>

/** New blocks as a WebSocket announces them. It connects again when it fails. */
export function createHeadFeed(options: HeadFeedOptions) {
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
        message: `Listening to new blocks by WebSocket${sessions === 1 ? '' : ' again'}: ${shown}.`,
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
    /** Counts how often the feed began to listen; null while it does not listen. */
    session: (): number | null => (sinceMs === null ? null : sessions),
    /** Calls a function with each announced block (`head`), and when the feed begins or ceases to listen (`change`). */
    on: (listener: (what: 'head' | 'change') => void): void => void listeners.push(listener),
    /** Ends the connection because its announcements are wrong. The feed connects again later. */
    distrust: (reason: string): void => {
      if (sinceMs === null) return
      end()
      onEnd(reason)
    },
    close: (): void => {
      clearTimeout(timer)
      end()
      sinceMs = null
    },
  }
}
