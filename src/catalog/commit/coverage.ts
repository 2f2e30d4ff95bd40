import { blockTime } from '../../define/index.ts'
import { CatalogError, OtherSourceError } from '../../errors.ts'
import { groupBy } from '../../lib/arrays.ts'
import {
  itemsOf,
  type ReadRange,
  type ReadStretch,
  type Slice,
  type SliceEnds,
  type Stream,
  type Stretch,
  streamId,
} from '../../model.ts'
import type { TableSum } from '../add-files.ts'
import { readOpenRuns, streamTaken } from '../runs.ts'
import { type Cell, filesOfTables, inTransaction, type Locks, type Session, settleAll, sliceOf } from '../session.ts'
import { readStreamFacts, type StreamFacts, undeclared } from '../streams.ts'

/** Ids at the ends of a slice: of its records, and of the blocks in them. Null if the source does not have them. */
type Ends = { readonly ends: SliceEnds | null; readonly blockEnds: SliceEnds | null }

export type CoveredSlice = Ends & {
  readonly slice: Slice
  /** Total size in bytes of the files with its rows. */
  readonly bytes: number
}

/** A row of `chainlake.coverage`. */
export type CoverageRow = CoveredSlice & {
  readonly stream: string
  readonly origin: StreamFacts
  readonly network: string
  readonly table: string
  readonly rows: number
}

/** The coverage of a stream, or of all streams, sorted by stream, table and slice. */
export async function readCoverage(session: Session, stream?: Stream): Promise<CoverageRow[]> {
  const [streams, rows] = await settleAll([
    readStreamFacts(session, stream),
    session.rows(
      `SELECT network, stream, table_name, slice_from, slice_to, first_id, first_parent_id, last_id,
         first_block_id, first_block_parent_id, last_block_id, row_count, byte_count
       FROM chainlake.coverage ${stream === undefined ? '' : 'WHERE stream = $1'} ORDER BY stream, table_name, slice_from`,
      stream === undefined ? [] : [streamId(stream)],
    ),
  ])
  return rows.map((row) => ({
    network: row['network'],
    stream: row['stream'],
    origin: streams.get(row['stream']) ?? lost(row['stream'], row['network']),
    table: row['table_name'],
    slice: { from: row['slice_from'], to: row['slice_to'] },
    ends: endsOf(row['first_id'], row['first_parent_id'], row['last_id']),
    blockEnds: endsOf(row['first_block_id'], row['first_block_parent_id'], row['last_block_id']),
    rows: row['row_count'],
    bytes: row['byte_count'],
  }))
}

/** A stream without a row: the catalog is damaged, and `verify` reports it. */
function lost(stream: string, network: string): StreamFacts {
  return { ...undeclared, stream, network, path: '', parameters: {} }
}

function endsOf(firstId: string | null, firstParentId: string | null, lastId: string | null): SliceEnds | null {
  return firstId === null && lastId === null ? null : { firstId, firstParentId, lastId }
}

type NewCoverage = Ends & {
  readonly runId: string
  readonly snapshotId: number
  readonly stream: Stream
  readonly slice: Slice
  readonly tables: readonly TableSum[]
}

/**
 * Refuses a slice that overlaps a committed slice of one of its tables, or that does not join the adjacent committed slices of the stream
 * in any table.
 *
 * @throws CatalogError `catalog.overlap`; OtherSourceError.
 */
export function verifyJoins(
  covered: readonly CoverageRow[],
  added: Pick<NewCoverage, 'stream' | 'slice' | 'ends' | 'blockEnds'> & { readonly tables: readonly string[] },
): void {
  const { stream, slice, tables } = added
  for (const row of covered) {
    if (tables.includes(row.table) && row.slice.from < slice.to && slice.from < row.slice.to)
      throw new CatalogError('Another run has already committed this slice.', {
        code: 'catalog.overlap',
        details: { stream: streamId(stream), table: row.table, slice: text(slice), committed: text(row.slice) },
        hint: 'Nothing was written. Start again: the run skips what is committed.',
      })
    for (const [known, given] of meetings(row, added))
      if (known !== given)
        throw new OtherSourceError('The slice does not join the rows of this stream in the lake.', {
          details: {
            stream: streamId(stream),
            slice: text(slice),
            committed: `${text(row.slice)} of ${row.table}`,
            'id in the lake': known,
            'id at the source': given,
          },
          hint: 'Nothing was written. The lake was written from another chain, or from a source with another order. Use a node of the same network, or another --lake.',
        })
  }
}

