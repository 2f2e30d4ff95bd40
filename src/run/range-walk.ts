import type { Page, RangeWalk, ReadingContext, ServiceStream } from '../define/index.ts'
import { TransportError } from '../errors.ts'
import type { Progress, Slice } from '../model.ts'
import { intersect, subtract } from '../plan/intervals.ts'
import { commitUnit, visibleFiles } from './commit-unit.ts'
import type { ServiceRun } from './lake-run.ts'
import { listPages } from './list-pages.ts'
import { createListUnit, type ListUnit } from './list-unit.ts'
import { type ListTask, orderedLists } from './ordered-lists.ts'
import { rowRange } from './row-range.ts'

export type RangeOptions = {
  readonly stream: ServiceStream
  readonly walk: RangeWalk
  readonly run: ServiceRun
  readonly context: () => ReadingContext
  /** The time now in Unix seconds. */
  readonly now: () => number
}

/** Pages that a window should have: enough to be worth a request for its own, few enough to be held. */
const wantedPages = 32
/** A window that turns out to have more pages is cut in two. */
const mostPages = 400
/** A unit is committed when it has so many rows. */
const unitRows = 131_072

/** Walks what a stream lacks of its source, in windows that are read whole. Resolves to true when there was nothing to do. */
export async function walkRanges(options: RangeOptions): Promise<boolean> {
  const { walk } = options
  const end = await endOf(options)
  const covered = await coveredSlices(options)
  const wanted = subtract([{ from: walk.from, to: Math.max(walk.from, end) }], covered)
  for (const gap of wanted) await walkGap(options, gap, overlapOf(walk, gap, covered))
  return wanted.length === 0
}

/** One past the last coordinate that is there and wanted. */
async function endOf({ walk, run, now }: RangeOptions): Promise<number> {
  const { head, to } = walk
  const last = 'kind' in head ? now() - 1 : await run.headOf(head.request, head.decode)
  const end = last === null ? walk.from : last + 1
  return to === null ? end : Math.min(to, end)
}

/** What every table of the stream has. */
async function coveredSlices({ stream, run }: RangeOptions): Promise<Slice[]> {
  const names = Object.values(stream.tables).map(({ name }) => name)
  const coverage = await run.catalog.coverage(stream.stream, names)
  const [first, ...others] = [...coverage.values()].map((slices) => slices.map(({ slice }) => slice))
  return others.reduce((all, slices) => intersect(all, slices), first ?? [])
}

/** Where reading begins for a gap: some way into what is covered before it, since rows may have come late there. */
function overlapOf(walk: RangeWalk, gap: Slice, covered: readonly Slice[]): number {
  const before = covered.find(({ to }) => to === gap.from)
  return before === undefined ? gap.from : Math.max(before.from, walk.from, gap.from - walk.trailing)
}

/** Reads `[readFrom, gap.to)` and commits `gap`, in units of whole windows. */
async function walkGap(options: RangeOptions, gap: Slice, readFrom: number): Promise<void> {
  let next = readFrom
  let length = Math.max(1, options.walk.first)
  while (next < gap.to) {
    const outcome = await walkWindows(options, gap, next, length)
    next = outcome.next
    length = outcome.length
  }
}

/** Goes on until the gap ends or a window must be cut: then `next` is where it begins and `length` is half of it. */
async function walkWindows(
  options: RangeOptions,
  gap: Slice,
  from: number,
  firstLength: number,
): Promise<{ next: number; length: number }> {
  const { stream, run, walk } = options
  const plan = createPlan(from, gap.to, firstLength)
  const position = Math.max(0, from)
  let unit: ListUnit | null = null
  let unitFrom = Math.max(gap.from, from)
  let committed = from
  let startedMs = Date.now()
  let window: Page[] = []

  const commit = async (to: number): Promise<void> => {
    const done = unit
    unit = null
    if (done === null) return
    const names = Object.values(stream.tables).map(({ name }) => name)
    // What is read again below the gap is covered already.
    const progress: Progress =
      to > unitFrom ? { kind: 'slice', slice: { from: unitFrom, to }, ends: null } : { kind: 'none' }
    await commitUnit(run, stream.stream, names, done, progress)
    unitFrom = Math.max(unitFrom, to)
  }
  const newUnit = (): ListUnit => {
    startedMs = Date.now()
    return createListUnit(run, stream.tables, position, (table, rows) => {
      const range = rowRange(table, rows)
      return visibleFiles(run, table, range === null ? {} : { range })
    })
  }
  const lists = orderedLists(tasksOf(options, plan), { atOnce: run.concurrency, stop: run.stop })
  try {
    for await (const event of lists) {
      const slice = event.about
      if ('restarted' in event) window = []
      else if ('page' in event) {
        run.page()
        window.push(event.page)
        if (window.length > mostPages && slice.to - slice.from > 1) {
          await commit(slice.from)
          return { next: Math.max(slice.from, from), length: Math.max(1, Math.floor((slice.to - slice.from) / 2)) }
        }
      } else {
        unit ??= newUnit()
        for (const page of window) unit.add(page.rows)
        plan.learn(slice, window.length)
        window = []
        committed = slice.to
        if (unit.isFull()) await unit.flush()
        const { from: start, to } = gap
        run.emit({
          kind: 'progress',
          pipeline: run.pipeline,
          done: Math.max(0, committed - start),
          total: to - start,
          rows: unit.rows(),
          bytes: 0,
        })
        if (unit.rows() >= unitRows || Date.now() - startedMs > run.commitEveryMs) await commit(committed)
      }
    }
    await commit(committed)
    return { next: committed, length: walk.first }
  } catch (error) {
    // What is whole is kept when the source fails or the run is told to stop; what cannot be decoded drops the unit.
    if (error instanceof TransportError || (run.stop.aborted && error === run.stop.reason)) await commit(committed)
    else await (unit as ListUnit | null)?.abort()
    throw error
  }
}

function* tasksOf({ walk, run, context }: RangeOptions, plan: Plan): Generator<ListTask<Slice>, void, undefined> {
  for (let slice = plan.next(); slice !== null; slice = plan.next()) {
    const window = slice
    yield {
      about: window,
      pages: async function* (signal) {
        for (const part of listSlices(walk, window))
          yield* listPages(walk.list(part), { client: run.client, signal, context })
      },
    }
  }
}

/** The slices that have a list of their own. */
function listSlices({ kind }: RangeWalk, slice: Slice): Slice[] {
  if (kind !== 'heightRange') return [slice]
  return Array.from({ length: slice.to - slice.from }, (_, offset) => {
    return { from: slice.from + offset, to: slice.from + offset + 1 }
  })
}

type Plan = {
  /** The next window; null at the end. */
  readonly next: () => Slice | null
  /** Told how many pages a window had: later ones become longer or shorter. */
  readonly learn: (slice: Slice, pages: number) => void
}

function createPlan(from: number, to: number, firstLength: number): Plan {
  let at = from
  let length = firstLength
  return {
    next() {
      if (at >= to) return null
      const slice = { from: at, to: Math.min(to, at + length) }
      at = slice.to
      return slice
    },
    learn(slice, pages) {
      const fitting = Math.floor(((slice.to - slice.from) * wantedPages) / Math.max(1, pages))
      // An empty stretch says little of what follows: windows grow fourfold at most.
      length = Math.max(1, Math.min(fitting, (slice.to - slice.from) * 4))
    },
  }
}
