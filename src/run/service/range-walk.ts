import type { Page, RangeWalk, ReadingContext, StreamDeclaration, Tables } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { type Progress, type Slice, streamId } from '../../model.ts'
import { intersect } from '../../plan/intervals.ts'
import { keepsWhole } from '../early-end.ts'
import type { ServiceRun } from '../lake-run.ts'
import { commitUnit, type StreamProgress } from './commit-unit.ts'
import { listPages } from './list-pages.ts'
import { createListUnit, type ListUnit } from './list-unit.ts'
import { type ListTask, orderedLists } from './ordered-lists.ts'
import { type Gap, gapsOf, planWindows, type WindowPlan } from './range-plan.ts'
import { filesThatMayHold } from './visible-files.ts'

export type RangeStream = StreamDeclaration & { readonly walk: RangeWalk }

export type RangeOptions = {
  /** Streams that fill the same tables: small ones share commits and files. */
  readonly streams: readonly RangeStream[]
  readonly tables: Tables
  readonly run: ServiceRun
  readonly context: () => ReadingContext
}

/** A window that turns out to have more pages is cut in two. */
const mostPages = 400
/** A unit is committed when it has so many rows. */
const unitRows = 131_072

/** Where reading goes on: at a gap, from `next`, with windows of `length` first. */
type Cursor = { readonly gap: number; readonly next: number; readonly length: number }

/** Walks what streams lack of their source, in windows that are read whole. Resolves to true when there was nothing to do. */
export async function walkRanges(options: RangeOptions): Promise<boolean> {
  const { streams, tables, run } = options
  const names = Object.values(tables).map(({ name }) => name)
  const coverage = await run.catalog.coverages(
    streams.map(({ stream }) => stream),
    names,
  )
  const gaps: Gap[] = []
  for (const stream of streams) {
    const covered = coverage.get(streamId(stream.stream)) ?? new Map<string, { slice: Slice }[]>()
    const [first = [], ...others] = names.map((name) => (covered.get(name) ?? []).map(({ slice }) => slice))
    const all = others.reduce((common, slices) => intersect(common, slices), first)
    gaps.push(...gapsOf(stream, stream.walk, await endOf(stream.walk, options), all))
  }
  const begin = (gap: number): Cursor => {
    const first = gaps[gap]
    return { gap, next: first?.readFrom ?? 0, length: first?.walk.first ?? 1 }
  }
  for (let cursor = begin(0); cursor.gap < gaps.length; ) {
    const outcome = await walkFrom(options, gaps, cursor)
    const ended = outcome.next >= (gaps[outcome.gap]?.readTo ?? 0)
    cursor = ended ? begin(outcome.gap + 1) : outcome
  }
  return gaps.length === 0
}

/** One past the last coordinate that is there and wanted. */
async function endOf({ kind, head, to, from }: RangeWalk, { run }: RangeOptions): Promise<number> {
  const last = await run.headOf(head.request, head.decode)
  if (last !== null && last > farthest[kind]) throw incredibleHead(head.request.path, kind, last)
  const end = last === null ? from : last + 1
  return to === null ? end : Math.min(to, end)
}

/**
 * No chain goes so far. What lies below a head counts as read, and a range without rows is read in no time: a head that is no
 * coordinate at all would cover every row that is still to come.
 */
const farthest: Readonly<Record<RangeWalk['kind'], number>> = {
  blockWindow: 2 ** 40,
  heightRange: 2 ** 40,
  // The year 2242.
  timeWindow: 2 ** 33,
}

function incredibleHead(path: string, kind: RangeWalk['kind'], head: number): TransportError {
  const what = kind === 'timeWindow' ? 'time in Unix seconds' : 'number'
  return new TransportError(`The newest ${what} that the service gives cannot be true: ${head}.`, {
    code: 'transport.head',
    retryable: false,
    details: { path },
    hint: 'Nothing was read. The service is ill or not what it should be: run again later.',
  })
}

type Window = { readonly gap: number; readonly slice: Slice }

