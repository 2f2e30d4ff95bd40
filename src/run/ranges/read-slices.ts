import type { CoveredFiles } from '../../catalog/catalog.ts'
import {
  blockTime,
  type Range,
  type RangeOutput,
  type ReadStoredRows,
  type RowsOf,
  type Table,
  type Tables,
  type WindowSource,
} from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { getOrCreate, groupBy } from '../../lib/arrays.ts'
import { reachStep } from '../../lib/step.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import type { Part, Progress, Slice, SliceEnds } from '../../model.ts'
import { intersect, subtract } from '../../plan/intervals.ts'
import { isOfSource, isStop } from '../error-parts.ts'
import { type Batch, type BatchRows, finishBatch, type RowsOptions } from '../rows/commit-batch.ts'
import type { LakeRun, RangeMember } from '../rows/lake-run.ts'
import { createHeldFinder, type PlannedSlice, type RangePlan, windowsAhead } from './plan-slices.ts'
import { type BlockLinks, createBlockLinks, extend, joinEnds } from './slice-checks.ts'

type Sink = {
  readonly output: RangeOutput
  readonly tables: readonly {
    readonly key: string
    readonly add: (rows: readonly object[], owner: number) => void
  }[]
}

/** The part of a batch that belongs to one slice of one stream. `[from, to)` of the slice has been read. */
type SlicePart = {
  readonly planned: PlannedSlice
  readonly sinks: readonly Sink[]
  readonly from: number
  to: number
  /** The ends of the records so far; null before the first record, and where records have no links. */
  ends: SliceEnds | null
  /** The ends of the blocks in the records. */
  blockEnds: SliceEnds | null
}

type OpenBatch = {
  readonly rows: BatchRows
  readonly parts: [SlicePart, ...SlicePart[]]
  /** The batch ends early because it has taken too long. */
  isDue: boolean
  records: number
  /** In how many records of the last window each field was seen that no column holds. */
  readonly unknownFields: Map<string, number>
  reported: number
  readonly startedMs: number
}

export type ReadProgress = {
  /** Number of coordinates. */
  readonly length: number
  readonly bytes: number
  readonly rows: number
  /** In how many records each field was seen that no column holds; absent if there was none. */
  readonly unknownFields?: Readonly<Record<string, number>>
}

/** Takes what was read. */
type BatchSink = {
  /** Creates the rows of a batch that begins with a slice. `after`: the delivery of the batch before. */
  readonly rowsOf: (first: PlannedSlice, options: Omit<RowsOptions<unknown>, 'run'>, after: Promise<void>) => BatchRows
  /**
   * Takes a batch with finished files; resolves when it is delivered. `isWhole`: it ends where its last slice does. `isDue`: it ended early
   * because a commit was due.
   */
  readonly deliver: (batch: Batch, ending: { last: PlannedSlice; isWhole: boolean; isDue: boolean }) => Promise<void>
  readonly read: (progress: ReadProgress) => void
}

/** Rows after which a batch is committed that is not bounded by coordinates. */
const batchRows = 131_072

/**
 * Reads slices in order: fetches in parallel, fills batches and delivers them. The next batch fills while the one before is delivered, unless
 * its rows must be compared with rows of the one before. When the source fails or `stop` is aborted, the contiguous prefix is delivered as
 * a shorter batch. When a record cannot be decoded, or its rows cannot be compared, the batch is dropped.
 */
