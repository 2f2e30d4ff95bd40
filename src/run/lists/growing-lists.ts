import { isDeepStrictEqual } from 'node:util'
import type { List, OldestFirst, Page, PageChain, PageItem, RowsOf, Tables } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { versionHashes } from '../../lookup/row-identity.ts'
import { isEnd, noStretch, type Stretch } from '../../model.ts'
import { commitRows } from '../rows/commit-batch.ts'
import type { ListWalk } from '../rows/lake-run.ts'
import { createListBatch } from '../rows/list-batch.ts'
import { createListCommits } from './list-commits.ts'
import { keysMark, listPages } from './list-pages.ts'
import { belowHole, earlyEnd, hasItems, holeAbove, isBeyondRetention, isYoung, spanOf } from './list-times.ts'

/** Lists that grow at one end, and that are committed while they are read: newest item first (`walkPageChain`), or oldest item first (`walkOldestFirst`). */

type PageChainOptions = ListWalk<PageChain>

/** How far a list has been read. */
type Reach = {
  readonly current: Stretch
  /** Stretches below it, newest first. */
  readonly older: readonly Stretch[]
  /** Number of items read above the newest stretch below; null until a page has shown an item of that stretch. */
  readonly touchedAt: number | null
  /** The user accepted that the list has no items above the stretches below. */
  readonly isAccepted: boolean
}

type Reader = {
  readonly options: PageChainOptions
  readonly hashed: (rows: RowsOf<Tables>) => RowsOf<Tables>
  /** Unix seconds of the oldest row that may still change; null when there is none. */
  readonly oldestOpen: number | null
  readonly commits: ReturnType<typeof createStretchCommits<Reach>>
  headKeys: ReadonlySet<string>
  /** Stretches with a newest item that the run has seen. */
  readonly seen: Set<Stretch>
  /** Whether the list has ended early once, so that it was read from its head again. */
  hasEndedEarly: boolean
}

/**
 * Reads a list that has its newest items first: from the head down to the newest committed stretch, then from the lower end of each
 * incomplete stretch, to the end of the list. If a token has expired, it reads through the known items. Resolves to true when there was
 * nothing new.
 *
 * An end of the list is believed when all stretches below were reached. Otherwise the list is read again from its head, once. If it ends early
 * again, the new items are a stretch of their own with a hole below, the known stretches are kept, and the walk throws `EarlyEndError`.
 */
export async function walkPageChain(options: PageChainOptions): Promise<boolean> {
  return readDown(await options.run.catalog.stretches(options.stream.stream), options)
}

/** `known`: the stretches of earlier runs, as the catalog has them if `isRecorded` is true. `atOnce`: all new items are one commit. */
async function readDown(
  known: readonly Stretch[],
  options: PageChainOptions,
  { atOnce, isRecorded } = { atOnce: false, isRecorded: true },
): Promise<boolean> {
  const { stream, walk } = options
  const older = known.filter(hasItems)
  const isAccepted = holeAbove(known) === 'accepted'
  const commits = createStretchCommits<Reach>(
    options,
    { current: noStretch, older, touchedAt: null, isAccepted },
    stretchesOf,
    { atOnce, recorded: isRecorded ? known : older },
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
    for (let next: Position | null = { token: null }; next !== null; ) next = await read(next.token, reader)
  } catch (error) {
    await commits.fail(error)
    throw error
  }
  const [top, below] = stretchesOf(commits.progress())
  const isEarly = top?.hole === 'open'
  const isNewEnd = !isRecorded || known[0] === undefined || !isEnd(known[0])
  await commits.end(isEarly ? !commits.isRecorded() : isNewEnd)
  if (isEarly) throw earlyEnd(walk.list, stream.stream, below?.topTime ?? top.bottomTime, top.items)
  return commits.newRows() === 0
}

/** A token, or the head of the list. */
type Position = Pick<Stretch, 'token'>

