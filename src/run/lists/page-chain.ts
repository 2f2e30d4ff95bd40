import type { Page, PageChain, PageItem, RowsOf, Tables } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { versionHashes } from '../rows/version-hashes.ts'
import { visibleFiles } from '../rows/visible-files.ts'
import { type ChainOptions, noStretch } from './chain-unit.ts'
import { earlyEnd, isBeyondRetention, isEnd } from './early-end.ts'
import { spanOf } from './item-span.ts'
import { createListCommits, type ListCommits } from './list-commits.ts'
import { listPages } from './list-pages.ts'
import { isYoung } from './token-age.ts'

type PageChainOptions = ChainOptions<PageChain>

/** How far a list has been read. */
type Reach = {
  /** The stretch that is being read. */
  readonly current: Stretch
  /** Stretches below it, newest first. */
  readonly older: readonly Stretch[]
  /** Items read when the newest stretch below was first seen; null when it has not been seen. */
  readonly touchedAt: number | null
  /** The user accepted that the list has no items above the stretches below. */
  readonly isAccepted: boolean
}

type Reader = {
  readonly options: PageChainOptions
  readonly hashed: (rows: RowsOf<Tables>) => RowsOf<Tables>
  /** Unix seconds of the oldest row that may still change; null when there is none. */
  readonly oldestOpen: number | null
  readonly commits: ListCommits<Reach>
  /** Keys of the first page of the list. */
  headKeys: ReadonlySet<string>
  /** Stretches whose tops the run has seen. */
  readonly seen: Set<Stretch>
  /** Whether the list has ended early once, so that it was read from its head again. */
  hasEndedEarly: boolean
}

/** Where reading continues: at a token, or at the head of the list. */
type Continuation = { readonly token: string | null }

/**
 * Reads a list that has its newest items first: from the head down to the newest committed stretch, then from the lower end of each
 * incomplete stretch, to the end of the list. Where a token is dead, it reads through the known items. Resolves to true when there was
 * nothing new.
 *
 * An end of the list is believed when all stretches below were reached. Otherwise the list is read again from its head, once. If it ends early
 * again, the new items are a stretch of their own with a hole below, the known stretches are kept, and the walk throws `EarlyEndError`.
 */
export async function walkPageChain(options: PageChainOptions): Promise<boolean> {
  const { stream, walk, run } = options
  const known = await run.catalog.stretches(stream.stream)
  const older = known.filter(hasItems)
  const isAccepted = known.some((stretch) => stretch.hole === 'accepted' && !hasItems(stretch))
  const commits = createListCommits<Reach>(
    options,
    { current: noStretch, older, touchedAt: null, isAccepted },
    stretchesOf,
  )
  const hashed = versionHashes(stream.tables)
  const reader: Reader = {
    options,
    hashed,
    oldestOpen: await oldestOpen(options),
    commits,
    headKeys: new Set(),
    seen: new Set(),
    hasEndedEarly: false,
  }
  try {
    for (let next: Continuation | null = { token: null }; next !== null; ) next = await read(next.token, reader)
  } catch (error) {
    await commits.fail(error)
    throw error
  }
  const [top, below] = stretchesOf(commits.progress())
  const isEarly = top?.hole === 'open'
  await commits.end(isEarly ? !commits.isRecorded() : known[0] === undefined || !isEnd(known[0]))
  if (isEarly) throw earlyEnd(walk.list, stream.stream, below?.topTime ?? top.bottomTime, top.items)
  return commits.newRows() === 0
}

