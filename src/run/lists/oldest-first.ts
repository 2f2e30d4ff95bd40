import type { OldestFirst, Page } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { commitUnit } from '../rows/commit-unit.ts'
import { type ChainOptions, newChainUnit, noStretch } from './chain-unit.ts'
import { createListCommits } from './list-commits.ts'
import { listPages } from './list-pages.ts'
import { isYoung } from './token-age.ts'

type Options = ChainOptions<OldestFirst>

/** A page that a reading may go on from: the token that gave it, null for the beginning of the list. */
type Place = { readonly token: string | null; readonly tokenAtMs: number | null; readonly firstTime: number | null }

/**
 * Reads a list that has the oldest first, which grows at its end: from its beginning or from where an earlier run may go on, to the
 * end. All that is committed is older than all that is not. Progress is one stretch: its top is the newest item, its token gives the
 * page from which the next run reads, some seconds before that, and its end says that the end of the list was reached once.
 * Where the token is dead, a list that was not at its end yet is read from its beginning, through what is known; of one that was,
 * only what came since is read, from the newest down. Resolves to true when there was nothing new.
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
  /** False when the token died of a list that had been read to its end before. */
  readonly reached: boolean
}

/** Reads from the token of a stretch, or from the beginning of the list, to its end. */
async function readOn(known: Stretch, options: Options): Promise<ReadOn> {
  const { walk, run, context, nowMs } = options
  const commits = createListCommits(options, known, stretchesOf)
  /** Whether the reading is beyond the top of what is known, or there is none. */
  let beyond = known.topKeys.length === 0
  let next: Omit<Place, 'firstTime'> = { token: known.token, tokenAtMs: known.tokenAtMs }
  let places: readonly Place[] = []
  let last: Page | null = null

  const firstKeys = new Set(known.bottomKeys.slice(0, 1))
  try {
    for await (const event of listPages(walk.list, {
      client: run.client,
      signal: run.stop,
      context,
      token: known.token,
      firstKeys,
    })) {
      if ('restarted' in event) {
        if (commits.rows() > 0) await commits.commit()
        const current = commits.progress()
        if (current.end) return { stretch: current, newRows: commits.newRows(), reached: false }
        beyond = current.topKeys.length === 0
        next = { token: null, tokenAtMs: null }
        places = []
        continue
      }
      const { page } = event
      run.page()
      const current = commits.progress()
      const newest = page.items.findIndex(({ key }) => key === current.topKeys.at(-1))
      const fresh = beyond ? page.items.length : newest < 0 ? 0 : page.items.length - newest - 1
      beyond ||= newest >= 0
      if (page.items[0] !== undefined) {
        last = page
        places = placesFor([...places, { ...next, firstTime: page.items[0].time }], page, walk.trailing)
      }
      next = { token: page.next, tokenAtMs: nowMs() }
      const more = grown(current, page, fresh, beyond, places[0])
      await commits.take(page.rows, more)
      run.emit({ kind: 'progress', pipeline: run.pipeline, done: more.items, total: 0, rows: commits.rows(), bytes: 0 })
      await commits.commitWhenDue()
    }
  } catch (error) {
    await commits.fail(error)
    throw error
  }
  const current = commits.progress()
  // The item that was the newest may have gone: then nothing but the end says that the reading is beyond it.
  const whole = !beyond && last !== null ? grown(current, last, 0, true, places[0]) : current
  commits.turnTo({ ...whole, end: true })
  await commits.end(!known.end)
  return { stretch: commits.progress(), newRows: commits.newRows(), reached: true }
}

/**
 * Reads what is newer than a stretch from the newest down, and what may have come late. It is one commit: what is newer is not there
 * without what is older.
 */
async function readWhatCameSince(known: Stretch, options: Options): Promise<boolean> {
  const { walk, run, context } = options
  const unit = newChainUnit(options)
  let head: Page | null = null
  let fresh = 0
  let touched = false
  try {
    for await (const event of listPages(walk.newestFirst, { client: run.client, signal: run.stop, context })) {
      if ('restarted' in event) {
        head = null
        fresh = 0
        touched = false
        continue
      }
      const { page } = event
      run.page()
      if (head === null && page.items.length > 0) head = page
      const top = page.items.findIndex(({ key }) => known.topKeys.includes(key))
      if (!touched) fresh += top < 0 ? page.items.length : top
      touched ||= top >= 0
      const reached = touched && !isLate(page, known, walk.trailing) && (await unit.holdsAll(page.rows))
      unit.add(page.rows)
      if (reached) break
      if (unit.isFull()) await unit.flush()
      run.emit({
        kind: 'progress',
        pipeline: run.pipeline,
        done: known.items + fresh,
        total: 0,
        rows: unit.rows(),
        bytes: 0,
      })
    }
    await unit.flush()
  } catch (error) {
    await unit.abort()
    throw error
  }
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

/** The stretch with a page more, of which so many items are new to it. Its top stays where it is until the reading is beyond it. */
function grown(stretch: Stretch, { items }: Page, fresh: number, beyond: boolean, from: Place | undefined): Stretch {
  const keys = items.map(({ key }) => key)
  const place = { token: from?.token ?? null, tokenAtMs: from?.tokenAtMs ?? null }
  if (items.length === 0) return { ...stretch, ...place }
  const bottom = stretch.bottomKeys.length === 0 ? { bottomKeys: keys, bottomTime: items[0]?.time ?? null } : {}
  const top = beyond ? { topKeys: keys, topTime: items.at(-1)?.time ?? null } : {}
  return { ...stretch, ...bottom, ...top, ...place, items: stretch.items + fresh }
}

/** The pages that the next run may go on from: the first of them shows what may still come late. */
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