/** Reads from a position; resolves to where reading continues, or to null at the end of the list. */
async function read(token: string | null, reader: Reader): Promise<Position | null> {
  const { options, hashed, commits, headKeys: firstKeys } = reader
  const { walk, run, context } = options
  const { current, older } = commits.progress()
  const from = token === null ? noStretch : current
  const before = keysMark(from.bottomKeys)
  const doubtsEnd = ![current, ...older].some(isEnd)
  const reading = { client: run.client, signal: run.stop, context, token, firstKeys, before, doubtsEnd }
  let watch = watchOrder(walk.list, from)
  for await (const event of listPages(walk.list, reading)) {
    if ('restarted' in event) {
      commits.turnTo(fromTheHead(commits.progress()))
      watch = watchOrder(walk.list, noStretch)
      continue
    }
    watch(event.page)
    const page = { ...event.page, rows: hashed(event.page.rows) }
    run.page()
    const before = commits.progress()
    if (before.current.topKeys.length === 0) reader.headKeys = new Set(page.items.map(({ key }) => key))
    const after = withPage(before, page, reader)
    const isAtBelow = after.touchedAt !== null && (await isReached(after.older[0], page, reader))
    const reach = isAtBelow ? withBelow(after) : after
    await commits.take(page.rows, reach)
    if (isAtBelow) return isEnd(reach.current) ? null : { token: reach.current.token }
    const { items, topTime, bottomTime } = reach.current
    // Below a list that was never read to its end, nothing is known.
    const span = spanOf(topTime, bottomTime, reach.older[0]?.topTime ?? null)
    run.progress({ done: items, total: 0, rows: commits.rows(), ...span })
    await commits.commitWhenDue()
  }
  return continueAtEnd(reader)
}

/** Number of items that are newer than the one before, from which on a list without an older one has the wrong order. */
const leastRising = 2

/**
 * Watches the times of the items of a reading that continues at the end of a stretch. Throws `DecodeError` for a list that has its oldest item
 * first: its new items are at its end, where no later run would look.
 */
function watchOrder({ request }: List, { topTime, bottomTime }: Stretch): (page: Page) => void {
  let last = topTime
  const steps = { up: 0, down: 0 }
  const see = (time: number): void => {
    const step = time - (last ?? time)
    steps.up += step > 0 ? 1 : 0
    steps.down += step < 0 ? 1 : 0
    last = time
  }
  if (bottomTime !== null) see(bottomTime)
  return ({ items }) => {
    for (const { time } of items) if (time !== null) see(time)
    if (steps.down === 0 && steps.up >= leastRising) throw wrongOrder(request(null).path)
  }
}

function wrongOrder(path: string): DecodeError {
  return new DecodeError('The list has its oldest item first, but is declared with the newest item first.', {
    code: 'decode.order',
    details: { path },
    hint: 'Nothing of this page was written: later runs would not see new items at the end of the list. Declare the walk oldestFirst, without an order that the service ignores. If the list does have its newest item first, declare another column as its time, the one that it is ordered by.',
  })
}

/** At the end of the list: reading continues at its head if the end is early for the first time. */
function continueAtEnd(reader: Reader): Position | null {
  const { commits, options } = reader
  const { isEarly, reach } = atEnd(commits.progress(), options.walk.retention)
  const isAgain = isEarly && !reader.hasEndedEarly
  if (isAgain) reader.hasEndedEarly = true
  commits.turnTo(isAgain ? fromTheHead(commits.progress()) : reach)
  return isAgain ? { token: null } : null
}

/**
 * The reach at the end of the list. The end is early when a stretch below was not reached, or when an earlier run has seen that the list
 * continues below the stretch that was reached.
 */
function atEnd(reach: Reach, retention: number | undefined): { isEarly: boolean; reach: Reach } {
  const isTouched = reach.touchedAt !== null
  const { current, older } = isTouched ? withBelow(reach) : reach
  const ended = (isEarly: boolean, changes: Partial<Stretch>) => {
    const bottom = { ...current, token: null, tokenAtMs: null, ...changes }
    return { isEarly, reach: { current: bottom, older, touchedAt: null, isAccepted: false } }
  }
  if (isTouched && isEnd(current)) return ended(false, {})
  const unreached = isTouched ? current.bottomTime : (older[0]?.topTime ?? null)
  if ((!isTouched && older.length === 0) || isBeyondRetention(unreached, retention))
    return ended(false, { end: hasItems(current), hole: null })
  if (reach.isAccepted) return ended(false, { hole: 'accepted' })
  return ended(true, { hole: 'open' })
}

