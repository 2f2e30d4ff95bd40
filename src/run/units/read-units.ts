import type { RowsOf, Table, Tables } from '../../define/index.ts'
import type { Progress, SliceEnds } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import { isOfSource, isStop } from '../job/early-end.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { type BlockLinks, createBlockLinks } from './block-links.ts'
import { type Arriving, orderedWindows, type Window } from './ordered-windows.ts'
import { isWanted, type Output, type Prepared, readInThreads } from './outputs.ts'
import type { RangeMember, RangeReading } from './range-plan.ts'
import { windowsAhead } from './range-run.ts'
import { extend, joinEnds } from './slice-ends.ts'
import type { ReadingProgress } from './unit-message.ts'
import type { RowsOptions, UnitRows } from './unit-rows.ts'

/** The destination of the rows of an output that a unit writes. */
type Sink = {
  readonly output: Output
  readonly tables: readonly {
    readonly key: string
    readonly add: (rows: readonly object[], streamPart: number) => void
  }[]
}

/** The part of a unit that belongs to one slice of one stream. `[from, to)` of the slice has been read. */
type StreamPart = {
  readonly reading: RangeReading
  readonly sinks: readonly Sink[]
  readonly from: number
  to: number
  /** The ends of the records so far; null before the first record, and where records have no links. */
  ends: SliceEnds | null
  /** The ends of the blocks in the records. */
  blockEnds: SliceEnds | null
}

/** A unit that is being filled. */
export type Filling = {
  readonly rows: UnitRows
  readonly streamParts: [StreamPart, ...StreamPart[]]
  /** The unit ends early because it has taken too long. */
  isDue: boolean
  records: number
  /** In how many records of the last window each field was seen that no column holds. */
  readonly unknownFields: Map<string, number>
  /** Number of rows that were reported. */
  reported: number
  readonly startedMs: number
}

/** The part of a run that reading needs. */
export type ReadingRun = Pick<LakeRun, 'decodeThreads' | 'concurrency' | 'commitEveryMs' | 'stop'> & PipelineName

/** Receives what was read. */
export type UnitSink = {
  /** Creates the destination of the rows of a unit that begins with a reading. `after`: the delivery of the previous unit. */
  readonly rowsOf: (reading: RangeReading, options: Omit<RowsOptions<unknown>, 'run'>, after: Promise<void>) => UnitRows
  /** Takes a complete unit; resolves when it is delivered. */
  readonly deliver: (unit: Filling) => Promise<void>
  /** Called for each window. */
  readonly read: (progress: ReadingProgress) => void
}

/** Rows after which a unit is committed that is not bounded by coordinates. */
const unitRows = 131_072

/**
 * Reads units in order: fetches in parallel, fills the rows and delivers. The next unit fills while the previous one is delivered, unless
 * its rows must be compared with rows of the previous one. When the source fails or `stop` is aborted, the contiguous prefix is delivered as
 * a shorter unit. When a record cannot be decoded, or its rows cannot be compared, the unit is dropped.
 */
