import type { Page, RangeSource, RangeWalk, ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import type { Slice } from '../../model.ts'
import type { ServiceRun } from '../rows/lake-run.ts'
import type { RangeMember } from '../units/range-plan.ts'
import { listPages } from './list-pages.ts'
import { windowLengths } from './window-lengths.ts'

export type RangeStream = StreamDeclaration & { readonly walk: RangeWalk }

/** A page of a window, which begins at a coordinate. */
type WindowPage = { readonly from: number; readonly page: Page }

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
      const window = { from, to }
      const pages: Page[] = []
      let items = 0
      for (const slice of listSlices(kind, window)) {
        const list = walk.list(slice)
        const begin = pages.length
        try {
          for await (const event of listPages(list, { client: run.client, signal, context })) {
            if ('restarted' in event) {
              pages.length = begin
              continue
            }
            run.page()
            pages.push(event.page)
            items += event.page.items.length
            if (pages.length >= mostWaitingPages || items >= mostWaitingItems) await turn
            signal.throwIfAborted()
            lengths.judge(window, pages, list)
          }
        } catch (error) {
          if (pages.length === begin) lengths.refused(window, error)
          throw error
        }
      }
      lengths.read(window, pages.length)
      return pages.map((page) => ({ from, page }))
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