/** The stretches to record. Items below the top of an older stretch are counted in that stretch. */
function stretchesOf({ current, older, touchedAt, isAccepted }: Reach): readonly Stretch[] {
  const counted = { ...current, items: touchedAt ?? current.items }
  const below = belowHole(isAccepted ? 'accepted' : null, older)
  return [counted, ...below].filter((stretch) => hasItems(stretch) || stretch.hole !== null)
}

/** After a page token expired, reading starts again at the head. What was read until then is now the first stretch below. */
function fromTheHead({ current, older, touchedAt, isAccepted }: Reach): Reach {
  const counted = { ...current, items: touchedAt ?? current.items, token: null, tokenAtMs: null }
  return { current: noStretch, older: [counted, ...older].filter(hasItems), touchedAt: null, isAccepted }
}

/** The reach after one more page. Stretches with their lower end on the page have been read through. */
function withPage(reach: Reach, page: Page, { seen }: Pick<Reader, 'seen'>): Reach {
  const current = grow(reach.current, page)
  let { older, touchedAt } = reach
  for (const stretch of older) if (placeOn(page, stretch.topKeys, stretch.topTime) >= 0) seen.add(stretch)
  for (let passed = older[0]; isPassed(passed, page); passed = older[0]) {
    older = older.slice(1)
    const counted = touchedAt === null ? current.items : touchedAt + passed.items
    const isBelow = isBelowTop(current, older[0]) || (older[0] !== undefined && seen.has(older[0]))
    touchedAt = isBelow ? counted : null
  }
  const next = older[0]
  const top = next === undefined ? -1 : placeOn(page, next.topKeys, next.topTime)
  if (top >= 0) touchedAt ??= current.items - page.items.length + top
  return { current, older, touchedAt, isAccepted: reach.isAccepted && touchedAt === null }
}

/**
 * The first item of a page that has one of these keys, or is older than this time. With the keys and the time at the top of a stretch, -1 means that
 * the page is above the stretch.
 */
function placeOn({ items }: Page, keys: readonly string[], than: number | null): number {
  return items.findIndex(({ key, time }) => keys.includes(key) || (time !== null && than !== null && time < than))
}

/** The reach when reading continues at the lower end of the stretch below. */
function withBelow(reach: Reach): Reach {
  const [below, ...older] = reach.older
  if (below === undefined) return reach
  const current = joined({ ...reach.current, items: reach.touchedAt ?? reach.current.items }, below)
  return { ...reach, current, older, touchedAt: isBelowTop(current, older[0]) ? current.items : null }
}

function grow(stretch: Stretch, page: Page): Stretch {
  const keys = page.items.map(({ key }) => key)
  const [first, last] = [page.items[0], page.items.at(-1)]
  const token = { token: page.next, tokenAtMs: page.next === null ? null : Date.now() }
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
  return stretch !== undefined && !isEnd(stretch) && placeOn(page, stretch.bottomKeys, stretch.bottomTime) >= 0
}

function isAlive({ token, tokenAtMs }: Stretch): boolean {
  return token !== null && isYoung(tokenAtMs)
}

/**
 * Whether reading may continue at the lower end of a stretch that has been seen: all rows of a page are known, and the page is so far below
 * the top of the stretch that no items arrive late there. Times alone are not sufficient. A complete stretch is read again down to its
 * oldest row that may still change; an incomplete one is completed first.
 */
async function isReached(stretch: Stretch | undefined, page: Page, reader: Reader): Promise<boolean> {
  const { commits, options, oldestOpen } = reader
  const { walk } = options
  if (stretch === undefined || page.items.length === 0 || page.next === null) return false
  if (!isEnd(stretch) && !isAlive(stretch)) return false
  const open = isEnd(stretch) ? oldestOpen : null
  const from = stretch.topTime === null ? null : Math.min(stretch.topTime, open ?? stretch.topTime)
  const isLate = ({ time }: PageItem) => time !== null && from !== null && time >= from - walk.trailing
  return !page.items.some(isLate) && commits.batch().holdsAll(page.rows)
}