/** Pairs of ids, of the lake and of the source, that must be equal because two slices touch, or begin or end together. */
function meetings(row: Ends & { readonly slice: Slice }, added: Ends & { readonly slice: Slice }): [string, string][] {
  const { slice } = added
  return (['ends', 'blockEnds'] as const).flatMap((kind) => {
    const [known, given] = [row[kind], added[kind]]
    const pairs = [
      row.slice.to === slice.from && [known?.lastId, given?.firstParentId],
      row.slice.from === slice.to && [known?.firstParentId, given?.lastId],
      row.slice.from === slice.from && [known?.firstId, given?.firstId],
      row.slice.to === slice.to && [known?.lastId, given?.lastId],
    ]
    return pairs.flatMap((pair): [string, string][] => {
      if (pair === false) return []
      const [left, right] = pair
      return left != null && right != null ? [[left, right]] : []
    })
  })
}

/** Adds the slice for each table and merges it with adjacent committed slices. */
export async function addCoverage(
  session: Session,
  covered: readonly CoverageRow[],
  added: NewCoverage,
): Promise<void> {
  const { stream, slice, tables } = added
  const id = streamId(stream)
  const merged: Cell[][] = []
  const replaced: string[] = []
  for (const { name, rows, bytes } of tables) {
    const own = covered.filter((row) => row.table === name)
    const left = own.find((row) => row.slice.to === slice.from)
    const right = own.find((row) => row.slice.from === slice.to)
    for (const row of [left, right]) if (row !== undefined) replaced.push(`${name} ${row.slice.from}`)
    const joined = (kind: keyof Ends): SliceEnds => ({
      firstId: (left ?? added)[kind]?.firstId ?? null,
      firstParentId: (left ?? added)[kind]?.firstParentId ?? null,
      lastId: (right ?? added)[kind]?.lastId ?? null,
    })
    const row = {
      ...{ network: stream.network, stream: id, table: name, ends: joined('ends'), blockEnds: joined('blockEnds') },
      slice: { from: left?.slice.from ?? slice.from, to: right?.slice.to ?? slice.to },
      rows: rows + (left?.rows ?? 0) + (right?.rows ?? 0),
      bytes: bytes + (left?.bytes ?? 0) + (right?.bytes ?? 0),
    }
    merged.push(coverageCells(row, added))
  }
  if (replaced.length > 0)
    await session.run(
      "DELETE FROM chainlake.coverage WHERE stream = $1 AND table_name || ' ' || slice_from = ANY($2)",
      [id, replaced],
    )
  await session.append('chainlake', 'coverage', merged)
}

export function coverageCells(
  { network, stream, table, slice, ends, blockEnds, rows, bytes }: Omit<CoverageRow, 'origin'>,
  { runId, snapshotId }: Pick<NewCoverage, 'runId' | 'snapshotId'>,
): Cell[] {
  const idsOf = (kind: SliceEnds | null): Cell[] => [
    kind?.firstId ?? null,
    kind?.firstParentId ?? null,
    kind?.lastId ?? null,
  ]
  const place = [network, stream, table, slice.from, slice.to]
  return [...place, ...idsOf(ends), rows, bytes, runId, snapshotId, ...idsOf(blockEnds)]
}

function text({ from, to }: Slice): string {
  return `[${from}, ${to})`
}

export async function coverageOf(
  session: Session,
  stream: Stream,
  tables: readonly string[],
): Promise<Map<string, CoveredSlice[]>> {
  return byTable(await readCoverage(session, stream), tables)
}

/** The coverage of a stream by table, and the coverage of overlapping streams. */
export type Covered = {
  readonly own: ReadonlyMap<string, readonly CoveredSlice[]>
  readonly overlapping: readonly CoverageRow[]
}

export async function coveragesOf(
  session: Session,
  streams: readonly { readonly stream: Stream; readonly overlapping: readonly string[] }[],
  tables: readonly string[],
): Promise<Map<string, Covered>> {
  const rows = new Map<string, CoverageRow[]>(streams.map(({ stream }) => [streamId(stream), []]))
  const all = await readCoverage(session)
  for (const row of all) rows.get(row.stream)?.push(row)
  return new Map(
    streams.map(({ stream, overlapping }) => {
      const id = streamId(stream)
      return [id, { own: byTable(rows.get(id) ?? [], tables), overlapping: overlappingRows(all, stream, overlapping) }]
    }),
  )
}

