import { observations } from '../../../schemas/observations.ts'
import type { StreamDeclaration, Subject, Table, Tables } from '../../define/index.ts'
import type { Part } from '../../model.ts'
import { isConflict } from '../rows/commit-unit.ts'
import type { ListRun } from '../rows/lake-run.ts'
import { createUnitWriter, removeParts, type UnitWriter } from '../rows/unit-writer.ts'
import { visibleFiles } from '../rows/visible-files.ts'

type CompleteObservation = {
  readonly stream: StreamDeclaration
  readonly subjects: readonly Subject[]
  readonly run: ListRun
  readonly open: { readonly id: string; readonly observedAt: bigint }
  /** Staged parts. For tables with versions they contain all rows that were read. */
  readonly staged: readonly Part[]
  /** Parts that are not staged. */
  readonly rest: readonly Part[]
  readonly nowMs: () => number
}

/** Rows after which changed versions are flushed from memory. */
const flushRows = 16_384

export function hasVersions(tables: Tables): boolean {
  return Object.values(tables).some(({ history }) => history === 'versions')
}

/**
 * Makes a complete observation visible in one commit. In tables with versions only changed rows are kept. They are compared again when
 * another run has stored versions in the meantime.
 */
export async function publishObservation(complete: CompleteObservation): Promise<void> {
  const { stream, run, open, staged, rest } = complete
  const tables = Object.values(stream.tables) as Table[]
  const versions = hasVersions(stream.tables)
  for (;;) {
    const writer = writerOf(complete, [...tables, observations])
    const { basis, written } = await writeComplete(complete, writer)
    const parts = [...rest, ...written]
    const snapshotId = await run.catalog
      .commit({
        runId: run.runId,
        stream: stream.stream,
        tables: [...tables, observations].map(({ name }) => name),
        parts,
        progress: { kind: 'observation', observationId: open.id, staged: versions ? 'discard' : 'publish' },
        basis,
        compared: tables.map(({ name }) => name),
      })
      .catch((error: unknown) => {
        if (!isConflict(error)) throw error
        return null
      })
    if (snapshotId === null) {
      await removeParts(run.store, written)
      continue
    }
    const visible = versions ? parts : [...staged, ...parts]
    run.written(visible)
    const rows = visible.reduce((sum, part) => sum + (part.table === observations.name ? 0 : part.rows), 0)
    run.emit({ kind: 'committed', pipeline: run.pipeline, slice: null, snapshotId, rows })
    return run.afterCommit()
  }
}

async function writeComplete(complete: CompleteObservation, writer: UnitWriter) {
  try {
    const basis = hasVersions(complete.stream.tables) ? await writeChanges(complete, writer) : null
    appendSubjects(complete, writer)
    return { basis, written: await writer.finish() }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

function writerOf({ run }: CompleteObservation, tables: readonly Table[]): UnitWriter {
  const { store, thread, runId, nextPart } = run
  return createUnitWriter({ store, thread, tables, runId, nextPart, firstIndex: 0, after: Promise.resolve() })
}

/**
 * Writes the rows that differ from their latest version, and the rows that are gone. Resolves to the snapshot that they were compared with.
 */
async function writeChanges(complete: CompleteObservation, writer: UnitWriter): Promise<number | null> {
  const { stream, run, open, staged } = complete
  const observationIds = await run.catalog.observationIds(stream.stream)
  let basis: number | null = null
  for (const table of Object.values(stream.tables) as Table[]) {
    const { snapshotId, files: visible } = await visibleFiles(run, table)
    const files = visible.map(({ path }) => path)
    basis = basis === null || snapshotId === null ? snapshotId : Math.min(basis, snapshotId)
    const append = writer.appender(table.name)
    const own = staged.filter((part) => part.table === table.name).map(({ path }) => path)
    let waiting = 0
    for await (const rows of run.lookup.changedRows({ table, staged: own, files, observationIds, observation: open })) {
      for (const row of rows) append(row)
      waiting += rows.length
      if (waiting < flushRows) continue
      await writer.flush()
      waiting = 0
    }
  }
  return basis
}

/** Records that each subject was observed, even if it has no rows. */
function appendSubjects({ subjects, stream, run, open, nowMs }: CompleteObservation, writer: UnitWriter): void {
  const append = writer.appender(observations.name)
  const completedAt = BigInt(nowMs()) * 1000n
  for (const { name } of subjects)
    append({
      network: stream.stream.network,
      pipeline: run.pipeline,
      subject: name,
      observation_id: open.id,
      observed_at: open.observedAt,
      completed_at: completedAt,
    })
}
