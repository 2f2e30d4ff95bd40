import { coordinateOf, isWithin } from '../../decode/requested-rows.ts'
import {
  clockTolerance,
  type List,
  type Page,
  type RangeSource,
  type RangeWalk,
  type RequestedRange,
} from '../../define/index.ts'
import { HttpError, TransportError } from '../../errors.ts'
import { getOrCreate } from '../../lib/arrays.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import { adaptWindows, windowTooLarge } from '../../sources/window-size.ts'
import type { ListWalk, RangeMember, Run } from '../rows/lake-run.ts'
import { leastFullPage, listPages, mostWaitingItems, mostWaitingPages, pageSizeOf } from './list-pages.ts'
import { cutOff, earlyWindow } from './list-times.ts'

/** A page of a window that begins at the coordinate `from`. */
type WindowPage = { readonly from: number; readonly page: Page }

/** A route for ranges of a list, as a range of records where each record is a page. A window has any number of pages. */
export function listedRange(options: ListWalk<RangeWalk>): RangeMember<WindowPage> {
  const { stream, tables } = options.stream
  const { kind, from, to, trailing, head, ahead } = options.walk
  const believed = { ahead }
  return {
    stream,
    tables,
    source: pagesOfWindows(options, believed),
    mostRecords: options.run.unitPages,
    walk: {
      record: 'page',
      what: `the ${kind === 'timeWindow' ? 'times' : 'blocks'} ${'behind' in head ? 'up to the clock' : `of ${head.request.path}`}`,
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

function pagesOfWindows(options: ListWalk<RangeWalk>, believed: { ahead: number }): RangeSource<WindowPage> {
  const { walk, run } = options
  const { stream } = options.stream
  const { kind, unit } = walk
  const lengths = windowLengths(walk)
  const read = async (window: Slice, signal: AbortSignal, turn: Promise<void>): Promise<Page[]> => {
    const reading: WindowRead = { window, pages: [], items: 0, lengths, signal, turn }
    for (const slice of listSlices(walk, window)) await readSlice(options, slice, reading)
    return reading.pages.map((page) => rowsWithin(page, window, rangeOf(walk)))
  }
  return {
    async head() {
      const last = await believedHead(walk, run)
      if (last === null || kind !== 'timeWindow') return last
      // Rows of the last seconds may still appear, so that these seconds are read, and again by the next run.
      // So may those of a day that is not over, where rows have the day as their time.
      const covered = unitBegin(Math.min(last, Math.floor(Date.now() / 1000) - walk.trailing) + 1, unit) - 1
      believed.ahead = walk.ahead + last - covered
      return covered
    },
    whyEmpty: () => null,
    windowSize: lengths.current,
    async window(from, to, signal = run.stop, turn = Promise.resolve()) {
      const window = { from, to }
      let pages = await read(window, signal, turn)
      const range = rangeOf(walk)
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
async function newestKnown(stream: Stream, { column, holds }: RequestedRange, run: Run): Promise<number | null> {
  const highest = (await run.highest(column)).get(streamId(stream))
  return highest === undefined ? null : Number(holds === 'times' ? highest / 1_000_000n : highest)
}

type WindowRead = {
  readonly window: Slice
  readonly pages: Page[]
  items: number
  readonly lengths: ReturnType<typeof windowLengths>
  readonly signal: AbortSignal
  /** Resolves when all earlier windows have been consumed. */
  readonly turn: Promise<void>
}

/** What says which rows belong to a slice; the slice in it is any. */
function rangeOf({ list, from }: RangeWalk): RequestedRange | undefined {
  return list({ from, to: from + 1 }).requested?.range
}

function rowsWithin(page: Page, slice: Slice, range: RequestedRange | undefined): Page {
  if (range === undefined) return page
  const isInSlice = isWithin(range, slice)
  return {
    ...page,
    rows: Object.fromEntries(Object.entries(page.rows).map(([name, own]) => [name, own.filter(isInSlice)])),
  }
}

/**
 * Appends the pages of a slice. A list may end too early, such as with a full page without a token, or with an empty page behind others. So what
 * such a list may have left out is read as lists of their own (`partsAfter`), until they have nothing new and are shorter. Where a list for one
 * coordinate (or day, or month) is full as well, no shorter one can be requested. It is requested again, and throws `EarlyEndError` if other lists
 * of the slice were cut off at its number of items, or if the request allows no more.
 */
async function readSlice(options: ListWalk<RangeWalk>, slice: Slice, read: WindowRead): Promise<void> {
  const { walk } = options
  const seen = new Set<string>()
  /** Lists for single coordinates that are full. */
  const full: { readonly list: List; readonly part: Slice; readonly items: number }[] = []
  /** The number of items at which a list was cut off. */
  let cutAt = Number.POSITIVE_INFINITY
  /** Whether a list has items that the one that it continues did not have. `whole`: number of its items. */
  const hasMore = (pages: readonly Page[], items: number, whole: number): boolean => {
    const known = seen.size
    for (const { items } of pages) for (const { key } of items) seen.add(key)
    // A longer list shows that the other one was not cut off: it has grown.
    if (seen.size > known && items <= whole) cutAt = Math.min(cutAt, whole)
    return seen.size > known
  }
  const readPart = async (part: Slice, whole: number, isAgain = false): Promise<void> => {
    const begin = read.pages.length
    const list = walk.list(part)
    await readList(list, read, options)
    const pages = read.pages.slice(begin)
    const items = Math.max(...pages.map((page) => page.items.length))
    const isNew = hasMore(pages, items, whole)
    const range = list.requested?.range
    // A list that is shorter than the one that it continues was not cut off where that one was.
    if (range === undefined || (!isNew && items < whole) || !mayEndEarly(list, pages)) return
    const parts = partsAfter(part, coordinatesOf(pages, range), walk.unit)
    for (const next of parts) await readPart(next, items)
    if (parts.length > 0) return
    // A day that is not over may have new items in each answer.
    if (isNew && items >= leastFullPage && !isAgain) await readPart(part, items, true)
    else full.push({ list, part, items })
  }
  await readPart(slice, Number.POSITIVE_INFINITY)
  const isCut = ({ list, items }: (typeof full)[number]) => items >= Math.min(cutAt, mostItems(list))
  const cut = full.find(isCut)
  if (cut !== undefined) throw cutOff(cut.list, options.stream.stream, cut.part, cut.items)
}

/** The number of items that a request allows, if the service has no way to give the others. */
function mostItems(list: List): number {
  return (list.isOnePage === true ? pageSizeOf(list) : null) ?? Number.POSITIVE_INFINITY
}

/** A list that keeps the rows around its slice: they show how far an answer goes. */
function withMargin(list: List): List {
  const { requested } = list
  if (requested?.range === undefined) return list
  const { slice, margin } = requested.range
  const wide = { from: slice.from - margin.before, to: slice.to + margin.after }
  const none = { before: 0, after: 0 }
  return { ...list, requested: { ...requested, range: { ...requested.range, slice: wide, margin: none } } }
}

async function readList(
  list: List,
  read: WindowRead,
  { run, context }: Pick<ListWalk<RangeWalk>, 'run' | 'context'>,
): Promise<void> {
  const { window, pages, lengths, signal } = read
  const begin = pages.length
  try {
    for await (const event of listPages(withMargin(list), { client: run.client, signal, context })) {
      if ('restarted' in event) {
        pages.length = begin
        continue
      }
      run.page()
      pages.push(event.page)
      read.items += event.page.items.length
      if (pages.length >= mostWaitingPages || read.items >= mostWaitingItems) await read.turn
      signal.throwIfAborted()
      lengths.judge(window, pages, list)
    }
  } catch (error) {
    if (pages.length === begin) lengths.refused(window, error, list)
    throw error
  }
}

/** The slices of a window that each have their own list. Requests that name days begin and end with one. */
function* listSlices({ kind, unit }: RangeWalk, slice: Slice): Generator<Slice, void, undefined> {
  if (kind !== 'heightRange') yield { from: unitBegin(slice.from, unit), to: unitEnd(slice.to - 1, unit) }
  else for (let from = slice.from; from < slice.to; from++) yield { from, to: from + 1 }
}

const highestBlock = 2 ** 40

/**
 * The head of the source. Everything below a head counts as read, and a range without rows is read at once: a wrong head would mark all future
 * rows as read. So it counts only when a second answer confirms it, and the lower of the two is the head. A time must not be in the future
 * either.
 */
async function believedHead({ kind, head }: RangeWalk, run: Run): Promise<number | null> {
  if ('behind' in head) return Math.floor(Date.now() / 1000) - head.behind
  const { request, decode } = head
  const isTime = kind === 'timeWindow'
  const highest = isTime ? Math.floor(Date.now() / 1000) + clockTolerance : highestBlock
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
    details: { path },
    hint: `Nothing was read. The service is faulty or is not the expected one${isTime ? ', or the clock of this machine is late' : ''}: check its URL, and run again later.`,
  })
}

/**
 * Whether the answer for a window left out what the lake has of it: no row is as old as the newest known one. `known`: its coordinate; null
 * without one.
 */
function leavesOut(pages: readonly Page[], window: Slice, range: RequestedRange, known: number | null): boolean {
  if (known === null || known < window.from || known >= window.to) return false
  return !pages.some(({ rows }) =>
    Object.values(rows).some((own) => own.some((row) => coordinateOf(row, range) <= known)),
  )
}

/** Whether the end of a list may come too early: its last page is full, or empty behind others. */
function mayEndEarly(list: List, pages: readonly Page[]): boolean {
  const last = pages.at(-1)?.items.length ?? 0
  if (pages.length === 1) {
    const stated = pageSizeOf(list)
    // A service may have shorter pages than requested. With tokens it says where they continue.
    return (
      last >= (list.isOnePage === true ? Math.min(stated ?? leastFullPage, leastFullPage) : (stated ?? leastFullPage))
    )
  }
  // Lists with counted pages have an empty page at their end.
  if (last === 0) return list.isCounted !== true
  return last === Math.max(...pages.map(({ items }) => items.length))
}

/** The coordinates of the rows of pages in their order; of several tables, those of the one with the most rows. */
function coordinatesOf(pages: readonly Page[], range: RequestedRange): number[] {
  const tables = new Map<string, number[]>()
  for (const { rows } of pages)
    for (const [table, own] of Object.entries(rows as Readonly<Record<string, readonly Record<string, unknown>[]>>)) {
      const known = getOrCreate(tables, table, () => [])
      for (const row of own) known.push(coordinateOf(row, range))
    }
  return [...tables.values()].sort((a, b) => b.length - a.length)[0] ?? []
}

/**
 * The shorter parts of a slice that may have what a list with these coordinates left out: what follows the last one in an ordered list, with it;
 * in one without an order, both halves. If all are in one unit, what is before and after it, then the unit alone. Empty where no part is shorter.
 */
function partsAfter(slice: Slice, coordinates: readonly number[], unit: RangeWalk['unit']): Slice[] {
  const { from, to } = slice
  const begins = coordinates.map((at) => unitBegin(Math.min(Math.max(at, from), to - 1), unit))
  const [first, last] = [begins[0], begins.at(-1)]
  if (first === undefined || last === undefined) return []
  const isRising = begins.every((at, place) => place === 0 || at >= begins[place - 1]!)
  const isFalling = begins.every((at, place) => place === 0 || at <= begins[place - 1]!)
  const middle = begins.toSorted((a, b) => a - b)[begins.length >> 1]!
  const cut = middle > from ? middle : unitEnd(middle, unit)
  const end = unitEnd(last, unit)
  const part = (from: number, to: number): Slice => ({ from, to })
  const parts =
    isRising && isFalling
      ? [part(from, last), part(end, to), part(last, end)]
      : isRising
        ? [part(last, to)]
        : isFalling
          ? [part(from, end)]
          : [part(from, cut), part(cut, to)]
  return parts.filter((part) => part.from < part.to && part.to - part.from < to - from)
}

/** The first coordinate of a day or a month; a coordinate itself where requests name coordinates. */
function unitBegin(at: number, unit: RangeWalk['unit']): number {
  return unit === undefined ? at : unitsFrom(at, unit, 0)
}

/** The first coordinate after a day, a month or a single coordinate. */
function unitEnd(at: number, unit: RangeWalk['unit']): number {
  return unit === undefined ? at + 1 : unitsFrom(at, unit, 1)
}

function unitsFrom(at: number, unit: 'day' | 'month', count: number): number {
  const time = new Date(at * 1000)
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()]
  return (unit === 'month' ? Date.UTC(year, month + count) : Date.UTC(year, month, day + count)) / 1000
}

/** Desired number of pages per window: worth a request, and few enough to be read one after another. */
const goodPages = 32
/** A window is cut when more pages than this are expected. Its pages are then requested again. */
const manyPages = 2 * goodPages
/** A window with more pages is cut in two. */
const mostPages = 400
/** A range that the service refuses is requested in this many parts. */
const partsOfRefused = 8

/**
 * The window length of a range, adapted to the number of pages. The first window is the rest of the range, so that a range without rows costs one request. Windows become shorter when the first pages
 * predict many pages, which are then read in parallel. Each height has its own list: windows of heights begin short and grow.
 */
function windowLengths({ kind, first, unit }: Pick<RangeWalk, 'kind' | 'first' | 'unit'>) {
  const isByHeight = kind === 'heightRange'
  const largest = Number.MAX_SAFE_INTEGER
  const size = adaptWindows({
    first: isByHeight ? first : largest,
    largest,
    good: goodPages,
    growth: isByHeight ? 4 : 16,
    patience: 0,
  })
  /** The longest window that the service is known to accept. */
  let accepted = largest
  return {
    current: () => Math.min(size.current(), accepted),
    /** Checks the pages of a window so far. Throws `windowTooLarge` when shorter windows must be read instead. */
    judge({ from, to }: Slice, pages: readonly Page[], { requested }: List): void {
      // A part of a unit would be requested as the whole unit.
      if (isOneUnit({ from, to }, unit)) return
      const length = to - from
      if (length > 1 && pages.length > mostPages) {
        size.tooLarge(length)
        throw windowTooLarge('A window has more pages than fit into memory.', { from, to, pages: pages.length })
      }
      if (isByHeight || length === 1 || requested?.range === undefined || !isTimeToJudge(pages)) return
      const { density, left } = foreseen(
        { from, to },
        pages.slice(Math.min(pages.length - 2, pages.length / 2)),
        requested.range,
      )
      if (density * left <= manyPages) return
      size.answered(length, Math.ceil(density * length))
      const details = { from, to, 'pages foreseen': Math.ceil(density * left) }
      throw windowTooLarge('A window has too many pages to read one after another.', details)
    },
    /** Handles a refused first page of a list. Throws `windowTooLarge` if a shorter window may be accepted, otherwise the error. */
    refused({ from, to }: Slice, error: unknown, list: List): never {
      if (!isRefusedRange(error)) throw error
      const slice = list.requested?.range?.slice ?? { from, to }
      if (isByHeight || to - from <= first || isOneUnit(slice, unit)) throw refusedSlice(list, slice, error)
      accepted = Math.min(accepted, Math.max(first, Math.floor((to - from) / partsOfRefused)))
      throw windowTooLarge('The service refuses a window of this length.', { from, to })
    },
    read: ({ from, to }: Slice, pages: number) => size.answered(to - from, pages),
  }
}

function isOneUnit({ from, to }: Slice, unit: RangeWalk['unit']): boolean {
  return unitEnd(from, unit) >= to
}

function refusedSlice(list: List, { from, to }: Slice, refusal: HttpError): HttpError {
  return new HttpError(`The service refuses a short range of a list: ${refusal.message}`, refusal.status, {
    code: refusal.code,
    details: { ...refusal.details, path: list.request(null).path, from, to },
    hint: 'Nothing of this range counts as read. Compare the request of the list with the documentation of the service; if the service refuses ranges of this length, declare a shorter `first`.',
    cause: refusal,
  })
}

/** Whether a service refuses a range that is too long. The texts differ between services. */
export function isRefusedRange(error: unknown): error is HttpError {
  return error instanceof HttpError && [400, 413, 422].includes(error.status)
}

/** After 2, 4, 8, … pages of an unfinished list: few pages are requested twice if the first pages were misleading. */
function isTimeToJudge(pages: readonly Page[]): boolean {
  const { length } = pages
  return length > 1 && (length & (length - 1)) === 0 && pages.at(-1)?.next !== null
}

/** Pages per coordinate, estimated from some pages, and the number of coordinates left. Lists are ascending or descending. */
function foreseen(
  { from, to }: Slice,
  pages: readonly Page[],
  range: RequestedRange,
): { density: number; left: number } {
  const read = pages.map((page) => coordinatesOf([page], range)).filter(({ length }) => length > 0)
  const [first, last] = [read[0], read.at(-1)]
  if (first === undefined || last === undefined) return { density: 0, left: 0 }
  const [least, most] = [Math.min(...first, ...last), Math.max(...first, ...last)]
  const isUpwards = Math.min(...last) + Math.max(...last) > Math.min(...first) + Math.max(...first)
  return { density: pages.length / (most - least + 1), left: isUpwards ? to - 1 - most : least - from }
}