/** Unix seconds of the oldest row of the list that may still change, as far as the lake knows; null when there is none. */
async function oldestOpen({ stream, walk: { list, open }, run }: PageChainOptions): Promise<number | null> {
  if (open === undefined) return null
  const times = await Promise.all(
    Object.values(stream.tables).map(async (table) => {
      const network = 'network' in table.columns ? [{ network: [stream.stream.network] }] : []
      const where = [...network, ...(list.requested?.values ?? []), open.where]
      const files = (await run.catalog.tableFiles(table.name)).files.map(({ path }) => path)
      return run.lookup.earliestTime({ table, files, where, column: open.time })
    }),
  )
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known.map((time) => Number(time / 1_000_000n)))
}

type OldestFirstOptions = ListWalk<OldestFirst>

/** A page at which the next run may resume: the token of the request for it, null for the beginning of the list. */
type ResumePage = {
  readonly token: string | null
  readonly tokenAtMs: number | null
  readonly firstTime: number | null
}

/**
 * Reads a list that has its oldest items first and grows at its end: from the beginning, or from where an earlier run stopped, to the end.
 * All committed items are older than all others. Upward is one stretch: its top is the newest item, its token requests the page at which
 * the next run resumes (some seconds before the newest item), and `end` records that the end of the list was reached once. If the token is
 * dead and the end was never reached, the list is read from its beginning again, through the known items. If the end was reached, only the
 * newer items are read, from the newest one down, as those of a list with its newest item first. Resolves to true when there was nothing new.
 *
 * An end of the list before the newest known item is not believed: the list is read from the newest item down then, too. See `readAgain` for
 * a list that has only this order.
 */
export async function walkOldestFirst(options: OldestFirstOptions): Promise<boolean> {
  const { stream, run } = options
  const stretches = await run.catalog.stretches(stream.stream)
  const { newestFirst } = options.walk
  if (newestFirst === undefined) return readAgain(stretches, options)
  const known = stretches[0] ?? noStretch
  const alive = isAlive(known)
  if (stretches.length > 1 || (known.end && !alive)) return readWhatCameSince(stretches, options, newestFirst)
  const { reached, newRows, stretch } = await readOn(
    alive ? known : { ...known, token: null, tokenAtMs: null },
    options,
  )
  if (reached) return newRows === 0
  return (await readWhatCameSince([stretch], options, newestFirst)) && newRows === 0
}

/**
 * Reads a list that cannot be turned on from its last token, however old, or from its beginning if the token is dead. If it ends before the
 * newest known item, it is read once more from its beginning. If it ends there again, this records a hole and throws `EarlyEndError`.
 */
async function readAgain(recorded: readonly Stretch[], options: OldestFirstOptions): Promise<boolean> {
  const { walk, stream } = options
  const hole = holeAbove(recorded)
  const known = recorded.find(hasItems) ?? noStretch
  const first = await readOn(known, options, hole)
  if (first.reached) return first.newRows === 0
  const again = await readOn({ ...first.stretch, token: null, tokenAtMs: null }, options, hole)
  const newRows = first.newRows + again.newRows
  if (again.reached) return newRows === 0
  const isGone = isBeyondRetention(known.topTime, walk.retention)
  const isChanged = isGone ? hole !== null : hole === null
  const ended = isGone ? null : (hole ?? 'open')
  const stretches = { kind: 'stretches', stretches: recordOf(ended, again.stretch) } as const
  if (isChanged) await commitRows(options.run, stream, createListBatch(options.run, stream.tables), [stretches])
  if (!isGone && hole !== 'accepted') throw earlyEnd(walk.list, stream.stream, known.topTime, again.seen)
  return newRows === 0
}

/** How far a reading towards the end of the list is. */
type Upward = {
  /** Whether the reading is past the newest known item, or no item is known. */
  readonly isPastKnown: boolean
  /** Whether the reading began at a token. */
  readonly isResumed: boolean
  readonly next: Omit<ResumePage, 'firstTime'>
  readonly resumePages: readonly ResumePage[]
}

