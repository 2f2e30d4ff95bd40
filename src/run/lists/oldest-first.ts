import type { OldestFirst, Page } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import { type ChainOptions, newChainUnit, noStretch } from './chain-unit.ts'
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
 */
export async function walkOldestFirst(options: Options): Promise<boolean> {
  const { stream, run } = options
  const known = (await run.catalog.stretches(stream.stream))[0] ?? noStretch
  const alive = known.token !== null && isYoung(known.tokenAtMs, options.nowMs())
  if (known.end && !alive) return readWhatCameSince(known, options)
  const { reached, newRows, stretch } = await readOn(
    alive ? known : { ...known, token: null, tokenAtMs: null },
    options,
  )
  if (reached) return newRows === 0
  return (await readWhatCameSince(stretch, options)) && newRows === 0
}

type ReadOn = {
  readonly stretch: Stretch
  readonly newRows: number
  /** False when the token died and the end of the list had been reached before. */
  readonly reached: boolean
}

/** How far a reading towards the end of the list is. */
type Progress = {
  /** Whether the reading is past the newest known item, or no item is known. */
  readonly isPastKnown: boolean
  /** The request for the next page. */
  readonly next: Omit<Place, 'firstTime'>
  readonly places: readonly Place[]
  /** The last page that had items. */
  readonly last: Page | null
}

/** Reads from the token of a stretch, or from the beginning of the list, to its end. */
async function readOn(known: Stretch, options: Options): Promise<ReadOn> {
  const { walk, run, context, nowMs } = options
  const { token, tokenAtMs } = known
  const commits = createListCommits(options, known, stretchesOf)
  const firstKeys = new Set(known.bottomKeys.slice(0, 1))
  let begun: number | null = null
  let progress: Progress = { isPastKnown: hasNoItems(known), next: { token, tokenAtMs }, places: [], last: null }
  try {
    const reading = { client: run.client, signal: run.stop, context, token, firstKeys }
    for await (const event of listPages(walk.list, reading)) {
      if ('restarted' in event) {
        if (commits.rows() > 0) await commits.commit()
        const current = commits.progress()
        if (current.end) return { stretch: current, newRows: commits.newRows(), reached: false }
        const next = { token: null, tokenAtMs: null }
        progress = { isPastKnown: hasNoItems(current), next, places: [], last: progress.last }
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
  commits.turnTo(atEnd(commits.progress(), progress))
  await commits.end(!known.end)
  return { stretch: commits.progress(), newRows: commits.newRows(), reached: true }
}

function hasNoItems({ topKeys }: Stretch): boolean {
  return topKeys.length === 0
}

/** The progress and the stretch after one more page. */
function withPage(
  { isPastKnown: wasPast, next, places: before, last }: Progress,
  stretch: Stretch,
  page: Page,
  trailing: number,
  nowMs: number,
): { progress: Progress; stretch: Stretch } {
  const { items } = page
  const newest = items.findIndex(({ key }) => key === stretch.topKeys.at(-1))
  const isPastKnown = wasPast || newest >= 0
  // Without the newest known item all items of the page are known.
  const fresh = wasPast ? items.length : newest < 0 ? 0 : items.length - newest - 1
  const [first] = items
  const places =
    first === undefined ? before : placesFor([...before, { ...next, firstTime: first.time }], page, trailing)
  return {
    progress: {
      isPastKnown,
      next: { token: page.next, tokenAtMs: nowMs },
      places,
      last: first === undefined ? last : page,
    },
    stretch: grown(stretch, page, fresh, isPastKnown, places[0]),
  }
}

/** The stretch at the end of the list. */
function atEnd(stretch: Stretch, { isPastKnown, last, places }: Progress): Stretch {
  // The newest known item may be gone. Then only the end of the list shows that the reading is past it.
  const whole = !isPastKnown && last !== null ? grown(stretch, last, 0, true, places[0]) : stretch
  return { ...whole, end: true }
}

/** How far a reading from the newest item down is. */
type Downward = {
  /** The first page that has items. */
  readonly head: Page | null
  /** Number of new items. */
  readonly fresh: number
  /** Whether the newest known item has been seen. */
  readonly touched: boolean
}

const notBegun: Downward = { head: null, fresh: 0, touched: false }

function downWithPage({ head: before, fresh, touched }: Downward, page: Page, known: Stretch): Downward {
  const head = before ?? (page.items.length > 0 ? page : null)
  if (touched) return { head, fresh, touched }
  const top = page.items.findIndex(({ key }) => known.topKeys.includes(key))
  return { head, fresh: fresh + (top < 0 ? page.items.length : top), touched: top >= 0 }
}

/**
 * Reads the items that are newer than a stretch, from the newest one down, and items that may have arrived late. All of them are one commit:
 * newer items must not be committed without the older ones.
 */
async function readWhatCameSince(known: Stretch, options: Options): Promise<boolean> {
  const { walk, run, context } = options
  const unit = newChainUnit(options)
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
  } catch (error) {
    await unit.abort()
    throw error
  }
  const { head, fresh } = progress
  if (head === null || unit.rows() === 0) {
    await unit.abort()
    return true
  }
  const topKeys = head.items.map(({ key }) => key).reverse()
  const topTime = head.items[0]?.time ?? null
  const stretch = { ...known, topKeys, topTime, token: null, tokenAtMs: null, end: true, items: known.items + fresh }
  await commitStretch(stretch, unit, options)
  return false
}

function stretchesOf(stretch: Stretch): readonly Stretch[] {
  return stretch.topKeys.length > 0 ? [stretch] : []
}

async function commitStretch(
  stretch: Stretch,
  unit: ReturnType<typeof newChainUnit>,
  { stream, run }: Options,
): Promise<void> {
  const names = Object.values(stream.tables).map(({ name }) => name)
  const progress = { kind: 'stretches', stretches: [stretch] } as const
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