/** The coverage of the streams of the same network with these paths, without the stream itself. */
export function overlappingRows(all: readonly CoverageRow[], stream: Stream, paths: readonly string[]): CoverageRow[] {
  if (paths.length === 0) return []
  const own = streamId(stream)
  return all.filter((row) => row.stream !== own && row.network === stream.network && paths.includes(row.origin.path))
}

function byTable(rows: readonly CoverageRow[], tables: readonly string[]): Map<string, CoveredSlice[]> {
  return new Map(
    tables.map((table) => [
      table,
      rows
        .filter((row) => row.table === table)
        .map(({ slice, ends, blockEnds, bytes }) => ({ slice, ends, blockEnds, bytes })),
    ]),
  )
}

const stretchColumns =
  'top_time AS "topTime", bottom_time AS "bottomTime", reached_end AS "end", hole, item_count AS items'

export async function readStretches(session: Session, stream: Stream): Promise<Stretch[]> {
  return session.rows(
    `SELECT ${stretchColumns}, top_keys AS "topKeys", bottom_keys AS "bottomKeys", token, token_at_ms AS "tokenAtMs"
     FROM chainlake.stretch WHERE stream = $1 ORDER BY position`,
    [streamId(stream)],
  )
}

/** The committed stretches of all lists by stream, newest first. */
export async function readAllStretches(session: Session): Promise<ReadonlyMap<string, readonly ReadStretch[]>> {
  const rows = await session.rows<ReadStretch & { readonly stream: string }>(
    `SELECT stream, ${stretchColumns} FROM chainlake.stretch ORDER BY stream, position`,
  )
  return groupBy(rows, ({ stream }) => stream)
}

export async function replaceStretches(session: Session, stream: Stream, stretches: readonly Stretch[]): Promise<void> {
  const id = streamId(stream)
  await session.run('DELETE FROM chainlake.stretch WHERE stream = $1', [id])
  for (const [position, stretch] of stretches.entries()) {
    const { topKeys, topTime, bottomKeys, bottomTime, token, tokenAtMs, end, hole, items } = stretch
    const ends = [topKeys, topTime, bottomKeys, bottomTime]
    const values = [id, position, ...ends, token, tokenAtMs, end, hole, items]
    await session.run(
      `INSERT INTO chainlake.stretch VALUES (${values.map((_, at) => `$${at + 1}`).join(', ')})`,
      values,
    )
  }
}

/** Row counts of a stream in a commit of a list, by table: rows that were read, and rows among them that were already known. */
export type ReadCounts = ReadonlyMap<string, { readonly read: number; readonly known: number }>

/** Records the row counts of a commit of a list, and the growth of its progress, even if the commit has no rows. */
export async function recordListCommit(
  session: Session,
  { runId, snapshotId, stream, tables }: Omit<NewCoverage, 'slice' | keyof Ends>,
  counts: ReadCounts,
  progressItems: number,
): Promise<void> {
  const rows = tables.flatMap(({ name, rows: stored }, position): Cell[][] => {
    const { read, known } = counts.get(name) ?? { read: 0, known: 0 }
    const growth = position === 0 ? progressItems : 0
    if (read === 0 && stored === 0 && growth === 0) return []
    return [[snapshotId, runId, streamId(stream), name, read, stored, known, growth]]
  })
  await session.append('chainlake', 'list_commit', rows)
}

/** Total row counts of streams and tables over all commits. */
export async function readListCounts(session: Session) {
  return session.rows<
    { stream: string; table: string } & Record<`rows${'Read' | 'New' | 'Known'}` | 'progressItems', number>
  >(
    `SELECT stream, table_name AS "table", sum(rows_read)::BIGINT AS "rowsRead", sum(rows_new)::BIGINT AS "rowsNew",
       sum(rows_known)::BIGINT AS "rowsKnown", sum(progress_items)::BIGINT AS "progressItems"
     FROM chainlake.list_commit GROUP BY stream, table_name ORDER BY stream, table_name`,
  )
}