export async function readUnits(
  readings: Iterable<RangeReading> | Arriving<RangeReading>,
  run: ReadingRun,
  sink: UnitSink,
): Promise<void> {
  const { stop } = run
  const links = linksOf()
  /** The units that fill: one, or one for each event of streams that share requests. */
  let filling: readonly Filling[] = []
  let delivering: Promise<void> = Promise.resolve()
  /** Whether the units have exactly the rows of the slices that they have read. */
  let isConsistent = true

  const finish = async (unit: Filling): Promise<void> => {
    // One delivery at a time, in order. Its failure must end the walk before more is written.
    await delivering.catch(async (error: unknown) => {
      await unit.rows.abort()
      throw error
    })
    delivering = sink.deliver(unit)
    delivering.catch(() => undefined)
    if (unit.streamParts[0].reading.member.walk.rows !== 'compared') return
    await delivering
    // Some rows may have turned out to be known.
    const rows = unreported(unit)
    if (rows !== 0) sink.read({ length: 0, bytes: 0, rows })
  }
  const finishAll = async (units: readonly Filling[]): Promise<void> => {
    for (const unit of units) {
      filling = filling.filter((other) => other !== unit)
      await finish(unit)
    }
  }

  /** The unit that takes a window, with the units before it finished. */
  const unitOf = async (reading: RangeReading, from: number): Promise<Filling> => {
    const open = filling.find((unit) => canExtend(unit, reading))
    if (open === undefined && reading.member.walk.combined !== true) await finishAll(filling)
    if (isWanted(reading.member.walk.outputs[0], reading.unit) && !isJoined(reading, from))
      await links(reading.member).reach(from, stop)
    const unit = open ?? begin(reading, from, sink, delivering)
    if (open === undefined) filling = [...filling, unit]
    return unit
  }

  /** After a failure of the source or a stop, the contiguous prefix is delivered. */
  const finishFailed = async (error: unknown): Promise<void> => {
    const isKept = ({ streamParts }: Filling) => streamParts.some(({ from, to }) => to > from)
    const kept = isConsistent && isOfSource(error) ? filling.filter(isKept) : []
    try {
      await finishAll(kept)
    } finally {
      for (const unit of filling) await unit.rows.abort()
    }
  }

  try {
    const windows = orderedWindows(readings, {
      ahead: windowsAhead(run),
      stop,
      prepare: ({ member, unit }, records) => readInThreads(run, member.walk, unit, records),
    })
    for await (const window of windows) {
      const reading = wholeOf(window)
      const { slice } = window
      const unit = await unitOf(reading, slice.from)
      isConsistent = false
      const bytes = take(unit, window, links(reading.member))
      await unit.rows.relieve()
      isConsistent = true
      sink.read({ length: slice.to - slice.from, bytes, rows: unreported(unit), ...unknownIn(unit) })
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

/** The reading of a window: of steps the one that they are steps of. */
function wholeOf({ reading }: { readonly reading: RangeReading }): RangeReading {
  return reading.partOf ?? reading
}

/** The links of each stream, created when they are first needed. */
function linksOf(): (member: RangeMember) => BlockLinks<unknown> {
  const known = new Map<RangeMember, BlockLinks<unknown>>()
  return (member) => {
    const links = known.get(member) ?? createBlockLinks(member.walk, member.source)
    known.set(member, links)
    return links
  }
}

function begin(reading: RangeReading, from: number, sink: UnitSink, after: Promise<void>): Filling {
  const { member, unit } = reading
  const tables = member.walk.outputs.flatMap((output) => Object.values(output.tables) as Table[])
  const wanted = tables.filter(({ name }) => unit.tables.includes(name))
  const rows = sink.rowsOf(reading, { tables: wanted, from: Math.max(0, from) }, after)
  const startedMs = performance.now()
  const streamParts: Filling['streamParts'] = [newStreamPart(reading, from, rows)]
  return { rows, streamParts, isDue: false, records: 0, unknownFields: new Map(), reported: 0, startedMs }
}

/** Whether a unit also takes another slice. Units that are bounded by coordinates do not. */
function canExtend({ streamParts }: Filling, reading: RangeReading): boolean {
  const { reading: last } = streamParts.at(-1)!
  if (last === reading) return true
  return last.member.walk.unit === null && kindOf(last) === kindOf(reading)
}

/** What all slices of a unit have in common: their tables, and the tables that may already have rows in the lake. */
function kindOf({ unit, overlapping }: RangeReading): string {
  return JSON.stringify([unit.tables, [...new Set(overlapping.map(({ table }) => table))].sort()])
}

/** Whether the first window of a reading is compared with the previous unit at their commits. */
function isJoined({ read, followsUnit }: RangeReading, from: number): boolean {
  return followsUnit && from === read.from
}

/** The units to deliver now. Together, units hold no more rows than one. */
function complete(filling: readonly Filling[]): readonly Filling[] {
  const done = filling.filter((unit) => unit.isDue || isFull(unit) || isWhole(unit))
  const total = filling.reduce((sum, { rows }) => sum + rows.rows(), 0)
  if (done.length > 0 || filling.length < 2 || total < unitRows) return done
  return filling.toSorted((a, b) => b.rows.rows() - a.rows.rows()).slice(0, 1)
}

function isFull({ rows, records, streamParts }: Filling): boolean {
  const { walk, mostRecords = Number.POSITIVE_INFINITY } = streamParts[0].reading.member
  return walk.unit === null && (rows.rows() >= unitRows || records >= mostRecords)
}

/** Whether a unit that is bounded by coordinates is complete. */
function isWhole({ streamParts }: Filling): boolean {
  const { reading, to } = streamParts.at(-1)!
  return reading.member.walk.unit !== null && to === reading.read.to
}

function newStreamPart(reading: RangeReading, from: number, rows: UnitRows): StreamPart {
  const { member, unit } = reading
  const sinks = member.walk.outputs.map((output): Sink => {
    const tables = Object.entries(output.tables as Tables).filter(([, { name }]) => unit.tables.includes(name))
    return { output, tables: tables.map(([key, { name }]) => ({ key, add: rows.adder(name) })) }
  })
  return {
    reading,
    sinks: sinks.filter(({ tables }) => tables.length > 0),
    from,
    to: from,
    ends: null,
    blockEnds: null,
  }
}

/** Takes the records of the next window; returns their size in bytes. */
function take(filling: Filling, window: Window<unknown, Prepared, RangeReading>, links: BlockLinks<unknown>): number {
  const { slice, records, prepared } = window
  const reading = wholeOf(window)
  const { source } = reading.member
  const { streamParts } = filling
  const known = streamParts.findLastIndex((each) => each.reading === reading)
  const number = known === -1 ? streamParts.push(newStreamPart(reading, slice.from, filling.rows)) - 1 : known
  const streamPart = streamParts[number]!
  const context = listening(reading.member.walk.context, filling.unknownFields)
  let bytes = 0
  for (let position = 0; position < records.length; position++) {
    takeRecord(streamPart, number, records[position], context, (output) => prepared.get(output)![position]!, links)
    bytes += source.bytes?.(records[position]) ?? 0
  }
  filling.records += records.length
  streamPart.to = slice.to
  return bytes
}

/** The context of a walk with a listener, which decoders call once per record for each field that no column holds. */
function listening(context: unknown, seen: Map<string, number>): unknown {
  if (typeof context !== 'object' || context === null) return context
  return { ...context, unknownField: (path: string) => void seen.set(path, (seen.get(path) ?? 0) + 1) }
}

/** What a report of progress says about fields that no column holds. */
function unknownIn({ unknownFields }: Filling): Pick<ReadingProgress, 'unknownFields'> {
  if (unknownFields.size === 0) return {}
  const seen = Object.fromEntries(unknownFields)
  unknownFields.clear()
  return { unknownFields: seen }
}

/** A separate function, so that the engine does not compile the loop over windows together with all decoders. */
function takeRecord(
  streamPart: StreamPart,
  number: number,
  record: unknown,
  context: unknown,
  preparedOf: (output: Output) => RowsOf<Tables>,
  links: BlockLinks<unknown>,
): void {
  const { walk } = streamPart.reading.member
  streamPart.ends = joinEnds(streamPart.ends, record, streamPart.reading)
  for (const { output, tables } of streamPart.sinks) {
    const read = 'read' in output ? output.read(record, context) : preparedOf(output)
    const link = output === walk.outputs[0] ? links.follow(record, read) : null
    if (link !== null) streamPart.blockEnds = extend(streamPart.blockEnds, link)
    for (const { key, add } of tables) add((read as RowsOf<Tables>)[key] as readonly object[], number)
  }
}

/** Number of rows that were not reported yet; negative when rows turned out to be known. */
function unreported(filling: Filling): number {
  const now = filling.rows.rows()
  const more = now - filling.reported
  filling.reported = now
  return more
}

/** The part of the slice that is covered now. Rows below it are covered already, and rows beyond the head are read again by the next run. */
export function progressOf({ reading, from, to, ends, blockEnds }: StreamPart): Progress {
  const { slice } = reading.unit
  const read = { from: Math.max(from, slice.from), to: Math.min(to, slice.to) }
  return read.to > read.from ? { kind: 'slice', slice: read, ends, blockEnds } : { kind: 'none' }
}