export async function readSlices(
  slices: Iterable<PlannedSlice> | Arriving,
  run: Pick<LakeRun, 'runId' | 'concurrency' | 'commitEveryMs' | 'stop'>,
  sink: BatchSink,
): Promise<void> {
  const { stop } = run
  const knownLinks = new Map<RangeMember, BlockLinks>()
  const links = (member: RangeMember): BlockLinks =>
    getOrCreate(knownLinks, member, () => createBlockLinks(member.walk, member.source))
  /** The batches that fill: one, or one for each event of streams that share requests. */
  let filling: readonly OpenBatch[] = []
  let delivering: Promise<void> = Promise.resolve()
  /** Whether the batches have exactly the rows of the slices that they have read. */
  let isConsistent = true

  const finish = async (batch: OpenBatch): Promise<void> => {
    // One delivery at a time, in order. Its failure must end the walk before more is written.
    await delivering.catch(async (error: unknown) => {
      await batch.rows.abort()
      throw error
    })
    const { isDue, parts } = batch
    const ending = { last: parts.at(-1)!.planned, isWhole: isWhole(batch), isDue }
    const delivered = finishSlices(batch, run.runId).then((finished) => sink.deliver(finished, ending))
    delivering = delivered.then(() => {
      // Some rows may have turned out to be known.
      const rows = unreported(batch)
      if (rows !== 0) sink.read({ length: 0, bytes: 0, rows })
    })
    delivering.catch(() => undefined)
    if (isCompared(batch)) await delivering
  }
  const finishAll = async (batches: readonly OpenBatch[]): Promise<void> => {
    for (const batch of batches) {
      filling = filling.filter((other) => other !== batch)
      await finish(batch)
    }
  }

  /** The batch that takes a window, with the batches before it finished. */
  const batchFor = async (planned: PlannedSlice, from: number): Promise<OpenBatch> => {
    const { member, read, follows } = planned
    const open = filling.find((batch) => canExtend(batch, planned))
    if (open === undefined && member.source.shared === undefined) await finishAll(filling)
    // The commit compares the blocks of slices that meet.
    const isJoined = follows && from === read.from
    if (isWanted(member.walk.outputs[0], planned) && !isJoined) await links(member).startAt(from, stop)
    const batch = open ?? begin(planned, from, sink, delivering)
    if (open === undefined) filling = [...filling, batch]
    return batch
  }

  /** After a failure of the source or a stop, the contiguous prefix is delivered. */
  const finishFailed = async (error: unknown): Promise<void> => {
    const isKept = ({ parts }: OpenBatch) => parts.some(({ from, to }) => to > from)
    const kept = isConsistent && isOfSource(error) ? filling.filter(isKept) : []
    try {
      await finishAll(kept)
    } finally {
      for (const batch of filling) await batch.rows.abort()
    }
  }

  try {
    for await (const window of orderedWindows(slices, { ahead: windowsAhead(run), stop })) {
      const planned = plannedOf(window)
      const { slice } = window
      const batch = await batchFor(planned, slice.from)
      isConsistent = false
      const bytes = await take(batch, window, links(planned.member))
      await batch.rows.relieve()
      isConsistent = true
      sink.read({ length: slice.to - slice.from, bytes, rows: unreported(batch), ...unknownIn(batch) })
      const nowMs = performance.now()
      for (const each of filling) each.isDue = nowMs - each.startedMs > run.commitEveryMs
      await finishAll(complete(filling))
    }
    await finishAll(filling)
    await delivering
  } catch (error) {
    await finishFailed(error)
    await delivering
    if (!isStop(error, stop)) throw error
  }
}

/** Finishes the files of a batch. Its commit covers what was read of its slices. */
async function finishSlices({ rows, parts }: OpenBatch, runId: string): Promise<Batch> {
  const [{ planned }] = parts
  const { tables } = planned
  const { overlapping: paths } = planned.member.walk
  const seen = parts.flatMap((part) => part.planned.overlapping)
  const overlapping = paths === undefined ? {} : { overlapping: { paths, seen } }
  const [first, ...others] = parts.map((part) => {
    return { stream: part.planned.member.stream, progress: progressOf(part) }
  })
  const batch = await finishBatch(rows, { runId, tables, ...overlapping }, [first!, ...others])
  return { ...batch, newest: newestTime(batch.commit.parts, planned.member.tables) }
}

/** The part of the slice that is covered now. Rows below it are covered already, and rows beyond the head are read again by the next run. */
function progressOf({ planned: { slice }, from, to, ends, blockEnds }: SlicePart): Progress {
  const read = { from: Math.max(from, slice.from), to: Math.min(to, slice.to) }
  return read.to > read.from ? { kind: 'slice', slice: read, ends, blockEnds } : { kind: 'none' }
}

