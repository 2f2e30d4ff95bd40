import type { Pipeline, RowsOf, Table, Tables } from '../define/index.ts'
import { LockedError, OtherSourceError } from '../errors.ts'
import type { ChainContext, Container, Part, Slice, SliceEnds, Unit } from '../model.ts'
import type { Store } from '../store/store.ts'
import type { ParquetThread } from '../write/parquet-thread.ts'
import { createBlockLinks } from './block-links.ts'
import type { DecodeThreads } from './decode-threads.ts'
import { isOfSource, isStop } from './early-end.ts'
import type { EmitEvent } from './events.ts'
import { orderedWindows, type WindowSource } from './ordered-windows.ts'
import { type Part as DecodedPart, isWanted, partsOf, windowPreparer } from './parts.ts'
import { createUnitWriter, type UnitWriter } from './unit-writer.ts'

/** What one committed unit holds. */
export type WrittenUnit = {
  readonly unit: Unit
  readonly parts: readonly Part[]
  readonly ends: SliceEnds
  readonly rows: number
}

export type ContainerRangeOptions = {
  readonly pipeline: Pipeline
  /** Names of the options asked for, such as `raw`. */
  readonly options: readonly string[]
  readonly source: WindowSource
  /** In ascending order; taken one by one. */
  readonly units: Iterable<Unit>
  /** Containers of all units. */
  readonly total: number
  readonly context: ChainContext
  readonly store: Store
  readonly runId: string
  /** Counts the parts of the run: their names carry it. */
  readonly nextPart: () => number
  readonly thread: ParquetThread
  readonly threads: DecodeThreads
  /** Windows under way or waiting. */
  readonly ahead: number
  /** A unit is committed early, shorter than planned, when it takes longer than this. */
  readonly commitEveryMs: number
  readonly stop: AbortSignal
  readonly emit: EmitEvent
  /** Makes a unit visible; called in the order of the slices, one at a time. */
  readonly commit: (written: WrittenUnit) => Promise<void>
}

/** Where the rows of a part go that a unit writes. */
type Sink = {
  readonly part: DecodedPart
  readonly tables: readonly { readonly key: string; readonly append: (row: object) => void }[]
}

/** A unit that is being filled: `[from, to)` of it is in the writer. */
type Filling = {
  readonly planned: Unit
  readonly writer: UnitWriter
  readonly sinks: readonly Sink[]
  readonly from: number
  to: number
  readonly firstId: string
  readonly firstParentId: string | null
  lastId: string
  readonly startedMs: number
}

/**
 * Walks units of a container index: fetches in parallel, decodes in order, writes parts and commits. While one unit is
 * made durable and committed, the next one fills. When the source fails or `stop` is aborted, what is contiguous so far
 * is committed as a shorter unit; when a container cannot be decoded, the unit is dropped.
 */
export async function walkContainerRange(options: ContainerRangeOptions): Promise<void> {
  const { pipeline, units, total, stop, emit, commitEveryMs } = options
  const prepare = windowPreparer(pipeline, options.options, options.threads, options.context)
  const links = createBlockLinks(pipeline, options.source, options.context)
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
    for await (const window of orderedWindows(options.source, units, { ahead: options.ahead, stop, prepare })) {
      if (filling !== null && filling.planned !== window.unit) {
        const full: Filling = filling
        filling = null
        await finish(full)
      }
      if (isWanted(pipeline, window.unit)) await links.reach(window.slice.from, stop)
      for (const [position, container] of window.containers.entries()) {
        filling = join(filling, container, window.unit, options, committing)
        for (const sink of filling.sinks) {
          const { part } = sink
          const decoded =
            'decode' in part ? part.decode(container, options.context) : window.prepared.get(part)![position]!
          if (part === pipeline) links.follow(container, decoded)
          rows += appendRows(sink, decoded)
        }
        bytes += container.bytes.length
      }
      await filling?.writer.flush()
      done += window.containers.length
      emit({ kind: 'progress', pipeline: pipeline.name, done, total, rows, bytes })
      if (filling !== null && performance.now() - filling.startedMs > commitEveryMs) {
        const early: Filling = filling
        filling = null
        await finish(early)
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
      if (isOfSource(error)) await finish(filling)
      else await filling.writer.abort()
    }
    await committing
    if (!isStop(error, stop)) throw error
  }
}

function join(
  filling: Filling | null,
  container: Container,
  unit: Unit,
  options: ContainerRangeOptions,
  after: Promise<void>,
): Filling {
  const parentId = options.pipeline.parentOf(container.bytes)
  if (filling === null) {
    const parts = partsOf(options.pipeline, options.options)
    const tables = parts.flatMap((part) => Object.values(part.tables) as Table[])
    const writer = createUnitWriter({
      store: options.store,
      thread: options.thread,
      tables: tables.filter((table) => unit.tables.includes(table.name)),
      runId: options.runId,
      nextPart: options.nextPart,
      firstIndex: container.index,
      after,
    })
    return {
      planned: unit,
      writer,
      sinks: parts.map((part) => sinkOf(part, unit, writer)).filter((sink) => sink.tables.length > 0),
      from: container.index,
      to: container.index + 1,
      firstId: container.id,
      firstParentId: parentId,
      lastId: container.id,
      startedMs: performance.now(),
    }
  }
  if (parentId !== null && parentId !== filling.lastId) throw brokenChain(filling, container, parentId)
  filling.to = container.index + 1
  filling.lastId = container.id
  return filling
}

function brokenChain(filling: Filling, container: Container, parentId: string): OtherSourceError {
  return new OtherSourceError(
    `Container ${container.index} of ${filling.planned.stream.path} does not follow the one before it.`,
    {
      details: { container: container.id, 'names as parent': parentId, 'before it': filling.lastId },
      hint: 'Something behind the URL answers for two chains (a load balancer over different nodes?); use the URL of one node. Nothing of this unit was written.',
    },
  )
}

function sinkOf(part: DecodedPart, unit: Unit, writer: UnitWriter): Sink {
  const tables = Object.entries(part.tables as Tables).filter(([, { name }]) => unit.tables.includes(name))
  return { part, tables: tables.map(([key, { name }]) => ({ key, append: writer.appender(name) })) }
}

/** Returns how many rows there were. */
function appendRows({ tables }: Sink, decoded: RowsOf<Tables>): number {
  let rows = 0
  for (const { key, append } of tables) {
    const tableRows = decoded[key] as readonly object[]
    for (const row of tableRows) append(row)
    rows += tableRows.length
  }
  return rows
}

async function finishUnit(filling: Filling, options: ContainerRangeOptions): Promise<void> {
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
      ends: { firstId: filling.firstId, firstParentId: filling.firstParentId, lastId: filling.lastId },
      rows: filling.writer.rows(),
    })
  } catch (error) {
    // The catalog was not even opened: the disk shall not fill while somebody holds it.
    if (error instanceof LockedError) await filling.writer.abort()
    throw error
  }
}
