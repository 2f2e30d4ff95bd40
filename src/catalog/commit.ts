import type { Table } from '../define/index.ts'
import { CatalogError } from '../errors.ts'
import { reachStep } from '../lib/step.ts'
import { type Part, type Slice, type SliceEnds, type Stream, streamId } from '../model.ts'
import { addFiles } from './add-files.ts'
import { addCoverage, readCoverage, verifyJoins } from './coverage.ts'
import { ensureTables } from './ensure-table.ts'
import { inTransaction, type Session } from './session.ts'
import { nextSnapshot, writeSnapshot } from './snapshot.ts'

export type Commit = {
  readonly runId: string
  readonly stream: Stream
  readonly slice: Slice
  /** Every table that the slice was written for, those without rows included. */
  readonly tables: readonly string[]
  readonly parts: readonly Part[]
  /** Null for sources whose records have no ids that follow one another. */
  readonly ends: SliceEnds | null
}

/**
 * One transaction: files, statistics and coverage become visible together or not at all. Returns the snapshot's id.
 *
 * @throws CatalogError `catalog.overlap`, `catalog.run-ended`; OtherSourceError; SchemaChangedError.
 */
export async function commitSlice(session: Session, declared: readonly Table[], commit: Commit): Promise<number> {
  const { runId, stream, slice, parts, ends } = commit
  const tables = tablesOf(declared, commit)
  reachStep('commit.before-begin')
  const snapshotId = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    const covered = await readCoverage(session, stream)
    verifyJoins(covered, commit)
    const snapshot = await nextSnapshot(session)
    const known = await ensureTables(session, snapshot, tables)
    await addFiles(session, snapshot, tables, known, parts)
    reachStep('commit.after-files')
    await addCoverage(session, covered, { runId, snapshotId: snapshot.id, stream, slice, ends, tables: sums(commit) })
    reachStep('commit.after-coverage')
    await writeSnapshot(session, snapshot, `${streamId(stream)} [${slice.from}, ${slice.to}) by run ${runId}`)
    return snapshot.id
  })
  reachStep('commit.after-commit')
  return snapshotId
}

function tablesOf(declared: readonly Table[], { tables, parts, slice, stream }: Commit): Table[] {
  if (!(Number.isSafeInteger(slice.from) && Number.isSafeInteger(slice.to) && slice.from < slice.to))
    throw invalid('The slice of a commit is empty or no range.', `${streamId(stream)} [${slice.from}, ${slice.to})`)
  const stray = parts.find((part) => !tables.includes(part.table))
  if (stray !== undefined) throw invalid('A part belongs to no table of the commit.', stray.path)
  return [...new Set(tables)].map((name) => {
    const table = declared.find((candidate) => candidate.name === name)
    if (table === undefined) throw invalid('A commit names a table that is not declared.', name)
    return table
  })
}

function invalid(message: string, what: string): CatalogError {
  return new CatalogError(message, { code: 'catalog.commit', details: { what } })
}

/** A run that recovery took for dead has lost its parts: it must not commit them. */
async function requireRunning(session: Session, runId: string): Promise<void> {
  const [run] = await session.rows('SELECT outcome, ended IS NULL AS running FROM chainlake.run WHERE run_id = $1', [
    runId,
  ])
  if (run?.['running'] === true) return
  throw new CatalogError('The run is not registered as running, so it may not commit.', {
    code: 'catalog.run-ended',
    details: { run: runId, outcome: run === undefined ? 'not registered' : run['outcome'] },
    hint: 'Another process took it for dead since its lock was gone (was the folder locks/ removed?). Start again.',
  })
}

function sums({ tables, parts }: Commit): { name: string; rows: number; bytes: number }[] {
  return [...new Set(tables)].map((name) => {
    const own = parts.filter((part) => part.table === name)
    return {
      name,
      rows: own.reduce((sum, part) => sum + part.rows, 0),
      bytes: own.reduce((sum, part) => sum + part.bytes, 0),
    }
  })
}