/** The latest `block_time` of rows in these files, from their statistics, ISO 8601 in UTC; null where no row has one. */
export function newestTime(parts: readonly Part[], tables: Tables): string | null {
  const ids = new Map(Object.values(tables).map((table) => [table.name, table.ids?.columns[blockTime]]))
  const times = parts.flatMap(({ table, stats }) => {
    const max = stats.find(({ fieldId }) => fieldId === ids.get(table))?.max ?? null
    return max === null ? [] : [Date.parse(max.replace(' ', 'T').replace(/\+00$/, 'Z'))]
  })
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString()
}

/** The slice that a window belongs to; where slices are read in steps, the whole slice. */
function plannedOf({ planned }: Span): PlannedSlice {
  return planned.stepOf ?? planned
}

function begin(planned: PlannedSlice, from: number, sink: BatchSink, after: Promise<void>): OpenBatch {
  const all = planned.member.walk.outputs.flatMap((output) => Object.values(output.tables) as Table[])
  const tables = all.filter(({ name }) => planned.tables.includes(name))
  const rows = sink.rowsOf(planned, { tables, from: Math.max(0, from), keepsBytes: keepsBytes(planned) }, after)
  const startedMs = performance.now()
  const parts: OpenBatch['parts'] = [newPart(planned, from, rows)]
  return { rows, parts, isDue: false, records: 0, unknownFields: new Map(), reported: 0, startedMs }
}

/** Whether the bytes of a record stay as they are after its window: its source takes no memory back. */
function keepsBytes({ member }: PlannedSlice): boolean {
  return member.source.release === undefined
}

/** Whether a batch also takes another slice. Batches that are bounded by coordinates do not. */
function canExtend({ parts }: OpenBatch, planned: PlannedSlice): boolean {
  const { planned: last } = parts.at(-1)!
  if (last === planned) return true
  return last.member.walk.unit === null && kindOf(last) === kindOf(planned)
}

/** What all slices of a batch have in common: how they become rows, their tables, and the tables that may already have rows in the lake. */
function kindOf(planned: PlannedSlice): string {
  const { member, tables, overlapping } = planned
  const { order, rows, overlapping: paths } = member.walk
  return JSON.stringify([
    keepsBytes(planned),
    order,
    rows,
    paths,
    member.mostRecords,
    tables,
    [...new Set(overlapping.map(({ table }) => table))].sort(),
  ])
}

function isWanted(output: RangeOutput, { tables }: PlannedSlice): boolean {
  return (Object.values(output.tables) as Table[]).some(({ name }) => tables.includes(name))
}

/** The batches to deliver now. Together, batches hold no more rows than one. */
function complete(filling: readonly OpenBatch[]): readonly OpenBatch[] {
  const done = filling.filter((batch) => batch.isDue || isFull(batch) || isWhole(batch))
  const total = filling.reduce((sum, { rows }) => sum + rows.rows(), 0)
  if (done.length > 0 || filling.length < 2 || total < batchRows) return done
  return filling.toSorted((a, b) => b.rows.rows() - a.rows.rows()).slice(0, 1)
}

function isFull({ rows, records, parts }: OpenBatch): boolean {
  const { planned } = parts[0]
  const { walk, mostRecords = Number.POSITIVE_INFINITY } = planned.member
  // The keys of rows that are compared stay in memory until the commit.
  const isBounded = walk.unit === null || planned.overlapping.length > 0
  return isBounded && ((rows.held ?? rows.rows)() >= batchRows || records >= mostRecords)
}

/** Whether the rows of a batch are compared with the lake: then only one is in memory. */
function isCompared({ parts: [{ planned }] }: OpenBatch): boolean {
  return planned.member.walk.rows === 'compared' || planned.overlapping.length > 0
}

function isWhole({ parts }: OpenBatch): boolean {
  const { planned, to } = parts.at(-1)!
  return planned.member.walk.unit !== null && to === planned.read.to
}

function newPart(planned: PlannedSlice, from: number, rows: BatchRows): SlicePart {
  const sinks = planned.member.walk.outputs.map((output): Sink => {
    const tables = Object.entries(output.tables as Tables).filter(([, { name }]) => planned.tables.includes(name))
    return { output, tables: tables.map(([key, { name }]) => ({ key, add: rows.adder(name) })) }
  })
  const wanted = sinks.filter(({ tables }) => tables.length > 0)
  return { planned, sinks: wanted, from, to: from, ends: null, blockEnds: null }
}

