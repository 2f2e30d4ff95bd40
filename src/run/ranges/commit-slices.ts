import type { Table } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import { sumOf } from '../../lib/arrays.ts'
import { keyText } from '../../lookup/row-identity.ts'
import {
  type Batch,
  type BatchRows,
  commitBatch,
  newRows,
  type RowsOptions,
  removeParts,
} from '../rows/commit-batch.ts'
import type { Run } from '../rows/lake-run.ts'
import { createListBatch } from '../rows/list-batch.ts'
import type { PlannedSlice, RangePlan } from './plan-slices.ts'
import { interleavedSlices, type ReadProgress, readSlices, storedSlices } from './read-slices.ts'
import type { RangeRun } from './threads.ts'

/** Reads the slices of plans, in this thread or in threads, and commits each batch in the order of the slices. */
export async function commitSlices(plans: readonly RangePlan[], total: number, run: RangeRun): Promise<void> {
  const [first] = plans
  if (first === undefined) return
  const { threads } = run
  const { source } = first.member
  const progress = createProgress(total, run)
  const committing: Run = {
    ...run,
    written(parts, coordinates) {
      // The size of these records is unknown: that of their files is reported.
      if (source.bytes === undefined) progress.add({ bytes: sumOf(parts, 'bytes') })
      run.written(parts, coordinates)
    },
  }
  if (threads !== null && plans.length === 1 && first.threads > 1) {
    const listener = {
      read: progress.read,
      commit: (batch: Batch) => commitBatch(committing, batch),
      drop: ({ commit }: Batch) => removeParts(run.store, commit.parts),
    }
    return threads.read(first.slices(), first.threads, listener, run.stop)
  }
  const slices = await storedSlices(plans, run)
  await readSlices(source.shared === undefined ? slices : interleavedSlices(slices), run, {
    read: progress.read,
    rowsOf: (planned, options, after) => rowsOf(planned, { ...options, run }, after),
    deliver: (batch) => commitBatch(committing, batch),
  })
}

/** The rows of a batch that begins with a slice. Only this thread may compare them with the lake. */
function rowsOf(
  { member: { walk }, overlapping }: PlannedSlice,
  options: RowsOptions<Run>,
  after: Promise<void>,
): BatchRows {
  if (walk.order === 'node') return rowsOnce(options, after)
  if (walk.rows === 'compared') return comparedRows(options)
  // The rows that other streams have stored are not counted: the slices say what was read.
  return overlapping.length === 0 ? newRows(options, after) : { ...comparedRows(options), read: undefined }
}

/** Rows that the lake may already have. Each row is stored once. */
function comparedRows({ run, tables, from }: RowsOptions<Run>): BatchRows {
  const byName = Object.fromEntries(tables.map((table) => [table.name, table]))
  return createListBatch(run, byName, { position: from, isOfChain: true })
}

/**
 * Rows of an index that each node orders in its own way. Two nodes behind one URL return one container at two places: some containers would
 * be stored twice and others never. A container that this unit or the lake has already is refused. The lookup reads the keys of the first
 * table of the stream once per unit.
 */
function rowsOnce(options: RowsOptions<Run>, after: Promise<void>): BatchRows {
  const { run, tables } = options
  const unit = newRows(options, after)
  const [table] = tables
  if (table === undefined) return unit
  const keyOf = keyText(table)
  const keys = new Set<string>()
  return {
    ...unit,
    adder(name) {
      const add = unit.adder(name)
      if (name !== table.name) return add
      return (rows, streamPart) => {
        for (const row of rows) {
          const key = keyOf(row)
          if (keys.has(key)) throw otherOrder(table, row)
          keys.add(key)
        }
        add(rows, streamPart)
      }
    },
    async finish() {
      const parts = await unit.finish()
      try {
        // The units before are committed.
        const { files } = await run.catalog.tableFiles(table.name)
        const held = await run.lookup.firstHeld({
          table,
          files: files.map(({ path }) => path),
          parts: parts.filter((part) => part.table === table.name),
        })
        if (held !== null) throw otherOrder(table, held)
        return parts
      } catch (error) {
        await removeParts(run.store, parts)
        throw error
      }
    },
  }
}

function otherOrder({ name, key }: Table, row: object): OtherSourceError {
  const values = row as Readonly<Record<string, unknown>>
  return new OtherSourceError('The index returned a container that it returned at another place before.', {
    details: { table: name, key: key.map((column) => `${column}=${String(values[column])}`).join(' ') },
    hint: 'Each node has its own order of this index, and several nodes may be behind the URL. Use the URL of the one node that the lake was written from, or another --lake. Nothing of this unit was written.',
  })
}

function createProgress(total: number, { job, emit, unknownFields: seen }: Run) {
  const sum = { done: 0, rows: 0, bytes: 0 }
  const add = ({ length = 0, rows = 0, bytes = 0 }: Partial<ReadProgress>): void => {
    sum.done = Math.min(total, sum.done + length)
    sum.rows += rows
    sum.bytes += bytes
  }
  return {
    add,
    read(progress: ReadProgress): void {
      if (progress.unknownFields !== undefined) seen(progress.unknownFields)
      add(progress)
      emit({ kind: 'progress', pipeline: job, ...sum, total })
    },
  }
}
