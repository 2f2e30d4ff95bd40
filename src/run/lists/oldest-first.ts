import type { OldestFirst, Page, PageItem } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import type { ListUnit } from '../rows/list-unit.ts'
import { type ChainOptions, newChainUnit, noStretch } from './chain-unit.ts'
import { earlyEnd, isBeyondRetention } from './early-end.ts'
import { spanOf } from './item-span.ts'
import { createListCommits } from './list-commits.ts'
import { listPages } from './list-pages.ts'
import { isYoung } from './token-age.ts'

type Options = ChainOptions<OldestFirst>

/** A page at which the next run may resume: the token of the request for it, null for the beginning of the list. */
type Place = { readonly token: string | null; readonly tokenAtMs: number | null; readonly firstTime: number | null }

/**
 * Reads a list that has its oldest items first and grows at its end: from the beginning, or from where an earlier run stopped, to the end.
 * All committed items are older than all others. Progress is one stretch: its top is the newest item, its token requests the page at which
 * the next run resumes (some seconds before the newest item), and `end` records that the end of the list was reached once. If the token is
 * dead and the end was never reached, the list is read from its beginning again, through the known items. If the end was reached, only the
 * newer items are read, from the newest one down. Resolves to true when there was nothing new.
 *
 * An end of the list before the newest known item is not believed: see `readWhatCameSince`. Items above such an end are a stretch of their own.
 */
export async function walkOldestFirst(options: Options): Promise<boolean> {
  const { stream, run } = options
  const stretches = await run.catalog.stretches(stream.stream)
  const known = stretches[0] ?? noStretch
  const alive = known.token !== null && isYoung(known.tokenAtMs, options.nowMs())
  if (stretches.length > 1 || (known.end && !alive)) return readWhatCameSince(stretches, options)
  const { reached, newRows, stretch } = await readOn(
    alive ? known : { ...known, token: null, tokenAtMs: null },
    options,
  )
  if (reached) return newRows === 0
  return (await readWhatCameSince([stretch], options)) && newRows === 0
}

type ReadOn = {
  readonly stretch: Stretch
  readonly newRows: number
  /** False when the list ended before the newest known item, or when the token died and the end of the list had been reached before. */
  readonly reached: boolean
}

/** How far a reading towards the end of the list is. */
type Progress = {
  /** Whether the reading is past the newest known item, or no item is known. */
  readonly isPastKnown: boolean
  /** The request for the next page. */
  readonly next: Omit<Place, 'firstTime'>
  readonly places: readonly Place[]
}

/** Reads from the token of a stretch, or from the beginning of the list, to its end. */
async function readOn(known: Stretch, options: Options): Promise<ReadOn> {
  const { walk, run, context, nowMs } = options
  const { token, tokenAtMs } = known
  const commits = createListCommits(options, known, stretchesOf)
  const firstKeys = new Set(known.bottomKeys.slice(0, 1))
  let begun: number | null = null
  let progress: Progress = { isPastKnown: !hasItems(known), next: { token, tokenAtMs }, places: [] }
  try {
    const reading = { client: run.client, signal: run.stop, context, token, firstKeys }
    for await (const event of listPages(walk.list, reading)) {
      if ('restarted' in event) {
        if (commits.rows() > 0) await commits.commit()
        const current = commits.progress()
        if (current.end) return { stretch: current, newRows: commits.newRows(), reached: false }
        const next = { token: null, tokenAtMs: null }
        progress = { isPastKnown: !hasItems(current), next, places: [] }
        continue
      }
      const { page } = event
      run.page()
      const after = withPage(progress, commits.progress(), page, walk.trailing, nowMs())
      progress = after.progress
      await commits.take(page.rows, after.stretch)
      const done = after.stretch.items
      const at = page.items.at(-1)?.time ?? null
      begun ??= page.items[0]?.time ?? null
      const span = spanOf(begun, at, nowMs() / 1000)
      run.emit({ kind: 'progress', pipeline: run.pipeline, done, total: 0, rows: commits.rows(), bytes: 0, ...span })
      await commits.commitWhenDue()
    }
  } catch (error) {
    await commits.fail(error)
    throw error
  }
  if (!progress.isPastKnown) {
    await commits.end(false)
    return { stretch: commits.progress(), newRows: commits.newRows(), reached: false }
  }
  commits.turnTo({ ...commits.progress(), end: true })
  await commits.end(!known.end)
  return { stretch: commits.progress(), newRows: commits.newRows(), reached: true }
}