/** Milliseconds of decoding after which other work gets a turn, such as reading responses. */
const turnMs = 25

/** Takes the records of the next window; returns their size in bytes. */
async function take(batch: OpenBatch, window: Window, links: BlockLinks): Promise<number> {
  const { slice, records } = window
  const planned = plannedOf(window)
  const { source, walk } = planned.member
  const { parts } = batch
  const known = parts.findLastIndex((each) => each.planned === planned)
  const owner = known === -1 ? parts.push(newPart(planned, slice.from, batch.rows)) - 1 : known
  const part = parts[owner]!
  const context = listening(walk.context, batch.unknownFields)
  let bytes = 0
  let turn = performance.now()
  for (const record of records) {
    takeRecord(part, owner, record, context, links)
    bytes += source.bytes?.(record) ?? 0
    if (performance.now() - turn < turnMs) continue
    await new Promise((resolve) => setImmediate(resolve))
    turn = performance.now()
  }
  batch.records += records.length
  part.to = slice.to
  return bytes
}

/** The context of a walk with a listener, which decoders call once per record for each field that no column holds. */
function listening(context: unknown, seen: Map<string, number>): unknown {
  if (typeof context !== 'object' || context === null) return context
  return { ...context, unknownField: (path: string) => void seen.set(path, (seen.get(path) ?? 0) + 1) }
}

/** What a report of progress says about fields that no column holds. */
function unknownIn({ unknownFields }: OpenBatch): Pick<ReadProgress, 'unknownFields'> {
  if (unknownFields.size === 0) return {}
  const seen = Object.fromEntries(unknownFields)
  unknownFields.clear()
  return { unknownFields: seen }
}

/** A separate function, so that the engine does not compile the loop over windows together with all decoders. */
function takeRecord(part: SlicePart, owner: number, record: unknown, context: unknown, links: BlockLinks): void {
  const { member } = part.planned
  part.ends = joinEnds(part.ends, record, member)
  for (const { output, tables } of part.sinks) {
    const read = output.read(record, context)
    const link = output === member.walk.outputs[0] ? links.follow(record, read) : null
    if (link !== null) part.blockEnds = extend(part.blockEnds, link)
    for (const { key, add } of tables) add((read as RowsOf<Tables>)[key] as readonly object[], owner)
  }
}

/** Number of rows that were not reported yet; negative when rows turned out to be known. */
function unreported(batch: OpenBatch): number {
  const now = batch.rows.rows()
  const more = now - batch.reported
  batch.reported = now
  return more
}

type Arriving = {
  /** The next slice; null while there is none. */
  next(): PlannedSlice | null
  /** Resolves to true when there may be a next slice, and to false when no more arrive. */
  more(): Promise<boolean>
}

function known(slices: Iterable<PlannedSlice>): Arriving {
  const iterator = slices[Symbol.iterator]()
  return {
    next() {
      const { done, value } = iterator.next()
      return done === true ? null : value
    },
    more: async () => false,
  }
}

/** The records of `slice`, a part of `planned.read`, in order. */
type Window = Span & { readonly records: readonly any[] }

type Span = { readonly planned: PlannedSlice; readonly slice: Slice }
type Pending = Span & {
  readonly answer: Promise<Window['records']>
  readonly itsTurn: () => void
  readonly cancel: () => void
}

/**
 * Fetches the windows of slices in parallel and yields them in order, so that rows and commits have the order of the slices, whatever
 * the order of the responses. At most `ahead` windows are in progress or waiting, which bounds the memory. A window belongs to the consumer until it requests the next one. A window that is too large is cut in
 * two; pending windows of other sources wait meanwhile and do not count. When `stop` is aborted, the generator ends without an error, and
 * windows that were not yielded are dropped.
 */
