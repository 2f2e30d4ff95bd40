import type { StreamDeclaration } from '../../define/index.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import { headsUrl } from '../../sources/heads/heads-url.ts'
import type { EmitEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import type { HeadFeed } from './head-feed.ts'
import { createHeadWatch, type HeadWatch } from './head-watch.ts'
import { roundInterval } from './round-interval.ts'

/** The announcements of new blocks that a following run listens to. */
type JobWatches = {
  /** Null for a job that reads no chain with announcements. */
  readonly of: (job: Job) => HeadWatch | null
  /** A signal that is aborted at `stop`, and when an announcement may have made a round due. */
  readonly nextWake: () => AbortSignal
  readonly close: () => void
}

type WatchOptions = {
  readonly jobs: readonly Job[]
  readonly streamsOf: (job: Job) => readonly StreamDeclaration[]
  readonly nodeUrl: string
  readonly follow?: { readonly maxLagMs: number }
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/**
 * Listens to the chains of these jobs, with one connection for each URL. With a maximum lag above 0, rounds take place at intervals, however
 * many blocks there are, so that announcements would be useless.
 */
export async function watchJobs(options: WatchOptions): Promise<JobWatches> {
  const { follow, stop } = options
  const urls = new Map(options.jobs.flatMap((job) => urlOf(job, options)))
  if (follow === undefined || follow.maxLagMs > 0 || urls.size === 0) {
    if (follow !== undefined) reportUnused(urls, follow, options)
    return { of: () => null, nextWake: () => stop, close: () => undefined }
  }
  // Loaded on demand: the client of WebSockets takes long to load.
  const { createHeadFeed } = await import('./head-feed.ts')
  let waiting = new AbortController()
  const wake = (): void => waiting.abort()
  const feeds = new Map<string, HeadFeed>()
  const watches = new Map<Job, HeadWatch>()
  for (const [job, { url, origin }] of urls) {
    const feed = feeds.get(url) ?? createHeadFeed({ url, origin, emit: options.emit })
    feeds.set(url, feed)
    watches.set(job, createHeadWatch({ feed, pollMs: roundInterval(follow), wake }))
  }
  const close = (): void => {
    for (const feed of feeds.values()) feed.close()
    wake()
  }
  stop.addEventListener('abort', close, { once: true })
  return {
    of: (job) => watches.get(job) ?? null,
    nextWake: () => {
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

function reportUnused(
  urls: ReadonlyMap<Job, HeadsUrl>,
  { maxLagMs }: { readonly maxLagMs: number },
  { emit }: WatchOptions,
): void {
  for (const [{ name }, { origin }] of urls)
    if (origin === 'given')
      emit({
        kind: 'notice',
        message: `${name} does not use its ws-url: the run commits new blocks every ${durationText(maxLagMs / 1000)}. With --max-lag 0 it commits each block when the WebSocket announces it.`,
        once: true,
      })
}