/**
 * Reads from the token of a stretch, or from the beginning of the list, to its end. `hole`: the recorded hole above the stretch, which the newest
 * known item closes. `reached` is false when the list ended before the newest known item, or when the token died and the end of the list had been
 * reached before; `seen` is the number of items that were read.
 */
async function readOn(known: Stretch, options: OldestFirstOptions, hole: Stretch['hole'] = null) {
  const { walk, run, context } = options
  const { token, tokenAtMs } = known
  let progress = upwardFrom(known, { token, tokenAtMs })
  const commits = createStretchCommits(options, known, (stretch) =>
    recordOf(progress.isPastKnown ? null : hole, stretch),
  )
  const firstKeys = new Set(known.bottomKeys.slice(0, 1))
  let begun: number | null = null
  let seen = 0
  const result = (reached: boolean) => {
    return { stretch: commits.progress(), newRows: commits.newRows(), seen, reached }
  }
  try {
    const reading = { client: run.client, signal: run.stop, context, token, firstKeys }
    for await (const event of listPages(walk.list, reading)) {
      if ('restarted' in event) {
        if (commits.rows() > 0) await commits.commit()
        const current = commits.progress()
        if (current.end && walk.newestFirst !== undefined) return result(false)
        seen = 0
        progress = upwardFrom(current, { token: null, tokenAtMs: null })
        continue
      }
      const { page } = event
      run.page()
      seen += page.items.length
      const after = withPageAbove(progress, commits.progress(), page, walk.trailing)
      if (skipsKnown(progress, after.progress, page, known)) break
      progress = after.progress
      await commits.take(page.rows, after.stretch)
      begun ??= timeOf(page.items[0])
      const span = spanOf(begun, timeOf(page.items.at(-1)), Date.now() / 1000)
      run.progress({ done: after.stretch.items, total: 0, rows: commits.rows(), ...span })
      await commits.commitWhenDue()
    }
  } catch (error) {
    await commits.fail(error)
    throw error
  }
  if (!progress.isPastKnown) {
    await commits.end(false)
    return result(false)
  }
  commits.turnTo({ ...commits.progress(), end: true })
  await commits.end(!known.end)
  return result(true)
}

function upwardFrom(known: Stretch, next: Upward['next']): Upward {
  return { isPastKnown: !hasItems(known), isResumed: next.token !== null, next, resumePages: [] }
}

/** Whether a resumed reading gets past the newest known item without seeing it: the service may have left out items with it. */
function skipsKnown(before: Upward, after: Upward, { items }: Page, { topKeys }: Stretch): boolean {
  if (!before.isResumed || before.isPastKnown || !after.isPastKnown) return false
  return !items.some(({ key }) => key === topKeys.at(-1))
}

/** The progress and the stretch after one more page. */
function withPageAbove(
  { isPastKnown: wasPast, isResumed, next, resumePages: before }: Upward,
  stretch: Stretch,
  page: Page,
  trailing: number,
): { progress: Upward; stretch: Stretch } {
  const { items } = page
  const { topKeys, topTime } = stretch
  const newest = items.findIndex(({ key }) => key === topKeys.at(-1))
  // The newest known item may be gone.
  const newer =
    newest >= 0 ? newest + 1 : items.findIndex(({ time }) => time !== null && topTime !== null && time > topTime)
  const isPastKnown = wasPast || newer >= 0
  // Above the newest known item all items of the page are known.
  const fresh = wasPast ? items.length : newer < 0 ? 0 : items.length - newer
  const [first] = items
  const resumePages =
    first === undefined ? before : resumePagesFor([...before, { ...next, firstTime: first.time }], page, trailing)
  return {
    progress: { isPastKnown, isResumed, next: { token: page.next, tokenAtMs: Date.now() }, resumePages },
    stretch: grown(stretch, page, fresh, isPastKnown, resumePages[0]),
  }
}

/**
 * Reads the items that are newer than the known ones, from the newest one down. Seen from there, the known items are the lower end of the list,
 * which is complete: it has no older ones. The new ones are one commit: newer items must not be committed without the older ones.
 */
