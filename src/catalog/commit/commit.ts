import type { Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import { type Part, type Progress, type Stream, streamId } from '../../model.ts'
import { addFiles } from '../files/add-files.ts'
import { recordFiles, type StreamFiles } from '../files/file-facts.ts'
import { readStagedParts } from '../files/staged-parts.ts'
import { addWritten } from '../files/written.ts'
import { requireRunning } from '../runs/runs.ts'
import { addStreams } from '../runs/stream-facts.ts'
import { readDeclaredTables } from '../schema/declared-tables.ts'
import { ensureTables } from '../schema/ensure-table.ts'
import { readTables } from '../schema/known-tables.ts'
import { type InSameTransaction, runInSameTransaction } from '../session/same-transaction.ts'
import { inLastTransaction, type Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'
import { nextSnapshot, writeSnapshot } from '../session/snapshot.ts'
import { type TableSum, tableSums } from '../stats/table-sums.ts'
import { addCoverage, type CoverageRow, readCoverage, verifyJoins } from './coverage.ts'
import { type ReadCounts, readStretchItems, recordListCommit } from './list-commits.ts'
import { completeObservation, requireOpen } from './observations.ts'
import { replaceStretches } from './stretches.ts'
import { verifyBasis } from './verify-basis.ts'
import { type Overlapping, verifyOverlapping } from './verify-overlapping.ts'

export type Commit = {
  readonly runId: string
  readonly stream: Stream
  /** Every table of the unit, including tables without rows. */
  readonly tables: readonly string[]
  /** New files; none if a commit only records progress. */
  readonly parts: readonly Part[]
  readonly progress: Progress
  /** For lists: the rows that were read for the first stream. */
  readonly read?: ReadCounts | undefined
  /** Further streams with rows in the same parts: small streams share files. Their progress is a slice or none. */
  readonly others?: readonly OtherStream[]
  /** The snapshot against which the rows were deduplicated; null if they were not compared. */
  readonly basis: number | null
  /** The tables that were compared; default: all. */
  readonly compared?: readonly string[]
  /** Refuses slices if other streams with the same rows have covered more of them since the plan was made. */
  readonly overlapping?: Overlapping
  /** Further work in the same transaction. */
  readonly inSameTransaction?: InSameTransaction
}

type OtherStream = {
  readonly stream: Stream
  readonly progress: Progress
  /** Number of rows in the parts that belong to this stream, by table. */
  readonly rows: ReadonlyMap<string, number>
  readonly read?: ReadCounts | undefined
}

type Committed = {
  readonly snapshotId: number
  /** Dropped files that the catalog no longer references; relative to the lake. */
  readonly dropped: readonly string[]
  /** Files that became visible, including staged ones. */
  readonly added: readonly Part[]
}

/**
 * Commits files, statistics and progress in one transaction: all become visible together, or none.
 *
 * @throws CatalogError `catalog.overlap`, `catalog.conflict`, `catalog.observation`, `catalog.run-ended`; OtherSourceError;
 * SchemaChangedError.
 */
export async function commitParts(session: Session, declared: readonly Table[], commit: Commit): Promise<Committed> {
  const { runId, tables: names, inSameTransaction } = commit
  verifyCommit(commit)
  reachStep('commit.before-begin')
  const committed = await inLastTransaction(session, async () => {
    // Sends all queries to the catalog at once.
    const [, , { added, dropped, tables }, snapshot, tablesThere, covered, items] = await settleAll([
      requireRunning(session, runId),
      verifyAllOverlapping(session, commit),
      verifiedParts(session, declared, commit),
      nextSnapshot(session),
      readTables(session),
      readCovered(session, commit),
      commit.progress.kind === 'stretches' ? readStretchItems(session, commit.stream) : 0,
    ])
    const known = await ensureTables(session, snapshot, tables, tablesThere)
    const files = await addFiles(session, snapshot, tables, known, added)
    const streamParts = streamPartsOf(commit, tableSums(names, added))
    await recordFiles(session, { files, streamParts, runId })
    reachStep('commit.after-files')
    await addStreams(
      session,
      streamParts.map(({ stream }) => stream),
    )
    const recorded = new Set<string>()
    for (const part of streamParts) {
      const id = streamId(part.stream)
      // If a stream has several slices in the commit, the earlier slices are covered now.
      const before = recorded.has(id) ? await readCoverage(session, part.stream) : (covered.get(id) ?? [])
      await addProgress(session, before, { runId, snapshotId: snapshot.id, ...part })
      await recordRead(session, { runId, snapshotId: snapshot.id, ...part }, items)
      recorded.add(id)
    }
    reachStep('commit.after-coverage')
    if (inSameTransaction !== undefined) await runInSameTransaction(session, inSameTransaction)
    await writeSnapshot(session, snapshot, { message: `${commitText(commit)} by run ${runId}`, runId })
    return { snapshotId: snapshot.id, dropped, added }
  })
  reachStep('commit.after-commit')
  return committed
}

/** The part of a commit that belongs to one stream. */
type StreamPart = StreamFiles & { readonly read: ReadCounts | undefined }

/** Splits a commit by stream. The first stream gets the rows of no other stream. Bytes are split in proportion to rows. */
function streamPartsOf({ stream, progress, read, others = [] }: Commit, sums: readonly TableSum[]): StreamPart[] {
  const own = new Map(sums.map((sum) => [sum.name, sum]))
  const parts = others.map((other): StreamPart => {
    const tables = sums.map(({ name, rows, bytes }): TableSum => {
      const part = { name, rows: other.rows.get(name) ?? 0, bytes: 0 }
      part.bytes = rows === 0 ? 0 : Math.floor((bytes * part.rows) / rows)
      const left = own.get(name)!
      own.set(name, { name, rows: left.rows - part.rows, bytes: left.bytes - part.bytes })
      return part
    })
    return { stream: other.stream, progress: other.progress, tables, read: other.read }
  })
  return [{ stream, progress, tables: [...own.values()], read }, ...parts]
}

/** The coverage of the streams with a slice in the commit, by stream id. */
async function readCovered(
  session: Session,
  { stream, progress, others = [] }: Commit,
): Promise<Map<string, CoverageRow[]>> {
  const sliced = [{ stream, progress }, ...others].filter((each) => each.progress.kind === 'slice')
  const rows = await settleAll(sliced.map((each) => readCoverage(session, each.stream)))
  return new Map(sliced.map((each, index) => [streamId(each.stream), rows[index] ?? []]))
}

async function verifyAllOverlapping(session: Session, commit: Commit): Promise<void> {
  const { overlapping, tables } = commit
  if (overlapping === undefined) return
  for (const { stream, progress } of [commit, ...(commit.others ?? [])])
    if (progress.kind === 'slice')
      await verifyOverlapping(session, { stream, slice: progress.slice, tables }, overlapping)
}

async function addProgress(
  session: Session,
  covered: readonly CoverageRow[],
  added: StreamPart & { runId: string; snapshotId: number },
): Promise<void> {
  const { stream, progress, tables } = added
  if (progress.kind === 'slice') {
    const ends = { ends: progress.ends, blockEnds: progress.blockEnds ?? null }
    verifyJoins(covered, { stream, tables: tables.map(({ name }) => name), slice: progress.slice, ...ends })
    await addCoverage(session, covered, { ...added, slice: progress.slice, ...ends })
  } else await addWritten(session, added)
  if (progress.kind === 'stretches') await replaceStretches(session, stream, progress.stretches)
  if (progress.kind === 'observation') await completeObservation(session, progress)
}

/** `items`: number of items in the stretches of the first stream before the commit. */
async function recordRead(
  session: Session,
  { stream, progress, tables, read, runId, snapshotId }: StreamPart & { runId: string; snapshotId: number },
  items: number,
): Promise<void> {
  if (read === undefined) return
  const counted = progress.kind === 'stretches' ? progress.stretches.reduce((sum, each) => sum + each.items, 0) : items
  const ofTables = tables.map(({ name, rows }) => ({ name, rows, read: read.get(name) }))
  const recorded = { runId, snapshotId, stream: streamId(stream), tables: ofTables, progressItems: counted - items }
  await recordListCommit(session, recorded)
}

/** The files of a commit with their tables. Verifies that the compared rows are still new. */
async function verifiedParts(session: Session, declared: readonly Table[], commit: Commit) {
  const { tables: names, basis, compared } = commit
  const { added, dropped } = await withStaged(session, commit)
  const tables = await tablesOf(session, declared, names, added)
  if (basis !== null) {
    const comparedTables = tables.filter(({ name }) => compared === undefined || compared.includes(name))
    await verifyBasis(session, { tables: comparedTables, parts: added, basis })
  }
  return { added, dropped, tables }
}

/** The files of a commit, preceded by the staged files of its observation. */
async function withStaged(
  session: Session,
  { runId, stream, parts, progress }: Commit,
): Promise<{ added: readonly Part[]; dropped: readonly string[] }> {
  if (progress.kind !== 'observation') return { added: parts, dropped: [] }
  const { observationId } = progress
  await requireOpen(session, { runId, observationId, stream })
  const staged = await readStagedParts(session, observationId)
  return progress.staged === 'publish'
    ? { added: [...staged, ...parts], dropped: [] }
    : { added: parts, dropped: staged.map((part) => part.path) }
}

function verifyCommit({ stream, progress, others = [] }: Commit): void {
  for (const each of [{ stream, progress }, ...others]) {
    if (each.progress.kind !== 'slice') continue
    const { from, to } = each.progress.slice
    if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from < to) continue
    const what = `${streamId(each.stream)}${progressText(each.progress)}`
    throw invalid('The slice of a commit is empty or invalid.', what)
  }
}

/** The tables of a commit: those of this program, else as their declarations in the lake are. */
async function tablesOf(
  session: Session,
  declared: readonly Table[],
  names: readonly string[],
  parts: readonly Part[],
): Promise<Table[]> {
  const stray = parts.find((part) => !names.includes(part.table))
  if (stray !== undefined) throw invalid('A part belongs to no table of the commit.', stray.path)
  const isDeclared = (name: string) => declared.some((table) => table.name === name)
  const ofLake = names.every(isDeclared) ? null : await readDeclaredTables(session)
  return [...new Set(names)].map((name) => {
    const table = declared.find((candidate) => candidate.name === name) ?? ofLake?.get(name)
    if (table === undefined) throw invalid('A commit names a table that is not declared.', name)
    return table
  })
}

function invalid(message: string, what: string): CatalogError {
  return new CatalogError(message, { code: 'catalog.commit', details: { what } })
}

/** Describes a commit, for example `mainnet/P/block [0, 65536)`. */
export function commitText({ stream, progress, others = [] }: Commit): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${streamId(stream)}${progressText(progress)}${more}`
}

function progressText(progress: Progress): string {
  switch (progress.kind) {
    case 'slice':
      return ` [${progress.slice.from}, ${progress.slice.to})`
    case 'observation':
      return ` observation ${progress.observationId}`
    default:
      return ''
  }
}