/** Reads from a token, or from the head; resolves to where reading continues, or to null at the end of the list. */
async function read(token: string | null, reader: Reader): Promise<Continuation | null> {
  const { options, hashed, commits, headKeys: firstKeys } = reader
  const { walk, run, context } = options
  for await (const event of listPages(walk.list, { client: run.client, signal: run.stop, context, token, firstKeys })) {
    if ('restarted' in event) {
      commits.turnTo(fromTheHead(commits.progress()))
      continue
    }
    const page = { ...event.page, rows: hashed(event.page.rows) }
    run.page()
    const before = commits.progress()
    if (before.current.topKeys.length === 0) reader.headKeys = new Set(page.items.map(({ key }) => key))
    const after = withPage(before, page, reader, options.nowMs())
    const isAtBelow = after.touchedAt !== null && (await isReached(after.older[0], page, reader))
    const reach = isAtBelow ? withBelow(after) : after
    await commits.take(page.rows, reach)
    if (isAtBelow) return isEnd(reach.current) ? null : { token: reach.current.token }
    const { items, topTime, bottomTime } = reach.current
    // Below a list that was never read to its end, nothing is known.
    const span = spanOf(topTime, bottomTime, reach.older[0]?.topTime ?? null)
    run.emit({
      kind: 'progress',
      pipeline: run.pipeline,
      done: items,
      total: 0,
      rows: commits.rows(),
      bytes: 0,
      ...span,
    })
    await commits.commitWhenDue()
  }
  return continueAtEnd(reader)
}

/** At the end of the list: reading continues at its head if the end is early for the first time. */
function continueAtEnd(reader: Reader): Continuation | null {
  const { commits, options } = reader
  const { isEarly, reach } = atEnd(commits.progress(), options.walk.retention, options.nowMs())
  const isAgain = isEarly && !reader.hasEndedEarly
  if (isAgain) reader.hasEndedEarly = true
  commits.turnTo(isAgain ? fromTheHead(commits.progress()) : reach)
  return isAgain ? { token: null } : null
}

/**
 * The reach at the end of the list. The end is early when a stretch below was not reached, or when an earlier run has seen that the list
 * continues below the stretch that was reached.
 */
function atEnd(reach: Reach, retention: number | undefined, nowMs: number): { isEarly: boolean; reach: Reach } {
  const isTouched = reach.touchedAt !== null
  const { current, older } = isTouched ? withBelow(reach) : reach
  const ended = (isEarly: boolean, changes: Partial<Stretch>) => {
    const bottom = { ...current, token: null, tokenAtMs: null, ...changes }
    return { isEarly, reach: { current: bottom, older, touchedAt: null, isAccepted: false } }
  }
  if (isTouched && isEnd(current)) return ended(false, {})
  const unreached = isTouched ? current.bottomTime : (older[0]?.topTime ?? null)
  if ((!isTouched && older.length === 0) || isBeyondRetention(unreached, retention, nowMs))
    return ended(false, { end: hasItems(current), hole: null })
  if (reach.isAccepted) return ended(false, { hole: 'accepted' })
  return ended(true, { hole: 'open' })
}

function hasItems({ topKeys }: Stretch): boolean {
  return topKeys.length > 0
}

/** The stretches to record. Items below the top of an older stretch are counted in that stretch. */
function stretchesOf({ current, older, touchedAt, isAccepted }: Reach): readonly Stretch[] {
  const counted = { ...current, items: touchedAt ?? current.items }
  const accepted: Stretch[] = isAccepted ? [{ ...noStretch, hole: 'accepted' }] : []
  return [counted, ...accepted, ...older].filter((stretch) => hasItems(stretch) || stretch.hole !== null)
}

/** The reach when reading starts again at the head because a token died: what was read becomes a stretch below. */
function fromTheHead({ current, older, touchedAt, isAccepted }: Reach): Reach {
  const counted = { ...current, items: touchedAt ?? current.items, token: null, tokenAtMs: null }
  return { current: noStretch, older: [counted, ...older].filter(hasItems), touchedAt: null, isAccepted }
}

/** The reach after one more page. Stretches with their lower end on the page have been read through. */
function withPage(reach: Reach, page: Page, { seen }: Pick<Reader, 'seen'>, nowMs: number): Reach {
  const current = grow(reach.current, page, nowMs)
  let { older, touchedAt } = reach
  for (const stretch of older) if (topOn(page, stretch) >= 0) seen.add(stretch)
  for (let passed = older[0]; isPassed(passed, page); passed = older[0]) {
    older = older.slice(1)
    const counted = touchedAt === null ? current.items : touchedAt + passed.items
    const isBelow = isBelowTop(current, older[0]) || (older[0] !== undefined && seen.has(older[0]))
    touchedAt = isBelow ? counted : null
  }
  const next = older[0]
  const top = next === undefined ? -1 : topOn(page, next)
  if (top >= 0) touchedAt ??= current.items - page.items.length + top
  return { current, older, touchedAt, isAccepted: reach.isAccepted && touchedAt === null }
}