function readWhatCameSince(stretches: readonly Stretch[], options: OldestFirstOptions, list: List): Promise<boolean> {
  const { trailing, retention } = options.walk
  const known = stretches.map((stretch, position) =>
    position < stretches.length - 1 ? stretch : { ...stretch, token: null, tokenAtMs: null, end: true },
  )
  const walk: PageChain = { kind: 'pageChain', list, trailing, retention }
  return readDown(known, { ...options, walk }, { atOnce: true, isRecorded: stretches.at(-1)?.end === true })
}

/** What to record of a list: its stretch, below a hole if there is one. */
function recordOf(hole: Stretch['hole'], stretch: Stretch): readonly Stretch[] {
  return belowHole(hole, hasItems(stretch) ? [stretch] : [])
}

/** The stretch after one more page with `fresh` new items. Its top does not move until the reading is past it. */
function grown(
  stretch: Stretch,
  { items }: Page,
  fresh: number,
  beyond: boolean,
  from: ResumePage | undefined,
): Stretch {
  const keys = items.map(({ key }) => key)
  const place = { token: from?.token ?? null, tokenAtMs: from?.tokenAtMs ?? null }
  if (items.length === 0) return { ...stretch, ...place }
  const bottom = stretch.bottomKeys.length === 0 ? { bottomKeys: keys, bottomTime: items[0]?.time ?? null } : {}
  const top = beyond ? { topKeys: keys, topTime: items.at(-1)?.time ?? null } : {}
  return { ...stretch, ...bottom, ...top, ...place, items: stretch.items + fresh }
}

/** The pages at which the next run may resume. Items may still arrive late after the first of them. */
function resumePagesFor(resumePages: readonly ResumePage[], { items }: Page, trailing: number): readonly ResumePage[] {
  const time = items.at(-1)?.time ?? null
  const fromOn = resumePages.findLastIndex(({ firstTime }) => {
    return time === null || firstTime === null || firstTime < time - trailing
  })
  return resumePages.slice(Math.max(0, fromOn))
}

function timeOf(item: PageItem | undefined): number | null {
  return item?.time ?? null
}

type StretchCommitOptions = {
  /** Nothing is committed before the end of the walk. */
  readonly atOnce?: boolean
  /** The stretches that the catalog has. Default: those of `begin`. */
  readonly recorded?: readonly Stretch[]
}

/** The commits of a list with stretches. `stretchesOf` returns those to record for a progress; none for a list without items. */
function createStretchCommits<P>(
  { stream, run }: Pick<ListWalk<unknown>, 'stream' | 'run'>,
  begin: P,
  stretchesOf: (progress: P) => readonly Stretch[],
  { atOnce = false, recorded: known = stretchesOf(begin) }: StretchCommitOptions = {},
) {
  let newRows = 0
  let recorded = known
  const commits = createListCommits(
    run,
    begin,
    () => createListBatch(run, stream.tables),
    async (rows, progress) => {
      const stretches = stretchesOf(progress)
      await commitRows(run, stream, rows, [{ kind: 'stretches', stretches }])
      newRows += rows.rows()
      recorded = stretches
    },
  )
  const stretches = () => stretchesOf(commits.progress())
  return {
    ...commits,
    /** Number of new rows that are not committed yet, and of those that are. */
    rows: () => commits.batch().rows(),
    newRows: () => newRows,
    /** Whether the catalog has the progress already. */
    isRecorded: () => isDeepStrictEqual(stretches(), recorded),
    commitWhenDue: async () => (atOnce ? undefined : commits.commitWhenDue()),
    /** Commits the last batch if it has rows, if it joined stretches that an earlier commit recorded, or if `isChanged` is true. */
    async end(isChanged: boolean): Promise<void> {
      const rows = commits.batch()
      await rows.compare()
      const { length } = stretches()
      if (length > 0 && (isChanged || length < recorded.length || rows.rows() > 0)) await commits.commit()
      else await rows.abort()
    },
    fail: (error: unknown) => commits.fail(error, !atOnce && stretches().length > 0),
  }
}