type Removing = { readonly runId: string; readonly snapshotId: number; readonly lists: readonly string[] }

/** Runs `remove`, which removes rows and stretches, and subtracts them from the recorded row counts of lists. */
export async function takeBackListCommits(
  session: Session,
  { runId, snapshotId, lists }: Removing,
  remove: () => Promise<void>,
): Promise<void> {
  const recorded = await readListCounts(session)
  const stretches = await readAllStretches(session)
  const before = await readStoredRows(session)
  await remove()
  const after = await readStoredRows(session)
  const counted = new Set<string>()
  const rows = recorded.flatMap(({ stream, table }): Cell[][] => {
    const key = keyOf(stream, table)
    const removed = (before.get(key) ?? 0) - (after.get(key) ?? 0)
    const isFirst = lists.includes(stream) && !counted.has(stream)
    const removedItems = isFirst ? itemsOf(stretches.get(stream) ?? []) : 0
    counted.add(stream)
    if (removed === 0 && removedItems === 0) return []
    return [[snapshotId, runId, stream, table, -removed, -removed, 0, -removedItems]]
  })
  await session.append('chainlake', 'list_commit', rows)
}

async function readStoredRows(session: Session): Promise<Map<string, number>> {
  const rows = await session.rows(
    `SELECT stream, table_name, sum(row_count)::BIGINT AS stored FROM (
       SELECT stream, table_name, row_count FROM chainlake.coverage
       UNION ALL SELECT stream, table_name, row_count FROM chainlake.written
     ) counted GROUP BY stream, table_name`,
  )
  return new Map(rows.map((row) => [keyOf(row['stream'], row['table_name']), row['stored']]))
}

function keyOf(stream: string, table: string): string {
  return `${table} ${stream}`
}

/** A gap of a table and stream. `slice` is null for a list that ended before the rows that were known. */
export type StreamGap = { readonly stream: string; readonly table: string; readonly slice: Slice | null }

/** The gaps of ranges that the user accepted, of a stream or of all streams, sorted. */
export async function readAcceptedGaps(
  session: Session,
  stream?: Stream,
): Promise<(StreamGap & { readonly slice: Slice })[]> {
  const rows = await session.rows(
    `SELECT stream, table_name AS "table", slice_from AS "from", slice_to AS "to" FROM chainlake.accepted_gap
     ${stream === undefined ? '' : 'WHERE stream = $1'} ORDER BY stream, table_name, slice_from`,
    stream === undefined ? [] : [streamId(stream)],
  )
  return rows.map(({ stream, table, from, to }) => ({ stream, table, slice: { from, to } }))
}

/**
 * Accepts gaps, or revokes what was accepted. Runs keep the state of lists in memory, so this throws StreamTakenError while a run holds one of
 * the streams.
 */
export async function changeAcceptedGaps(
  session: Session,
  locks: Locks,
  { gaps, accepted }: { readonly gaps: readonly StreamGap[]; readonly accepted: boolean },
): Promise<void> {
  const streams = [...new Set(gaps.map(({ stream }) => stream))]
  const open = await readOpenRuns(session, locks)
  const holders = open.filter((run) => run.state === 'running' && run.streams.some((each) => streams.includes(each)))
  if (holders[0] !== undefined) throw streamTaken(holders[0], streams, holders)
  await inTransaction(session, async () => {
    for (const { stream, table, slice } of gaps) {
      if (slice === null)
        await session.run('UPDATE chainlake.stretch SET hole = $2 WHERE stream = $1 AND hole = $3', [
          stream,
          ...(accepted ? ['accepted', 'open'] : ['open', 'accepted']),
        ])
      else if (accepted) await session.append('chainlake', 'accepted_gap', [[stream, table, slice.from, slice.to]])
      else
        await session.run(
          'DELETE FROM chainlake.accepted_gap WHERE stream = $1 AND table_name = $2 AND slice_from < $4 AND slice_to > $3',
          [stream, table, slice.from, slice.to],
        )
    }
  })
}

