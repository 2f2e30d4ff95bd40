import type { Range, RangeSource, RowsOf, Table, Tables } from '../../define/index.ts'
import { LockedError, OtherSourceError } from '../../errors.ts'
import type { Part, Slice, SliceEnds, Unit } from '../../model.ts'
import { isOfSource, isStop } from '../early-end.ts'
import type { LakeRun } from '../lake-run.ts'
import { createUnitWriter, type UnitWriter } from '../unit-writer.ts'
import { createBlockLinks } from './block-links.ts'
import { orderedWindows } from './ordered-windows.ts'
import { isWanted, type Output, windowPreparer } from './outputs.ts'

/** What one committed unit holds. */
export type WrittenUnit = {
  readonly unit: Unit
  readonly parts: readonly Part[]
  readonly ends: SliceEnds | null
  readonly rows: number
}

export type RecordRangeOptions<R> = LakeRun & {
  /** Names of the job, for what is told, and of its pipeline, for threads. */
  readonly job: string
  readonly pipeline: string
  readonly walk: Range<R>
  readonly source: RangeSource<R>
  /** In ascending order; taken one by one. */
  readonly units: Iterable<Unit>
  /** Coordinates of all units. */
  readonly total: number
  /** Windows under way or waiting. */
  readonly ahead: number
  /** Makes a unit visible; called in the order of the slices, one at a time. */
  readonly commit: (written: WrittenUnit) => Promise<void>
}

/** Where the rows of an output go that a unit writes. */
type Sink = {
  readonly output: Output
  readonly tables: readonly { readonly key: string; readonly append: (row: object) => void }[]
}

/** A unit that is being filled: `[from, to)` of it is in the writer. */
type Filling = {
  readonly planned: Unit
  readonly writer: UnitWriter
  readonly sinks: readonly Sink[]
  readonly from: number
  to: number
  /** Of the records that have come; null before the first one, and where nothing joins them. */
  ends: SliceEnds | null
  readonly startedMs: number
}

/**
 * Walks units of a range: fetches in parallel, reads in order, writes parts and commits. While one unit is
 * made durable and committed, the next one fills. When the source fails or `stop` is aborted, what is contiguous so far
 * is committed as a shorter unit; when a record cannot be read, the unit is dropped.
 */
export async function walkRecords<R>(options: RecordRangeOptions<R>): Promise<void> {
  const { walk, source, units, total, stop, emit, commitEveryMs } = options
  const prepare = windowPreparer(options.pipeline, walk, options.threads)
  const links = createBlockLinks(walk, source)
  let filling: Filling | null = null
  let committing: Promise<void> = Promise.resolve()
  let done = 0
  let rows = 0
  let bytes = 0

  const finish = async (unit: Filling): Promise<void> => {
    // One commit at a time and in order; its failure must stop the walk before more is written.
    await committing.catch(async (error: unknown) => {
      await unit.writer.abort()
      throw error
    })
    committing = finishUnit(unit, options)
    committing.catch(() => undefined)
  }

  try {
    for await (const window of orderedWindows(source, units, { ahead: options.ahead, stop, prepare })) {
      if (filling !== null && filling.planned !== window.unit) {
        const full: Filling = filling
        filling = null
        await finish(full)
      }
      if (isWanted(walk.outputs[0], window.unit)) await links.reach(window.slice.from, stop)
      const unit: Filling = filling ?? begin(window.unit, window.slice.from, options, committing)
      filling = unit
      for (const [position, record] of window.records.entries()) {
        join(unit, record, options)
        for (const sink of unit.sinks) {
          const { output } = sink
          const read = 'read' in output ? output.read(record, walk.context) : window.prepared.get(output)![position]!
          if (output === walk.outputs[0]) links.follow(record, read)
          rows += appendRows(sink, read)
        }
        bytes += source.bytes?.(record) ?? 0
      }
      unit.to = window.slice.to
      await unit.writer.flush()
      done += window.slice.to - window.slice.from
      emit({ kind: 'progress', pipeline: options.job, done, total, rows, bytes })
      if (performance.now() - unit.startedMs > commitEveryMs) {
        filling = null
        await finish(unit)
      }
    }
    if (filling !== null) {
      const last: Filling = filling
      filling = null
      await finish(last)
    }
    await committing
  } catch (error) {
    if (filling !== null) {
      if (isOfSource(error) && filling.to > filling.from) await finish(filling)
      else await filling.writer.abort()
    }
    await committing
    if (!isStop(error, stop)) throw error
  }
}

