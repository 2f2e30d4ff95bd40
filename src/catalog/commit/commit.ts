import type { Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import { groupBy } from '../../lib/arrays.ts'
import { reachStep } from '../../lib/step.ts'
import { sqlText } from '../../lib/text.ts'
import { itemsOf, type LeafStats, type Part, type Progress, type Stream, streamId } from '../../model.ts'
import {
  addFiles,
  addWritten,
  compareBounds,
  type FileSource,
  recordSources,
  type TableSum,
  tableSums,
} from '../add-files.ts'
import { addStagedParts, dropStagedParts, readStagedParts } from '../lost-files.ts'
import { newRunId, requireRunning } from '../runs.ts'
import { type CatalogColumn, catalogColumns } from '../schema.ts'
import { filesOfTables, inTransaction, nextSnapshot, type Session, settleAll, writeSnapshot } from '../session.ts'
import { addStreams } from '../streams.ts'
import { ensureTables, readDeclaredTables, readTables } from '../tables.ts'
import {
  addCoverage,
  type CoverageRow,
  overlappingRows,
  type ReadCounts,
  readCoverage,
  readStretches,
  recordListCommit,
  replaceStretches,
  verifyJoins,
} from './coverage.ts'
import { readFileStats } from './inventory.ts'
import { compactedChange } from './replace-files.ts'

export type Commit = {
  readonly runId: string
  readonly stream: Stream
  /** Every table of the commit, including tables without rows. */
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
  readonly overlapping?: {
    /** Paths of such streams of the same network, whatever their parameters. */
    readonly paths: readonly string[]
    /** Their coverage when the run planned what to read. */
    readonly seen: readonly Pick<CoverageRow, 'stream' | 'table' | 'slice'>[]
  }
}

type OtherStream = {
  readonly stream: Stream
  readonly progress: Progress
  /** Number of rows in the parts that belong to this stream, by table. */
  readonly rows: ReadonlyMap<string, number>
  readonly read?: ReadCounts | undefined
}

/**
 * Commits files, statistics and progress in one transaction: all become visible together, or none. Returns the files that became visible,
 * including staged ones, and the paths of dropped files that the catalog no longer references.
 *
 * @throws CatalogError `catalog.overlap`, `catalog.conflict`, `catalog.observation`, `catalog.run-ended`; OtherSourceError;
 * SchemaChangedError.
 */
export async function commitParts(session: Session, declared: readonly Table[], commit: Commit) {
  const { runId, tables: names } = commit
  verifyCommit(commit)
  reachStep('commit.before-begin')
  const work = async () => {
    // Sends all queries to the catalog at once.
    const [, , { added, dropped, tables }, snapshot, tablesThere, covered, stretches] = await settleAll([
      requireRunning(session, runId),
      verifyOverlapping(session, commit),
      verifiedParts(session, declared, commit),
      nextSnapshot(session),
      readTables(session),
      readCovered(session, commit),
      commit.progress.kind === 'stretches' ? readStretches(session, commit.stream) : [],
    ])
    const known = await ensureTables(session, snapshot, tables, tablesThere)
    const files = await addFiles(session, snapshot, tables, known, added)
    const shares = sharesOf(commit, tableSums(names, added))
    const sources = sourcesOf(shares)
    await recordSources(session, files, ({ part }) => sources.get(part.table) ?? [], runId)
    reachStep('commit.after-files')
    await addStreams(
      session,
      shares.map(({ stream }) => stream),
    )
    const recorded = new Set<string>()
    for (const part of shares) {
      const id = streamId(part.stream)
      // If a stream has several slices in the commit, the earlier slices are covered now.
      const before = recorded.has(id) ? await readCoverage(session, part.stream) : (covered.get(id) ?? [])
      const added = { runId, snapshotId: snapshot.id, ...part }
      await addProgress(session, before, added)
      const { read, progress } = part
      const growth = progress.kind === 'stretches' ? itemsOf(progress.stretches) - itemsOf(stretches) : 0
      if (read !== undefined) await recordListCommit(session, added, read, growth)
      recorded.add(id)
    }
    reachStep('commit.after-coverage')
    await writeSnapshot(session, snapshot, { message: `${commitText(commit)} by run ${runId}`, runId })
    return { snapshotId: snapshot.id, dropped, added }
  }
  const committed = await inTransaction(session, work, session.commitLast)
  reachStep('commit.after-commit')
  return committed
}

/** The part of a commit that belongs to one stream: its progress, and the rows that it adds to each table. */
type StreamShare = Pick<OtherStream, 'stream' | 'progress' | 'read'> & { readonly tables: readonly TableSum[] }

/** The streams and slices with rows in the files of each table. */
function sourcesOf(shares: readonly StreamShare[]): ReadonlyMap<string, FileSource[]> {
  const all = shares.flatMap(({ stream, progress, tables }) => {
    const source = { stream: streamId(stream), slice: progress.kind === 'slice' ? progress.slice : null }
    return tables.flatMap(({ name, rows }) => (rows > 0 ? [{ name, source }] : []))
  })
  return new Map([...groupBy(all, ({ name }) => name)].map(([name, own]) => [name, own.map(({ source }) => source)]))
}

/** Splits a commit by stream. The first stream gets the rows of no other stream. Bytes are split in proportion to rows. */
function sharesOf({ stream, progress, read, others = [] }: Commit, sums: readonly TableSum[]): StreamShare[] {
  const own = new Map(sums.map((sum) => [sum.name, sum]))
  const parts = others.map((other): StreamShare => {
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

async function addProgress(
  session: Session,
  covered: readonly CoverageRow[],
  added: StreamShare & { runId: string; snapshotId: number },
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
  return progress.staged === 'keep'
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

/** An observation that is still being read. Its parts are durable, but not visible. */
export type OpenObservation = {
  /** Ids sort by time, over all streams of the lake. */
  readonly id: string
  /** When it was opened, in microseconds since 1970 UTC. */
  readonly observedAt: bigint
  /** Where to resume reading: the last staged cursor. Null: at the beginning. */
  readonly cursor: string | null
  /** When the cursor was staged, in milliseconds since 1970 UTC. */
  readonly cursorAtMs: number | null
  readonly parts: readonly Part[]
}

type Staging = {
  readonly runId: string
  readonly observationId: string
  readonly parts: readonly Part[]
  readonly cursor: string | null
}

/** An observation resumes for this long after its last staging, in milliseconds: long and postponed readings finish, and old ones begin again. */
const resumableMs = 3 * 86_400_000

/** The observation that a run continues with, and the paths of parts that were dropped. */
type Opened = { readonly observation: OpenObservation; readonly dropped: readonly string[] }

/**
 * Resumes the open observation of the stream, or opens a new one. The observation then belongs to this run. An open observation that staged
 * nothing, or staged last too long ago, is replaced: its time would be that of an attempt that read nothing, or of another state.
 */
export async function openObservation(
  session: Session,
  { runId, stream }: { runId: string; stream: Stream },
): Promise<Opened> {
  return inTransaction(session, async () => {
    await requireRunning(session, runId)
    const known = await readOpenObservation(session, stream)
    if (known === null) return { observation: await addObservation(session, stream, runId), dropped: [] }
    if (!isResumable(known)) return replaceObservation(session, known.id, stream, runId)
    await session.run('UPDATE chainlake.observation SET run_id = $2 WHERE observation_id = $1', [known.id, runId])
    return { observation: known, dropped: [] }
  })
}

function isResumable({ cursor, cursorAtMs, parts }: OpenObservation): boolean {
  if (cursor === null && parts.length === 0) return false
  return cursorAtMs === null || Date.now() - cursorAtMs <= resumableMs
}

export async function stageParts(session: Session, { runId, observationId, parts, cursor }: Staging): Promise<void> {
  reachStep('stage.before-begin')
  const work = async () => {
    await settleAll([requireRunning(session, runId), requireOpen(session, { runId, observationId })])
    await addStagedParts(session, observationId, parts)
    reachStep('stage.after-parts')
    await setCursor(session, observationId, cursor)
  }
  await inTransaction(session, work, session.commitLast)
  reachStep('stage.after-commit')
}

export async function restartObservation(
  session: Session,
  { runId, observationId, stream }: { runId: string; observationId: string; stream: Stream },
): Promise<Opened> {
  const opened = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    await requireOpen(session, { runId, observationId, stream })
    return replaceObservation(session, observationId, stream, runId)
  })
  reachStep('restart.after-commit')
  return opened
}

export async function readObservationIds(session: Session, stream: Stream): Promise<string[]> {
  const rows = await session.rows(
    'SELECT observation_id FROM chainlake.observation WHERE stream = $1 AND outcome IS NOT NULL ORDER BY observation_id',
    [streamId(stream)],
  )
  return rows.map((row) => row['observation_id'])
}

/** Completes an observation inside the transaction of a commit. */
async function completeObservation(
  session: Session,
  { observationId, staged }: { observationId: string; staged: 'keep' | 'discard' },
): Promise<void> {
  await dropStagedParts(session, observationId)
  await setCursor(session, observationId, null)
  await session.run('UPDATE chainlake.observation SET completed = now(), outcome = $2 WHERE observation_id = $1', [
    observationId,
    staged === 'keep' ? 'published' : 'compared',
  ])
}

/** CatalogError when the observation is not open, or belongs to another run or stream. */
async function requireOpen(
  session: Session,
  { runId, observationId, stream }: { runId: string; observationId: string; stream?: Stream },
): Promise<void> {
  const [row] = await session.rows('SELECT * FROM chainlake.observation WHERE observation_id = $1', [observationId])
  const own = row?.['run_id'] === runId && (stream === undefined || row['stream'] === streamId(stream))
  if (row !== undefined && row['outcome'] === null && own) return
  throw new CatalogError('The observation is not open, or it belongs to another run or stream.', {
    code: 'catalog.observation',
    details: { observation: observationId, run: runId, outcome: row?.['outcome'] ?? null },
    hint: 'Nothing was written. Start again: the run resumes from the staged parts.',
  })
}

async function readOpenObservation(session: Session, stream: Stream): Promise<OpenObservation | null> {
  const [row] = await session.rows('SELECT * FROM chainlake.observation WHERE stream = $1 AND outcome IS NULL', [
    streamId(stream),
  ])
  if (row === undefined) return null
  const { observation_id: id, observed_at_ms: ms, cursor_token: cursor, cursor_at_ms: cursorAtMs } = row
  return { id, observedAt: BigInt(ms) * 1000n, cursor, cursorAtMs, parts: await readStagedParts(session, id) }
}

async function replaceObservation(
  session: Session,
  observationId: string,
  stream: Stream,
  runId: string,
): Promise<Opened> {
  const parts = await readStagedParts(session, observationId)
  await dropStagedParts(session, observationId)
  await session.run('DELETE FROM chainlake.observation WHERE observation_id = $1', [observationId])
  return { observation: await addObservation(session, stream, runId), dropped: parts.map(({ path }) => path) }
}

/** Its time is later than that of all other observations, even if the clock was set back: the latest observation has the latest rows. */
async function addObservation(session: Session, stream: Stream, runId: string): Promise<OpenObservation> {
  const [row] = await session.rows('SELECT max(observed_at_ms) AS latest FROM chainlake.observation')
  const nowMs = Math.max(Date.now(), (row?.['latest'] ?? 0) + 1)
  const id = newRunId(nowMs)
  await session.append('chainlake', 'observation', [[id, streamId(stream), nowMs, runId, null, null, null, null]])
  return { id, observedAt: BigInt(nowMs) * 1000n, cursor: null, cursorAtMs: null, parts: [] }
}

async function setCursor(session: Session, observationId: string, cursor: string | null): Promise<void> {
  await session.run('UPDATE chainlake.observation SET cursor_token = $2, cursor_at_ms = $3 WHERE observation_id = $1', [
    observationId,
    cursor,
    cursor === null ? null : Date.now(),
  ])
}

/** Up to this number of newer files, their bounds are compared. If there are more, bounds are not read. */
const maxNewerFiles = 10_000

/**
 * Refuses rows if their tables have changed since they were compared at the snapshot `basis`. Two kinds of newer files do not matter. In a
 * table with immutable rows: files with bounds of a key or sort column that exclude all new rows. Files from compaction: they only contain
 * old rows, unless the compacted files have expired.
 *
 * @throws CatalogError `catalog.conflict`: compare again with the latest snapshot.
 */
async function verifyBasis(
  session: Session,
  { tables, parts, basis }: { tables: readonly Table[]; parts: readonly Part[]; basis: number },
): Promise<void> {
  if (tables.length === 0) return
  const later = await session.rows(
    `SELECT d.data_file_id AS id, t.table_name, d.begin_snapshot
     FROM ${filesOfTables}
     LEFT JOIN main.ducklake_snapshot_changes c ON c.snapshot_id = d.begin_snapshot
     WHERE d.begin_snapshot > $1 AND t.table_name IN (${tables.map(({ name }) => sqlText(name)).join(', ')})
       AND NOT (strpos(coalesce(c.changes_made, ''), '${compactedChange}') > 0 AND $1 >= (SELECT min(snapshot_id) FROM main.ducklake_snapshot))
     ORDER BY t.table_name, d.begin_snapshot DESC, d.data_file_id LIMIT ${maxNewerFiles + 1}`,
    [basis],
  )
  if (later.length === 0) return
  const bounds =
    later.length > maxNewerFiles
      ? new Map<number, LeafStats[]>()
      : await readFileStats(
          session,
          later.map(({ id }) => id),
        )
  const meeting = later.find(({ id, table_name: name }) => {
    const table = tables.find((each) => each.name === name)
    return table === undefined || mayMeet(table, parts, bounds.get(id) ?? [])
  })
  if (meeting === undefined) return
  throw new CatalogError('Rows were added to a table after the new rows were compared with it.', {
    code: 'catalog.conflict',
    details: {
      table: meeting['table_name'],
      'compared with snapshot': basis,
      'latest snapshot': meeting['begin_snapshot'],
    },
    hint: 'Nothing was written. Start again: the run compares the rows again.',
  })
}

/** For versions, rows that were skipped as known matter, too: a later version may differ from them. */
function mayMeet(table: Table, parts: readonly Part[], file: readonly LeafStats[]): boolean {
  if (table.history !== 'rows') return true
  const named = new Set([...table.key, ...table.sortBy])
  const columns = catalogColumns(table).filter(({ name, parentId }) => parentId === null && named.has(name))
  return parts.some((part) => part.table === table.name && !columns.some((column) => isApart(column, part, file)))
}

/** Whether the bounds of a column show that part and file have no common values. Without bounds, values may be anywhere. */
function isApart({ id, type }: CatalogColumn, part: Part, file: readonly LeafStats[]): boolean {
  const own = part.stats.find(({ fieldId }) => fieldId === id)
  const other = file.find(({ fieldId }) => fieldId === id)
  if (own === undefined || other === undefined || own.nullCount > 0 || other.nullCount > 0) return false
  if (own.min === null || own.max === null || other.min === null || other.max === null) return false
  return compareBounds(type, own.max, other.min) < 0 || compareBounds(type, other.max, own.min) < 0
}

/**
 * Refuses a slice if overlapping streams have covered more of it since it was planned: its rows may already be in the lake.
 *
 * @throws CatalogError `catalog.conflict` of the kind `overtaken`: plan again. Comparing the rows again would not help.
 */
async function verifyOverlapping(session: Session, commit: Commit): Promise<void> {
  const { overlapping, tables } = commit
  if (overlapping === undefined) return
  const { paths, seen } = overlapping
  const coverage = await readCoverage(session)
  for (const { stream, progress } of [commit, ...(commit.others ?? [])]) {
    if (progress.kind !== 'slice') continue
    for (const row of overlappingRows(coverage, stream, paths)) {
      const from = Math.max(row.slice.from, progress.slice.from)
      const to = Math.min(row.slice.to, progress.slice.to)
      if (!tables.includes(row.table) || from >= to) continue
      const isSeen = seen.some(
        (known) =>
          known.stream === row.stream && known.table === row.table && known.slice.from <= from && known.slice.to >= to,
      )
      if (isSeen) continue
      throw new CatalogError('Another stream with the same rows has covered the slice meanwhile.', {
        code: 'catalog.conflict',
        kind: 'overtaken',
        details: { stream: streamId(stream), other: row.stream, table: row.table, from, to },
        hint: 'Nothing was written. Start again: the run skips what is committed.',
      })
    }
  }
}
