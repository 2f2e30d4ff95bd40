import type { RowsOf, Table, Tables } from '../../define/index.ts'
import type { Part, Progress, SliceEnds } from '../../model.ts'
import { isOfSource, isStop } from '../early-end.ts'
import { commitUnit, type StreamProgress } from '../service/commit-unit.ts'
import { type BlockLinks, createBlockLinks } from './block-links.ts'
import { orderedWindows, type Window } from './ordered-windows.ts'
import { isWanted, type Output, type Prepared, readInThreads } from './outputs.ts'
import type { RangeMember, RangeReading } from './range-plan.ts'
import { type RangeRun, windowsAhead } from './range-run.ts'
import { extend, joinEnds } from './slice-ends.ts'
import { comparedRows, newRows, type UnitRows } from './unit-rows.ts'

/** Where the rows of an output go that a unit writes. */
type Sink = {
  readonly output: Output
  readonly tables: readonly { readonly key: string; readonly add: (rows: readonly object[], share: number) => void }[]
}

/** What of a unit is of one slice of one stream: `[from, to)` of it has been read. */
type Share = {
  readonly reading: RangeReading
  readonly sinks: readonly Sink[]
  readonly from: number
  to: number
  /** Of the records that have come; null before the first one, and where nothing joins them. */
  ends: SliceEnds | null
  /** The same of the blocks in the records. */
  blockEnds: SliceEnds | null
}

/** A unit that is being filled. */
type Filling = {
  readonly rows: UnitRows
  readonly shares: [Share, ...Share[]]
  records: number
  readonly startedMs: number
}

/** A unit that no coordinates cut is committed when it has so many rows. */
const unitRows = 131_072

/**
 * Reads units in order: fetches in parallel, writes parts and commits. While one unit is made durable and committed, the next one
 * fills, unless its rows have to be compared with those. When the source fails or `stop` is aborted, what is contiguous so far is
 * committed as a shorter unit; when a record cannot be read, the unit is dropped.
 */
export async function readUnits(readings: Iterable<RangeReading>, total: number, run: RangeRun): Promise<void> {
  const { stop, emit } = run
  const links = linksOf()
  let filling: Filling | null = null
  let committing: Promise<void> = Promise.resolve()
  const sum = { done: 0, rows: 0, bytes: 0 }

  const finish = async (unit: Filling): Promise<void> => {
    // One commit at a time and in order; its failure must stop the walk before more is written.
    await committing.catch(async (error: unknown) => {
      await unit.rows.abort()
      throw error
    })
    const isMeasured = unit.shares[0].reading.member.source.bytes !== undefined
    committing = commitFilling(unit, run, (parts) => {
      if (!isMeasured) sum.bytes += parts.reduce((bytes, part) => bytes + part.bytes, 0)
    })
    committing.catch(() => undefined)
    if (unit.shares[0].reading.member.walk.rows === 'compared') await committing
    sum.rows += unit.rows.rows()
  }
  const finishCurrent = async (): Promise<void> => {
    const unit = filling
    filling = null
    if (unit !== null) await finish(unit)
  }

  try {
    const windows = orderedWindows(readings, {
      ahead: windowsAhead(run),
      stop,
      prepare: ({ member, unit }, records) => readInThreads(run, member.walk, unit, records),
    })
    for await (const window of windows) {
      const { reading, slice } = window
      if (filling !== null && !goesOn(filling, reading)) await finishCurrent()
      if (isWanted(reading.member.walk.outputs[0], reading.unit)) await links(reading.member).reach(slice.from, stop)
      filling ??= begin(reading, slice.from, run, committing)
      sum.bytes += take(filling, window, links(reading.member))
      await filling.rows.relieve()
      sum.done = Math.min(total, sum.done + slice.to - slice.from)
      emit({ kind: 'progress', pipeline: run.job, ...sum, rows: sum.rows + filling.rows.rows(), total })
      if (isFull(filling) || performance.now() - filling.startedMs > run.commitEveryMs) await finishCurrent()
    }
    await finishCurrent()
    await committing
  } catch (error) {
    const unit = filling as Filling | null
    if (unit !== null) {
      if (isOfSource(error) && unit.shares.some(({ from, to }) => to > from)) await finish(unit)
      else await unit.rows.abort()
    }
    await committing
    if (!isStop(error, stop)) throw error
  }
}

