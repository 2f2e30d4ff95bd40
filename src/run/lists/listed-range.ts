import type { List, Page, RangeSource, RangeWalk, ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import type { Slice } from '../../model.ts'
import type { ListRun } from '../rows/lake-run.ts'
import type { RangeMember } from '../units/range-plan.ts'
import { listPages } from './list-pages.ts'
import { type WindowLengths, windowLengths } from './window-lengths.ts'

export type RangeStream = StreamDeclaration & { readonly walk: RangeWalk }

/** A page of a window that begins at the coordinate `from`. */
type WindowPage = { readonly from: number; readonly page: Page }

/** Maximum number of pages, and of their items, that a window reads before its turn. A page has from one to some thousand items. */
const maxWaitingPages = 40
const maxWaitingItems = 8192

/** A route for ranges of a list, as a range of records where each record is a page. A window has any number of pages. */
export function listedRange(
  { stream, tables, walk }: RangeStream,
  run: ListRun,
  context: () => ReadingContext,
): RangeMember<WindowPage> {
  const { kind, from, to, trailing, ahead, head } = walk
  return {
    stream,
    tables,
    source: pagesOfWindows(walk, run, context),
    mostRecords: run.unitPages,
    walk: {
      record: 'page',
      what: `the ${kind === 'timeWindow' ? 'times' : 'blocks'} of ${head.request.path}`,
      from,
      to,
      trailing,
      beyond: ahead,
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

function pagesOfWindows(walk: RangeWalk, run: ListRun, context: () => ReadingContext): RangeSource<WindowPage> {
  const { kind, head } = walk
  const lengths = windowLengths(walk)
  return {
    async head() {
      const last = await run.headOf(head.request, head.decode)
      if (last !== null && last > farthest[kind]) throw incredibleHead(head.request.path, kind, last)
      return last
    },
    whyEmpty: () => null,
    windowSize: lengths.current,
    async window(from, to, signal = run.stop, turn = Promise.resolve()) {
      const read: WindowRead = { window: { from, to }, pages: [], items: 0, lengths, signal, turn }
      for (const slice of listSlices(kind, read.window)) await readList(walk.list(slice), read, run, context)
      lengths.read(read.window, read.pages.length)
      return read.pages.map((page) => ({ from, page }))
    },
    at: ({ from }) => from,
  }
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

/**
 * The highest plausible head. Everything below a head counts as read, and a range without rows is read at once: a wrong head would mark all
 * future rows as read.
 */
const farthest: Readonly<Record<RangeWalk['kind'], number>> = {
  blockWindow: 2 ** 40,
  heightRange: 2 ** 40,
  // The year 2242.
  timeWindow: 2 ** 33,
}

function incredibleHead(path: string, kind: RangeWalk['kind'], head: number): TransportError {
  const what = kind === 'timeWindow' ? 'time in Unix seconds' : 'number'
  return new TransportError(`The service reports an impossible newest ${what}: ${head}.`, {
    code: 'transport.head',
    retryable: false,
    details: { path },
    hint: 'Nothing was read. The service is faulty or is not the expected one: check its URL, and run again later.',
  })
}