export async function* orderedWindows(
  slices: Iterable<PlannedSlice> | Arriving,
  { ahead, stop }: { readonly ahead: number; readonly stop: AbortSignal },
): AsyncGenerator<Window, void, undefined> {
  const arriving = Symbol.iterator in slices ? known(slices) : slices
  const spans = createSpans(arriving)
  let pending: Pending[] = []
  const cancelAll = () => drop([...pending, ...spans.begun()])
  const fill = (): void => {
    let requests = pending.filter(isRequest).length
    while (requests < ahead) {
      const next = spans.next()
      if (next === null) return
      if (isRequest(next)) requests++
      reachStep('fetch.before')
      pending.push('answer' in next ? next : beginWindow(next))
    }
  }
  stop.addEventListener('abort', cancelAll)
  try {
    while (!stop.aborted) {
      fill()
      const [first] = pending
      if (first === undefined) {
        if (await arriving.more()) continue
        return
      }
      first.itsTurn()
      const records = await first.answer.catch((error: unknown) => {
        // An answer beyond the limit of memory is no window: a shorter one of a day or a trace of one block is as large.
        const isTooLong = error instanceof TransportError && error.code === 'transport.window'
        const isDivisible = isTooLong && first.slice.to - first.slice.from > 1
        if (!stop.aborted && !isDivisible) throw error
        return null
      })
      if (records === null) {
        if (stop.aborted) return
        spans.again(withHalves(first, pending.slice(1)))
        pending = []
        continue
      }
      pending.shift()
      reachStep('fetch.after')
      const { planned, slice } = first
      yield { planned, slice, records }
      planned.source.release?.(records)
    }
  } finally {
    stop.removeEventListener('abort', cancelAll)
    cancelAll()
  }
}

function isRequest({ planned }: Span): boolean {
  return planned.sharesRequest !== true
}

/**
 * The windows to request instead of a window that was too large: its halves, then the other pending ones. Windows of the same source were as
 * long: they are cancelled and requested again with the new window size.
 */
function withHalves(tooLarge: Pending, others: readonly Pending[]): (Span | Pending)[] {
  const { planned, slice } = tooLarge
  const isOfSource = (other: Pending): boolean => other.planned.source === planned.source
  drop([tooLarge, ...others.filter(isOfSource)])
  const middle = slice.from + Math.floor((slice.to - slice.from) / 2)
  return [
    { planned, slice: { from: slice.from, to: middle } },
    { planned, slice: { from: middle, to: slice.to } },
    ...others.map((other) => (isOfSource(other) ? { planned: other.planned, slice: other.slice } : other)),
  ]
}

function beginWindow({ planned, slice }: Span): Pending {
  const cancel = new AbortController()
  let itsTurn: () => void = () => undefined
  const turn = new Promise<void>((resolve) => {
    itsTurn = resolve
  })
  const answer = planned.source.window(slice.from, slice.to, cancel.signal, turn)
  // The failure is handled at the turn of the window. Until then it must not count as unhandled.
  answer.catch(() => undefined)
  return { planned, slice, answer, itsTurn, cancel: () => cancel.abort() }
}

function drop(windows: readonly Pending[]): void {
  for (const { cancel, itsTurn } of windows) {
    cancel()
    itsTurn()
  }
}

/** The slices that are left to read, in order, cut to windows of the current size of their source. */
function createSpans(arriving: Pick<Arriving, 'next'>) {
  let left: (Span | Pending)[] = []
  return {
    next(): Span | Pending | null {
      let span = left.shift()
      while (span === undefined) {
        const planned = arriving.next()
        if (planned === null) return null
        if (planned.read.from < planned.read.to) span = { planned, slice: planned.read }
      }
      if ('answer' in span) return span
      const { planned, slice } = span
      const to = planned.isWindow === true ? slice.to : Math.min(slice.to, slice.from + planned.source.windowSize())
      if (to < slice.to) left.unshift({ planned, slice: { from: to, to: slice.to } })
      return { planned, slice: { from: slice.from, to } }
    },
    /** Puts windows before all others. Windows in progress stay in progress. */
    again(windows: readonly (Span | Pending)[]): void {
      left = [...windows, ...left]
    },
    /** Windows in progress that wait here. */
    begun: () => left.filter((span) => 'answer' in span),
  }
}