function begin<R>(unit: Unit, from: number, options: RecordRangeOptions<R>, after: Promise<void>): Filling {
  const { outputs } = options.walk
  const tables = outputs.flatMap((output) => Object.values(output.tables) as Table[])
  const writer = createUnitWriter({
    store: options.store,
    thread: options.thread,
    tables: tables.filter((table) => unit.tables.includes(table.name)),
    runId: options.runId,
    nextPart: options.nextPart,
    firstIndex: from,
    after,
  })
  return {
    planned: unit,
    writer,
    sinks: outputs.map((output) => sinkOf(output, unit, writer)).filter((sink) => sink.tables.length > 0),
    from,
    to: from,
    ends: null,
    startedMs: performance.now(),
  }
}

/** Takes a record's place in the chain of a unit. */
function join<R>(filling: Filling, record: R, { source, walk }: RecordRangeOptions<R>): void {
  const link = source.link?.(record)
  if (link === undefined) return
  const { id, parentId } = link
  if (filling.ends === null) {
    filling.ends = { firstId: id, firstParentId: parentId, lastId: id }
    return
  }
  if (parentId !== null && parentId !== filling.ends.lastId) throw brokenChain(filling, walk, source.at(record), link)
  filling.ends = { ...filling.ends, lastId: id }
}

function brokenChain(
  { planned, ends }: Filling,
  { record }: Pick<Range, 'record'>,
  at: number,
  { id, parentId }: { readonly id: string; readonly parentId: string | null },
): OtherSourceError {
  const noun = record.slice(0, 1).toUpperCase() + record.slice(1)
  return new OtherSourceError(`${noun} ${at} of ${planned.stream.path} does not follow the one before it.`, {
    details: { [record]: id, 'names as parent': parentId, 'before it': ends?.lastId ?? null },
    hint: 'Something behind the URL answers for two chains (a load balancer over different nodes?); use the URL of one node. Nothing of this unit was written.',
  })
}

function sinkOf(output: Output, unit: Unit, writer: UnitWriter): Sink {
  const tables = Object.entries(output.tables as Tables).filter(([, { name }]) => unit.tables.includes(name))
  return { output, tables: tables.map(([key, { name }]) => ({ key, append: writer.appender(name) })) }
}

/** Returns how many rows there were. */
function appendRows({ tables }: Sink, read: RowsOf<Tables>): number {
  let rows = 0
  for (const { key, append } of tables) {
    const tableRows = read[key] as readonly object[]
    for (const row of tableRows) append(row)
    rows += tableRows.length
  }
  return rows
}

async function finishUnit<R>(filling: Filling, options: RecordRangeOptions<R>): Promise<void> {
  const slice: Slice = { from: filling.from, to: filling.to }
  let parts: Part[]
  try {
    parts = await filling.writer.finish()
  } catch (error) {
    await filling.writer.abort()
    throw error
  }
  // From here on the parts stay: a commit that failed may still have happened. What it did not name, recovery removes.
  try {
    await options.commit({
      unit: { ...filling.planned, slice },
      parts,
      ends: filling.ends,
      rows: filling.writer.rows(),
    })
  } catch (error) {
    // The catalog was not even opened: the disk shall not fill while somebody holds it.
    if (error instanceof LockedError) await filling.writer.abort()
    throw error
  }
}
