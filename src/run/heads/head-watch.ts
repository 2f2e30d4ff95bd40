import type { HeadFeed } from './head-feed.ts'

/** Decides when the next round of a job is due, from the blocks that a feed announces and from the heads that the rounds found. */
export type HeadWatch = {
  readonly roundBegins: () => void
  /** `head`: the last final block that the source reported. */
  readonly roundEnds: (head: number | null) => void
  /** Milliseconds from the beginning of the last round to the next one. */
  readonly intervalMs: () => number
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

/**
 * An announcement is only a hint: it makes the next round due at once. If that round finds no new block, further announcements have no
 * effect until a round finds one, so that wrong ones cost no more requests than polling.
 */
export function createHeadWatch({ feed, pollMs, wake }: HeadWatchOptions): HeadWatch {
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
    roundEnds: (found) => {
      const hasGrown = found !== null && found > head
      if (found !== null) head = Math.max(head, found)
      isTrusted = hasGrown || announcedBefore === null || announcedBefore === 0
      if (announcedBefore !== null) judge(announcedBefore, hasGrown)
    },
    intervalMs: () => {
      if (feed.session() === null || !isTrusted) return pollMs
      return announced > 0 ? 0 : silentMs
    },
  }
}