/** Slices that a thread gets one by one. `stop` also ends the queue. */
export function createSliceQueue(stop: AbortSignal) {
  const waiting: PlannedSlice[] = []
  let hasEnded = false
  let wake: () => void = () => undefined
  stop.addEventListener('abort', () => wake(), { once: true })
  return {
    add(one: PlannedSlice): void {
      waiting.push(one)
      wake()
    },
    /** No more will be added. */
    end(): void {
      hasEnded = true
      wake()
    },
    next: (): PlannedSlice | null => waiting.shift() ?? null,
    async more(): Promise<boolean> {
      while (waiting.length === 0 && !hasEnded && !stop.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return waiting.length > 0 && !stop.aborted
    },
  }
}

/** The slices of plans in steps: those with records that the lake holds read the lake, the others their source. */
export async function storedSlices(
  plans: readonly RangePlan[],
  { catalog, lookup }: Pick<LakeRun, 'catalog' | 'lookup'>,
): Promise<Iterable<PlannedSlice>> {
  const heldOf = createHeldFinder(catalog)
  const readers = new Map<CoveredFiles['files'], ReadStoredRows>()
  const found = new Map<RangeMember, Stored>()
  for (const { member } of plans) {
    const { stored } = member.walk
    const held = await heldOf(member)
    if (stored === undefined || held === null || held.slices.length === 0) continue
    const rows = getOrCreate(readers, held.files, () => readerOf(stored, held.files, lookup))
    found.set(member, { slices: held.slices, source: await stored.source(rows) })
  }
  return (function* () {
    for (const plan of plans) for (const one of plan.slices()) yield* stepsOf(one, found.get(one.member))
  })()
}

/** The slices with records in another table of the lake, and the source that reads them from this table. */
type Stored = { readonly slices: readonly Slice[]; readonly source: WindowSource<any> }

function readerOf(
  { table, column }: NonNullable<Range['stored']>,
  files: CoveredFiles['files'],
  lookup: Pick<Lookup, 'selectedRows'>,
): ReadStoredRows {
  return (query) => {
    const within = files.filter(({ bounds }) => bounds === null || (bounds.min < query.to && bounds.max >= query.from))
    return lookup.selectedRows({ table, files: within.map(({ path }) => path), column, query })
  }
}

function* stepsOf(one: PlannedSlice, stored: Stored | undefined): Generator<PlannedSlice> {
  if (stored === undefined) return yield one
  const held = intersect([one.read], stored.slices)
  const others = subtract([one.read], held)
  const steps = [
    ...held.map((read) => ({ ...one, read, source: stored.source, stepOf: one })),
    ...others.map((read) => ({ ...one, read, stepOf: one })),
  ]
  yield* steps.sort((a, b) => a.read.from - b.read.from)
}

/**
 * The slices of streams that share requests, in steps of one window. All streams that are missing a window read it in the same step, so
 * that one request serves them.
 */
export function* interleavedSlices(slices: Iterable<PlannedSlice>): Generator<PlannedSlice, void, undefined> {
  const whole = [...slices]
  for (const slice of segments(whole.map(({ read }) => read))) {
    const own = whole.filter(({ read }) => read.from <= slice.from && slice.to <= read.to)
    for (const [shared, alike] of groupBy(own, ({ source }) => source.shared)) {
      if (shared !== undefined) yield* inSteps(alike, shared.together(alike.map(({ source }) => source)), slice)
      else for (const one of alike) yield* inSteps([one], [one.source], slice)
    }
  }
}

function* inSteps(
  slices: readonly PlannedSlice[],
  sources: readonly WindowSource<unknown>[],
  { from, to }: Slice,
): Generator<PlannedSlice, void, undefined> {
  // Each step is one window for all of them, even when the window size changes in between. A window that is too large is halved by each.
  for (let start = from; start < to; ) {
    const end = Math.min(to, start + sources[0]!.windowSize())
    for (const [at, one] of slices.entries())
      yield {
        ...one,
        source: sources[at]!,
        read: { from: start, to: end },
        isWindow: true,
        sharesRequest: at > 0,
        stepOf: one.stepOf ?? one,
      }
    start = end
  }
}

/** The slices between consecutive ends of slices, in order. */
function segments(slices: readonly Slice[]): Slice[] {
  const ends = [...new Set(slices.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  return ends.slice(1).map((to, at) => ({ from: ends[at]!, to }))
}