/** The links of each stream, made when they are first needed. */
function linksOf(): (member: RangeMember) => BlockLinks<unknown> {
  const known = new Map<RangeMember, BlockLinks<unknown>>()
  return (member) => {
    const links = known.get(member) ?? createBlockLinks(member.walk, member.source)
    known.set(member, links)
    return links
  }
}

function begin(reading: RangeReading, from: number, run: RangeRun, after: Promise<void>): Filling {
  const { member, unit } = reading
  const tables = member.walk.outputs.flatMap((output) => Object.values(output.tables) as Table[])
  const options = { run, tables: tables.filter(({ name }) => unit.tables.includes(name)), from: Math.max(0, from) }
  const shared = new Set(reading.beside.map(({ table }) => table))
  const rows = member.walk.rows === 'compared' ? comparedRows(options) : newRows(options, { shared, after })
  return { rows, shares: [newShare(reading, from, rows)], records: 0, startedMs: performance.now() }
}

/** Whether a unit also takes another slice: only where no coordinates cut units. */
function goesOn({ shares }: Filling, reading: RangeReading): boolean {
  const { reading: last } = shares.at(-1)!
  if (last === reading) return true
  return last.member.walk.unit === null && kindOf(last) === kindOf(reading)
}

/** What the slices of a unit have in common: the tables that they fill, and those of which the lake may have rows. */
function kindOf({ unit, beside }: RangeReading): string {
  return JSON.stringify([unit.tables, [...new Set(beside.map(({ table }) => table))].sort()])
}

function isFull({ rows, records, shares }: Filling): boolean {
  const { walk, mostRecords = Number.POSITIVE_INFINITY } = shares[0].reading.member
  return walk.unit === null && (rows.rows() >= unitRows || records >= mostRecords)
}

function newShare(reading: RangeReading, from: number, rows: UnitRows): Share {
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

/** Takes the records of the next window; returns the bytes of them. */
function take(filling: Filling, window: Window<unknown, Prepared, RangeReading>, links: BlockLinks<unknown>): number {
  const { reading, slice, records, prepared } = window
  const { walk, source } = reading.member
  const { shares } = filling
  if (shares.at(-1)!.reading !== reading) shares.push(newShare(reading, slice.from, filling.rows))
  const share = shares.at(-1)!
  let bytes = 0
  for (const [position, record] of records.entries()) {
    share.ends = joinEnds(share.ends, record, reading)
    for (const { output, tables } of share.sinks) {
      const read = 'read' in output ? output.read(record, walk.context) : prepared.get(output)![position]!
      const link = output === walk.outputs[0] ? links.follow(record, read) : null
      if (link !== null) share.blockEnds = extend(share.blockEnds, link)
      for (const { key, add } of tables) add((read as RowsOf<Tables>)[key] as readonly object[], shares.length - 1)
    }
    bytes += source.bytes?.(record) ?? 0
  }
  filling.records += records.length
  share.to = slice.to
  return bytes
}

async function commitFilling(
  { rows, shares }: Filling,
  run: RangeRun,
  written: (parts: readonly Part[]) => void,
): Promise<void> {
  const length = shares.reduce((sum, share) => sum + lengthOf(progressOf(share)), 0)
  const whole = {
    ...run,
    pipeline: run.job,
    written: (parts: readonly Part[]) => {
      written(parts)
      run.committed(parts, length)
    },
  }
  const [first, ...others] = shares.map(
    (share, owner): StreamProgress => ({ stream: share.reading.unit.stream, progress: progressOf(share), owner }),
  )
  const { member, unit } = shares[0].reading
  const paths = member.walk.beside
  const seen = shares.flatMap(({ reading }) => reading.beside)
  await commitUnit(whole, unit.tables, rows, [first!, ...others], paths === undefined ? undefined : { paths, seen })
}

/** What was read again below a slice is covered already, and what lies beyond the head is read again by the next run. */
function progressOf({ reading, from, to, ends, blockEnds }: Share): Progress {
  const { slice } = reading.unit
  const read = { from: Math.max(from, slice.from), to: Math.min(to, slice.to) }
  return read.to > read.from ? { kind: 'slice', slice: read, ends, blockEnds } : { kind: 'none' }
}

function lengthOf(progress: Progress): number {
  return progress.kind === 'slice' ? progress.slice.to - progress.slice.from : 0
}