function hasItems({ topKeys }: Stretch): boolean {
  return topKeys.length > 0
}

/** The progress and the stretch after one more page. */
function withPage(
  { isPastKnown: wasPast, next, places: before }: Progress,
  stretch: Stretch,
  page: Page,
  trailing: number,
  nowMs: number,
): { progress: Progress; stretch: Stretch } {
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
  const places =
    first === undefined ? before : placesFor([...before, { ...next, firstTime: first.time }], page, trailing)
  return {
    progress: {
      isPastKnown,
      next: { token: page.next, tokenAtMs: nowMs },
      places,
    },
    stretch: grown(stretch, page, fresh, isPastKnown, places[0]),
  }
}

/** How far a reading from the newest item down is. */
type Downward = {
  /** The first page that has items, and the last one. */
  readonly head: Page | null
  readonly last: Page | null
  /** Number of new items. */
  readonly fresh: number
  /** Whether the newest known item, or an older one, has been seen. */
  readonly touched: boolean
}

const notBegun: Downward = { head: null, last: null, fresh: 0, touched: false }

function downWithPage({ head, last, fresh, touched }: Downward, page: Page, known: Stretch): Downward {
  const { topKeys, topTime } = known
  if (page.items.length === 0) return { head, last, fresh, touched }
  const read = { head: head ?? page, last: page }
  if (touched) return { ...read, fresh, touched }
  const isKnown = ({ key, time }: PageItem) =>
    topKeys.includes(key) || (time !== null && topTime !== null && time < topTime)
  const top = page.items.findIndex(isKnown)
  return { ...read, fresh: fresh + (top < 0 ? page.items.length : top), touched: top >= 0 }
}

/**
 * Reads the items that are newer than the known ones, from the newest one down, and items that may have arrived late. All of them are one
 * commit: newer items must not be committed without the older ones.
 *
 * If the list ends before the newest known item, it is read once more. If it ends there again, its items become a stretch above a hole, and
 * this throws `EarlyEndError`. The next run reads from the newest item down to the known ones again.
 */
async function readWhatCameSince(stretches: readonly Stretch[], options: Options): Promise<boolean> {
  const { walk, stream, nowMs } = options
  const real = stretches.filter(hasItems)
  const at = real.findIndex(({ hole }, position) => hole === 'accepted' || position === real.length - 1)
  const [known = noStretch, ...below] = real.slice(at)
  const unit = newChainUnit(options)
  let progress = await readDownTo(known, unit, options)
  if (!progress.touched) progress = await readDownTo(known, unit, options)
  const isKnown = stretches.length === 1 + below.length && known.end
  const { head, last, fresh, touched } = progress
  const top = {
    topKeys: (head?.items ?? []).map(({ key }) => key).reverse(),
    topTime: head?.items[0]?.time ?? null,
    token: null,
    tokenAtMs: null,
  }
  const commit = async (committed: readonly Stretch[], isChanged: boolean): Promise<boolean> => {
    const isNew = unit.rows() > 0
    if (isNew || isChanged) await commitStretches(committed, unit, options)
    else await unit.abort()
    return !isNew
  }
  if (touched) return commit([{ ...known, ...top, end: true, items: known.items + fresh }, ...below], !isKnown)
  const isAccepted = stretches.some((stretch) => stretch.hole === 'accepted' && !hasItems(stretch))
  const isGone = isBeyondRetention(known.topTime, walk.retention, nowMs())
  const bottom = {
    bottomKeys: (last?.items ?? []).map(({ key }) => key),
    bottomTime: last?.items.at(-1)?.time ?? null,
    end: isGone && head !== null,
    hole: isGone ? null : isAccepted ? ('accepted' as const) : ('open' as const),
    items: fresh,
  }
  const above = [{ ...top, ...bottom }].filter((stretch) => hasItems(stretch) || stretch.hole !== null)
  const now = [...above, known, ...below]
  const upToDate = await commit(now, JSON.stringify(now.map(holeOf)) !== JSON.stringify(stretches.map(holeOf)))
  if (bottom.hole === 'open') throw earlyEnd(walk.newestFirst, stream.stream, known.topTime, fresh)
  return upToDate
}