/** The first item of a page that belongs to a stretch, or is older than its newest item; -1 where the page is above the stretch. */
function topOn({ items }: Page, { topKeys, topTime }: Stretch): number {
  return items.findIndex(
    ({ key, time }) => topKeys.includes(key) || (time !== null && topTime !== null && time < topTime),
  )
}

/** The reach when reading continues at the lower end of the stretch below. */
function withBelow(reach: Reach): Reach {
  const [below, ...older] = reach.older
  if (below === undefined) return reach
  const current = joined({ ...reach.current, items: reach.touchedAt ?? reach.current.items }, below)
  return { ...reach, current, older, touchedAt: isBelowTop(current, older[0]) ? current.items : null }
}

/** The stretch after one more page. */
function grow(stretch: Stretch, page: Page, nowMs: number): Stretch {
  const keys = page.items.map(({ key }) => key)
  const [first, last] = [page.items[0], page.items.at(-1)]
  const token = { token: page.next, tokenAtMs: page.next === null ? null : nowMs }
  if (first === undefined || last === undefined) return { ...stretch, ...token }
  const top = stretch.topKeys.length === 0 ? { topKeys: keys, topTime: first.time } : {}
  const items = stretch.items + keys.length
  return { ...stretch, ...top, ...token, bottomKeys: keys, bottomTime: last.time, items }
}

/** Joins two adjacent stretches. */
function joined(upper: Stretch, lower: Stretch): Stretch {
  const { bottomKeys, bottomTime, token, tokenAtMs, end, hole, items } = lower
  return { ...upper, bottomKeys, bottomTime, token, tokenAtMs, end, hole, items: upper.items + items }
}

/** Whether a stretch extends below the top of another one: an earlier run ended while reading there. */
function isBelowTop({ bottomTime }: Stretch, lower: Stretch | undefined): boolean {
  return lower !== undefined && bottomTime !== null && lower.topTime !== null && bottomTime < lower.topTime
}

/** Whether the lower end of a stretch is on a page: the whole stretch has been read through. */
function isPassed(stretch: Stretch | undefined, page: Page): stretch is Stretch {
  if (stretch === undefined || isEnd(stretch)) return false
  const { bottomKeys, bottomTime } = stretch
  return page.items.some(
    ({ key, time }) => bottomKeys.includes(key) || (time !== null && bottomTime !== null && time < bottomTime),
  )
}

function isAlive({ token, tokenAtMs }: Stretch, nowMs: number): boolean {
  return token !== null && isYoung(tokenAtMs, nowMs)
}

/**
 * Whether reading may continue at the lower end of a stretch that has been seen: all rows of a page are known, and the page is so far below
 * the top of the stretch that no items arrive late there. Times alone are not sufficient. A complete stretch is read again down to its
 * oldest row that may still change; an incomplete one is completed first.
 */
async function isReached(stretch: Stretch | undefined, page: Page, reader: Reader): Promise<boolean> {
  const { commits, options, oldestOpen } = reader
  const { walk, nowMs } = options
  if (stretch === undefined || page.items.length === 0 || page.next === null) return false
  if (!isEnd(stretch) && !isAlive(stretch, nowMs())) return false
  const open = isEnd(stretch) ? oldestOpen : null
  const from = stretch.topTime === null ? null : Math.min(stretch.topTime, open ?? stretch.topTime)
  const isLate = ({ time }: PageItem) => time !== null && from !== null && time >= from - walk.trailing
  return !page.items.some(isLate) && commits.holdsAll(page.rows)
}

/** Unix seconds of the oldest row of the list that may still change, as far as the lake knows; null when there is none. */
async function oldestOpen({ stream, walk: { list, open }, run }: PageChainOptions): Promise<number | null> {
  if (open === undefined) return null
  const times = await Promise.all(
    Object.values(stream.tables).map(async (table) => {
      const network = 'network' in table.columns ? [{ network: [stream.stream.network] }] : []
      const where = [...network, ...(list.requested?.values ?? []), open.where]
      const files = (await visibleFiles(run, table)).files.map(({ path }) => path)
      return run.lookup.earliestTime({ table, files, where, column: open.time })
    }),
  )
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known.map((time) => Number(time / 1_000_000n)))
}
