import {
  clockTolerance,
  type List,
  type Page,
  type RangeSource,
  type RangeWalk,
  type ReadingContext,
  type RequestedRange,
  type StreamDeclaration,
} from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import type { ListRun } from '../rows/lake-run.ts'
import type { RangeMember } from '../units/range-plan.ts'
import { earlyWindow } from './early-end.ts'
import { listPages } from './list-pages.ts'
import { leavesOut, watchListEnd } from './window-end.ts'
import { type WindowLengths, windowLengths } from './window-lengths.ts'

export type RangeStream = StreamDeclaration & { readonly walk: RangeWalk }

/** `nowMs`: the clock, in milliseconds since 1970 UTC. */
type WindowTools = { readonly context: () => ReadingContext; readonly nowMs: () => number }

/** A page of a window that begins at the coordinate `from`. */
type WindowPage = { readonly from: number; readonly page: Page }

/** Maximum number of pages, and of their items, that a window reads before its turn. A page has from one to some thousand items. */
const maxWaitingPages = 40
const maxWaitingItems = 8192

/** A route for ranges of a list, as a range of records where each record is a page. A window has any number of pages. */
export function listedRange(
  { stream, tables, walk }: RangeStream,
  run: ListRun,
  { context, nowMs }: WindowTools,
): RangeMember<WindowPage> {
  const { kind, from, to, trailing, head } = walk
  const believed = { ahead: walk.ahead }
  return {
    stream,
    tables,
    source: pagesOfWindows({ stream, walk }, run, { context, nowMs }, believed),
    mostRecords: run.unitPages,
    walk: {
      record: 'page',
      what: `the ${kind === 'timeWindow' ? 'times' : 'blocks'} of ${head.request.path}`,
      from,
      to,
      trailing,
      // Known when the run has seen the head.
      get beyond() {
        return believed.ahead
      },
      unit: null,
      rows: 'compared',
      order: 'chain',
      outputs: [{ tables, read: ({ page }: WindowPage) => page.rows }],
      context: null,
      linkOf: null,
      notice: null,
    },
  }
}

function pagesOfWindows(
  { stream, walk }: Pick<RangeStream, 'stream' | 'walk'>,
  run: ListRun,
  { context, nowMs }: WindowTools,
  believed: { ahead: number },
): RangeSource<WindowPage> {
  const { kind } = walk
  const lengths = windowLengths(walk)
  const read = async (window: Slice, signal: AbortSignal, turn: Promise<void>): Promise<Page[]> => {
    const reading: WindowRead = { window, pages: [], items: 0, lengths, signal, turn }
    for (const slice of listSlices(kind, window)) await readSlice(walk.list, slice, reading, run, context)
    return reading.pages
  }
  return {
    async head() {
      const last = await believedHead(walk, run, nowMs())
      if (last === null || kind !== 'timeWindow') return last
      // Rows of the last seconds may still appear, so that these seconds are read, and again by the next run.
      const covered = Math.min(last, Math.floor(nowMs() / 1000) - walk.trailing)
      believed.ahead = walk.ahead + last - covered
      return covered
    },
    whyEmpty: () => null,
    windowSize: lengths.current,
    async window(from, to, signal = run.stop, turn = Promise.resolve()) {
      const window = { from, to }
      let pages = await read(window, signal, turn)
      const { requested: { range } = {} } = walk.list({ from, to: from + 1 })
      if (range !== undefined) {
        const known = await newestKnown(stream, range, run)
        // An answer without the known rows is not believed: the window is read once more.
        if (leavesOut(pages, window, range, known)) pages = await read(window, signal, turn)
        if (leavesOut(pages, window, range, known)) throw earlyWindow(walk.list(window), stream, window, known)
      }
      lengths.read(window, pages.length)
      return pages.map((page) => ({ from, page }))
    },
    at: ({ from }) => from,
  }
}

/** The coordinate of the newest row that the lake has of a stream, as far as files tell; null without one. */
async function newestKnown(stream: Stream, { column, holds }: RequestedRange, run: ListRun): Promise<number | null> {
  const highest = (await run.highest(column)).get(streamId(stream))
  return highest === undefined ? null : Number(holds === 'times' ? highest / 1_000_000n : highest)
}

/** A window that is being read, page by page. */
type WindowRead = {
  readonly window: Slice
  readonly pages: Page[]
  items: number
  readonly lengths: WindowLengths
  readonly signal: AbortSignal
  /** Resolves when all earlier windows have been consumed. */
  readonly turn: Promise<void>
}

/** Appends the pages of a slice. A list may end too early: what follows its last item is then read as a list of its own. */
async function readSlice(
  listOf: RangeWalk['list'],
  slice: Slice,
  read: WindowRead,
  run: ListRun,
  context: () => ReadingContext,
): Promise<void> {
  const restOf = watchListEnd(slice)
  for (let rest: Slice | null = slice; rest !== null; ) {
    const begin = read.pages.length
    const list = listOf(rest)
    await readList(list, read, run, context)
    rest = restOf(list, read.pages.slice(begin))
  }
}

/** Appends the pages of one list of a window. */
async function readList(list: List, read: WindowRead, run: ListRun, context: () => ReadingContext): Promise<void> {
  const { window, pages, lengths, signal } = read
  const begin = pages.length
  try {
    for await (const event of listPages(list, { client: run.client, signal, context })) {
      if ('restarted' in event) {
        pages.length = begin
        continue
      }
      run.page()
      pages.push(event.page)
      read.items += event.page.items.length
      if (pages.length >= maxWaitingPages || read.items >= maxWaitingItems) await read.turn
      signal.throwIfAborted()
      lengths.judge(window, pages, list)
    }
  } catch (error) {
    if (pages.length === begin) lengths.refused(window, error)
    throw error
  }
}

/** The slices of a window that each have their own list. */
function* listSlices(kind: RangeWalk['kind'], slice: Slice): Generator<Slice, void, undefined> {
  if (kind !== 'heightRange') yield slice
  else for (let from = slice.from; from < slice.to; from++) yield { from, to: from + 1 }
}

const highestBlock = 2 ** 40

/**
 * The head of the source. Everything below a head counts as read, and a range without rows is read at once: a wrong head would mark all future
 * rows as read. So it counts only when a second answer confirms it, and the lower of the two is the head. A time must not be in the future
 * either.
 */
async function believedHead(
  { kind, head: { request, decode } }: RangeWalk,
  run: ListRun,
  nowMs: number,
): Promise<number | null> {
  const isTime = kind === 'timeWindow'
  const highest = isTime ? Math.floor(nowMs / 1000) + clockTolerance : highestBlock
  const first = await run.headOf(request, decode)
  if (first === null) return null
  const second = await run.headOf(request, decode, 'again')
  const lower = second === null ? null : Math.min(first, second)
  if (lower !== null && lower > highest) throw incredibleHead(request.path, isTime, lower)
  return lower
}

function incredibleHead(path: string, isTime: boolean, head: number): TransportError {
  const what = isTime ? 'time in Unix seconds' : 'number'
  return new TransportError(`The service reports an impossible newest ${what}: ${head}.`, {
    code: 'transport.head',
    retryable: false,
    details: { path },
    hint: `Nothing was read. The service is faulty or is not the expected one${isTime ? ', or the clock of this machine is late' : ''}: check its URL, and run again later.`,
  })
}