function holeOf({ topKeys, end, hole }: Stretch) {
  return { topKeys, end, hole }
}

/** Reads from the newest item down to known items, or to the end of the list. */
async function readDownTo(known: Stretch, unit: ListUnit, { walk, run, context }: Options): Promise<Downward> {
  let progress = notBegun
  try {
    for await (const event of listPages(walk.newestFirst, { client: run.client, signal: run.stop, context })) {
      if ('restarted' in event) {
        progress = notBegun
        continue
      }
      const { page } = event
      run.page()
      progress = downWithPage(progress, page, known)
      const isReached = progress.touched && !isLate(page, known, walk.trailing) && (await unit.holdsAll(page.rows))
      unit.add(page.rows)
      if (isReached) break
      if (unit.isFull()) await unit.flush()
      const done = known.items + progress.fresh
      const span = spanOf(progress.head?.items[0]?.time ?? null, page.items.at(-1)?.time ?? null, known.topTime)
      run.emit({ kind: 'progress', pipeline: run.pipeline, done, total: 0, rows: unit.rows(), bytes: 0, ...span })
    }
    await unit.flush()
    return progress
  } catch (error) {
    await unit.abort()
    throw error
  }
}

function stretchesOf(stretch: Stretch): readonly Stretch[] {
  return stretch.topKeys.length > 0 ? [stretch] : []
}

async function commitStretches(stretches: readonly Stretch[], unit: ListUnit, { stream, run }: Options): Promise<void> {
  const names = Object.values(stream.tables).map(({ name }) => name)
  const progress = { kind: 'stretches', stretches } as const
  await commitUnit(run, names, unit, [{ stream: stream.stream, progress, owner: 0 }])
}

/** The stretch after one more page with `fresh` new items. Its top does not move until the reading is past it. */
function grown(stretch: Stretch, { items }: Page, fresh: number, beyond: boolean, from: Place | undefined): Stretch {
  const keys = items.map(({ key }) => key)
  const place = { token: from?.token ?? null, tokenAtMs: from?.tokenAtMs ?? null }
  if (items.length === 0) return { ...stretch, ...place }
  const bottom = stretch.bottomKeys.length === 0 ? { bottomKeys: keys, bottomTime: items[0]?.time ?? null } : {}
  const top = beyond ? { topKeys: keys, topTime: items.at(-1)?.time ?? null } : {}
  return { ...stretch, ...bottom, ...top, ...place, items: stretch.items + fresh }
}

/** The pages at which the next run may resume. Items may still arrive late after the first of them. */
function placesFor(places: readonly Place[], { items }: Page, trailing: number): readonly Place[] {
  const time = items.at(-1)?.time ?? null
  const fromOn = places.findLastIndex(({ firstTime }) => {
    return time === null || firstTime === null || firstTime < time - trailing
  })
  return places.slice(Math.max(0, fromOn))
}

function isLate({ items }: Page, { topTime }: Stretch, trailing: number): boolean {
  const time = items[0]?.time ?? null
  return time !== null && topTime !== null && time >= topTime - trailing
}