export async function readTableExtents(session: Session) {
  const rows = await session.rows(
    `SELECT t.table_name AS name, CAST(sum(d.record_count) AS BIGINT) AS n FROM ${filesOfTables}
     WHERE d.end_snapshot IS NULL GROUP BY t.table_name`,
  )
  const { microseconds, tryCast } = session.dialect
  const times = await session.rows(
    `SELECT t.table_name AS name, c.column_name AS time, CAST(max(${microseconds(tryCast('s.max_value', 'TIMESTAMPTZ'))}) AS VARCHAR) AS newest
     FROM ${filesOfTables}
     JOIN main.ducklake_column c ON c.table_id = t.table_id AND c.end_snapshot IS NULL AND c.column_type = 'timestamptz'
     JOIN main.ducklake_file_column_stats s ON s.data_file_id = d.data_file_id AND s.column_id = c.column_id
     WHERE d.end_snapshot IS NULL GROUP BY t.table_name, c.column_name`,
  )
  const ranges = await readRanges(session)
  const names = new Set([...rows.map(({ name }) => String(name)), ...ranges.map(({ table }) => table)])
  return new Map(
    [...names].map((name) => {
      /** The newest value of each column of times, in microseconds since 1970 UTC. */
      const newest = times.flatMap((each): [string, bigint][] =>
        each['name'] === name && each['newest'] !== null ? [[String(each['time']), BigInt(each['newest'])]] : [],
      )
      return [
        name,
        {
          rows: Number(rows.find((each) => each['name'] === name)?.['n'] ?? 0),
          newest: new Map(newest),
          /** What streams have read for it. */
          ranges: ranges.filter(({ table }) => table === name),
        },
      ] as const
    }),
  )
}

export async function readNewestTimes(session: Session): Promise<Map<string, Date>> {
  const newest = await readHighest(session, blockTime, {
    files: 'SELECT data_file_id, stream FROM chainlake.file',
    only: "AND c.column_type = 'timestamptz'",
  })
  return new Map([...newest].map(([stream, micros]) => [stream, new Date(Number(micros / 1000n))]))
}

const filesOfOneStream =
  'SELECT data_file_id, min(stream) AS stream FROM chainlake.file GROUP BY data_file_id HAVING min(stream) = max(stream)'

export async function readHighest(
  session: Session,
  column: string,
  { files = filesOfOneStream, only = '' } = {},
): Promise<Map<string, bigint>> {
  const { microseconds, tryCast } = session.dialect
  const rows = await session.rows(
    `SELECT own.stream, CAST(max(CASE WHEN c.column_type = 'timestamptz' THEN ${microseconds(tryCast('s.max_value', 'TIMESTAMPTZ'))}
                          ELSE ${tryCast('s.max_value', 'HUGEINT')} END) AS VARCHAR) AS highest
     FROM (${files}) own
     JOIN main.ducklake_data_file d ON d.data_file_id = own.data_file_id AND d.end_snapshot IS NULL
     JOIN main.ducklake_column c ON c.table_id = d.table_id AND c.end_snapshot IS NULL AND c.column_name = $1 AND c.parent_column IS NULL ${only}
     JOIN main.ducklake_file_column_stats s ON s.data_file_id = d.data_file_id AND s.column_id = c.column_id
     GROUP BY own.stream`,
    [column],
  )
  return new Map(rows.flatMap(({ stream, highest }) => (highest === null ? [] : [[stream, BigInt(highest)]])))
}

/** What streams have brought to the tables of the lake. Files that were removed are not part of a range. */
async function readRanges(session: Session): Promise<ReadRange[]> {
  const rows = await session.rows<
    Omit<ReadRange, 'slice'> & { readonly slice_from: number; readonly slice_to: number }
  >(
    `SELECT stream.network, part.stream, stream.pipeline, part.table_name AS "table", stream.unit, part.slice_from, part.slice_to,
       part.row_count AS "rows", ${session.dialect.microseconds('snapshot.snapshot_time')} AS "committedMicros"
     FROM (
       SELECT stream, table_name, slice_from, slice_to, row_count, last_snapshot_id FROM chainlake.coverage
       UNION ALL
       SELECT stream, table_name, NULL, NULL, row_count, last_snapshot_id FROM chainlake.written
     ) AS part
     JOIN chainlake.stream AS stream ON stream.stream = part.stream
     LEFT JOIN main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = part.last_snapshot_id
     ORDER BY part.stream, part.table_name, part.slice_from`,
  )
  return rows.map(({ slice_from, slice_to, ...range }) => ({ ...range, slice: sliceOf({ slice_from, slice_to }) }))
}
