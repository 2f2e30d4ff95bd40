import type { Page, RangeSource, RangeWalk, ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import type { Slice } from '../../model.ts'
import { windowTooLarge } from '../../sources/too-large.ts'
import { adaptWindows } from '../../sources/window-size.ts'
import type { ServiceRun } from '../lake-run.ts'
import type { RangeMember } from '../range/range-plan.ts'
import { listPages } from './list-pages.ts'

export type RangeStream = StreamDeclaration & { readonly walk: RangeWalk }

/** A page of a window, which begins at a coordinate. */
type WindowPage = { readonly from: number; readonly page: Page }

/** Pages that a window should have: enough to be worth a request of its own, few enough to be held. */
const goodPages = 32
/** A window that turns out to have more is cut in two. */
const mostPages = 400
/** Pages of a window that wait for those before it, and items of them: pages have from one to some thousands. */
const mostWaitingPages = 40
const mostWaitingItems = 8192

/** A route that is asked for ranges, as a range whose records are pages. A window holds few or many, and is read whole. */
export function listedRange(
  { stream, tables, walk }: RangeStream,
  run: ServiceRun,
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

function pagesOfWindows(walk: RangeWalk, run: ServiceRun, context: () => ReadingContext): RangeSource<WindowPage> {
  const { kind, head, first } = walk
  const size = adaptWindows({ first, largest: Number.MAX_SAFE_INTEGER, good: goodPages, growth: 4 })
  return {
    async head() {
      const last = await run.headOf(head.request, head.decode)
      if (last !== null && last > farthest[kind]) throw incredibleHead(head.request.path, kind, last)
      return last
    },
    whyEmpty: () => null,
    windowSize: size.current,
    async window(from, to, signal = run.stop, turn = Promise.resolve()) {
      const pages: WindowPage[] = []
      let items = 0
      for (const slice of listSlices(kind, { from, to })) {
        const begin = pages.length
        for await (const event of listPages(walk.list(slice), { client: run.client, signal, context })) {
          if ('restarted' in event) {
            pages.length = begin
            continue
          }
          run.page()
          pages.push({ from, page: event.page })
          items += event.page.items.length
          if (pages.length >= mostWaitingPages || items >= mostWaitingItems) await turn
          signal.throwIfAborted()
          if (pages.length <= mostPages || to - from <= 1) continue
          size.tooLarge(to - from)
          throw windowTooLarge('A window has more pages than are held at once.', { from, to, pages: pages.length })
        }
      }
      size.answered(to - from, pages.length)
      return pages
    },
    at: ({ from }) => from,
  }
}

/** The slices that have a list of their own. */
function* listSlices(kind: RangeWalk['kind'], slice: Slice): Generator<Slice, void, undefined> {
  if (kind !== 'heightRange') yield slice
  else for (let from = slice.from; from < slice.to; from++) yield { from, to: from + 1 }
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