/** Reads on from a cursor to the end, or to a window that must be cut: then that is where it ends. */
async function walkFrom(options: RangeOptions, gaps: readonly Gap[], cursor: Cursor): Promise<Cursor> {
  const { run } = options
  const plans = new Map<number, WindowPlan>()
  const planOf = (gap: number): WindowPlan => {
    const { readFrom, readTo, walk } = gaps[gap]!
    const here = gap === cursor.gap
    const plan = plans.get(gap) ?? planWindows(here ? cursor.next : readFrom, readTo, here ? cursor.length : walk.first)
    plans.set(gap, plan)
    return plan
  }
  const total = gaps.reduce((sum, { slice }) => sum + slice.to - slice.from, 0)
  const unit = createRangeUnit(options, gaps, cursor)
  let window: Page[] = []
  /** Where the list that is being read begins in the window: one of heights has a list for each. */
  let listStart = 0
  let done = gaps.slice(0, cursor.gap).reduce((sum, { slice }) => sum + slice.to - slice.from, 0)
  const lists = orderedLists(tasksOf(options, gaps, cursor.gap, planOf), { atOnce: run.concurrency, stop: run.stop })
  try {
    for await (const event of lists) {
      const { gap, slice } = event.about
      if ('restarted' in event) window = window.slice(0, listStart)
      else if ('page' in event) {
        run.page()
        window.push(event.page)
        if (event.page.next === null) listStart = window.length
        if (window.length <= mostPages || slice.to - slice.from <= 1) continue
        await unit.commit()
        return { gap, next: slice.from, length: Math.floor((slice.to - slice.from) / 2) }
      } else {
        planOf(gap).learn(slice, window.length)
        await unit.add(gap, slice, window)
        window = []
        listStart = 0
        done += slice.to - slice.from
        const progress = { done: Math.min(done, total), total, rows: unit.rows(), bytes: 0 }
        run.emit({ kind: 'progress', pipeline: run.pipeline, ...progress })
      }
    }
    await unit.commit()
    return { gap: gaps.length - 1, next: Number.MAX_SAFE_INTEGER, length: 1 }
  } catch (error) {
    if (keepsWhole(error, run.stop)) await unit.commit()
    else await unit.abort()
    throw error
  }
}

function* tasksOf(
  { run, context }: RangeOptions,
  gaps: readonly Gap[],
  first: number,
  planOf: (gap: number) => WindowPlan,
): Generator<ListTask<Window>, void, undefined> {
  for (const [gap, { walk }] of gaps.entries()) {
    if (gap < first) continue
    const plan = planOf(gap)
    for (let slice = plan.next(); slice !== null; slice = plan.next()) {
      yield {
        about: { gap, slice },
        pages: async function* (signal) {
          for (const part of listSlices(walk, slice))
            yield* listPages(walk.list(part), { client: run.client, signal, context })
        },
      }
    }
  }
}

/** The slices that have a list of their own. */
function* listSlices({ kind }: RangeWalk, slice: Slice): Generator<Slice, void, undefined> {
  if (kind !== 'heightRange') yield slice
  else for (let from = slice.from; from < slice.to; from++) yield { from, to: from + 1 }
}

/** Whole windows on their way to a commit, of one gap or of many. */
function createRangeUnit({ run, tables }: RangeOptions, gaps: readonly Gap[], cursor: Cursor) {
  const names = Object.values(tables).map(({ name }) => name)
  /** By gap, up to where it is committed. */
  const committed = new Map<number, number>()
  /** By gap, up to where the unit has it. */
  let reached = new Map<number, number>()
  let unit: ListUnit | null = null
  let pagesOfUnit = 0
  let startedMs = performance.now()

  const progressOf = (gap: number, readTo: number): StreamProgress => {
    const { stream, slice } = gaps[gap]!
    // What lies beyond the head is read again by the next run.
    const to = Math.min(readTo, slice.to)
    const from = committed.get(gap) ?? Math.max(slice.from, gap === cursor.gap ? cursor.next : 0)
    committed.set(gap, Math.max(from, to))
    // What is read again below a gap is covered already.
    const progress: Progress = to > from ? { kind: 'slice', slice: { from, to }, ends: null } : { kind: 'none' }
    return { stream: stream.stream, owner: gap, progress }
  }
  const commit = async (): Promise<void> => {
    const done = unit
    const [first, ...others] = [...reached].map(([gap, to]) => progressOf(gap, to))
    unit = null
    reached = new Map()
    if (done !== null && first !== undefined) await commitUnit(run, names, done, [first, ...others])
  }
  const begin = (): ListUnit => {
    startedMs = performance.now()
    pagesOfUnit = 0
    return createListUnit(run, tables, Math.max(0, cursor.next), filesThatMayHold(run))
  }
  return {
    commit,
    abort: async () => unit?.abort(),
    rows: () => unit?.rows() ?? 0,
    async add(gap: number, slice: Slice, pages: readonly Page[]) {
      unit ??= begin()
      for (const page of pages) unit.add(page.rows, gap)
      reached.set(gap, slice.to)
      pagesOfUnit += pages.length
      if (unit.isFull()) await unit.flush()
      const full = unit.rows() >= unitRows || pagesOfUnit >= run.unitPages
      if (full || performance.now() - startedMs > run.commitEveryMs) await commit()
    },
  }
}
