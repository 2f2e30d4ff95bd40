import { CatalogError, OtherSourceError } from '../errors.ts'
import { type Slice, type SliceEnds, type Stream, streamId } from '../model.ts'
import type { Cell, Session } from './session.ts'

/** A committed slice. `ends` is null for sources whose records have no ids that follow one another. */
export type CoveredSlice = { readonly slice: Slice; readonly ends: SliceEnds | null }

/** A row of `chainlake.coverage`. */
export type CoverageRow = CoveredSlice & {
  readonly stream: string
  readonly network: string
  readonly table: string
  readonly rows: number
  readonly bytes: number
}

/** What is covered of a stream, or of all streams, sorted by stream, table and slice. */
export async function readCoverage(session: Session, stream?: Stream): Promise<CoverageRow[]> {
  const rows = await session.rows(
    `SELECT network, stream, table_name, slice_from, slice_to, first_id, first_parent_id, last_id, row_count, byte_count
     FROM chainlake.coverage WHERE $1 IS NULL OR stream = $1 ORDER BY stream, table_name, slice_from`,
    [stream === undefined ? null : streamId(stream)],
  )
  return rows.map((row) => ({
    network: row['network'],
    stream: row['stream'],
    table: row['table_name'],
    slice: { from: row['slice_from'], to: row['slice_to'] },
    ends:
      row['first_id'] === null || row['last_id'] === null
        ? null
        : { firstId: row['first_id'], firstParentId: row['first_parent_id'], lastId: row['last_id'] },
    rows: row['row_count'],
    bytes: row['byte_count'],
  }))
}

export type NewCoverage = {
  readonly runId: string
  readonly snapshotId: number
  readonly stream: Stream
  readonly slice: Slice
  readonly ends: SliceEnds | null
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[]
}

/**
 * Refuses a slice that overlaps what is committed of one of its tables, or whose ends do not join what is committed of
 * the stream on either side, whatever the table.
 *
 * @throws CatalogError `catalog.overlap`; OtherSourceError.
 */
export function verifyJoins(
  covered: readonly CoverageRow[],
  { stream, slice, ends, tables }: Pick<NewCoverage, 'stream' | 'slice' | 'ends'> & { tables: readonly string[] },
): void {
  for (const row of covered) {
    if (tables.includes(row.table) && row.slice.from < slice.to && slice.from < row.slice.to)
      throw new CatalogError('The slice is committed already, by another run.', {
        code: 'catalog.overlap',
        details: { stream: streamId(stream), table: row.table, slice: text(slice), committed: text(row.slice) },
        hint: 'Nothing was written. Start again: what is committed is left out.',
      })
    if (ends === null || row.ends === null) continue
    const pairs: [boolean, string | null, string | null][] = [
      [row.slice.to === slice.from, row.ends.lastId, ends.firstParentId],
      [row.slice.from === slice.to, row.ends.firstParentId, ends.lastId],
      [row.slice.from === slice.from, row.ends.firstId, ends.firstId],
      [row.slice.to === slice.to, row.ends.lastId, ends.lastId],
    ]
    for (const [touches, known, given] of pairs)
      if (touches && known !== null && given !== null && known !== given)
        throw new OtherSourceError('The slice does not join what the lake holds of this stream.', {
          details: {
            stream: streamId(stream),
            slice: text(slice),
            committed: `${text(row.slice)} of ${row.table}`,
            'id in the lake': known,
            'id at the source': given,
          },
          hint: 'The source is another chain, or an index in another order, than the lake was written from: use a node of the same network, or another --lake. Nothing was written.',
        })
  }
}

/** Adds the slice for each table, joined with the committed slices that it touches. */
export async function addCoverage(
  session: Session,
  covered: readonly CoverageRow[],
  added: NewCoverage,
): Promise<void> {
  const { stream, slice, ends, tables, runId, snapshotId } = added
  const id = streamId(stream)
  const merged: Cell[][] = []
  const replaced: string[] = []
  for (const { name, rows, bytes } of tables) {
    const own = covered.filter((row) => row.table === name)
    const left = own.find((row) => row.slice.to === slice.from)
    const right = own.find((row) => row.slice.from === slice.to)
    for (const row of [left, right]) if (row !== undefined) replaced.push(`${name} ${row.slice.from}`)
    const first = left === undefined ? ends : left.ends
    const last = right === undefined ? ends : right.ends
    const from = left?.slice.from ?? slice.from
    const to = right?.slice.to ?? slice.to
    const firstIds = [first?.firstId ?? null, first?.firstParentId ?? null]
    const sums = [rows + (left?.rows ?? 0) + (right?.rows ?? 0), bytes + (left?.bytes ?? 0) + (right?.bytes ?? 0)]
    merged.push([stream.network, id, name, from, to, ...firstIds, last?.lastId ?? null, ...sums, runId, snapshotId])
  }
  if (replaced.length > 0)
    await session.run(
      "DELETE FROM chainlake.coverage WHERE stream = $1 AND list_contains($2, table_name || ' ' || slice_from)",
      [id, replaced],
    )
  await session.append('chainlake', 'coverage', merged)
}

function text({ from, to }: Slice): string {
  return `[${from}, ${to})`
}

/** Committed slices of a stream by table; an empty list for a table without any. */
export async function coverageOf(
  session: Session,
  stream: Stream,
  tables: readonly string[],
): Promise<Map<string, CoveredSlice[]>> {
  return byTable(await readCoverage(session, stream), tables)
}

/** The same of many streams, by their ids. */
export async function coveragesOf(
  session: Session,
  streams: readonly Stream[],
  tables: readonly string[],
): Promise<Map<string, Map<string, CoveredSlice[]>>> {
  const rows = new Map<string, CoverageRow[]>(streams.map((stream) => [streamId(stream), []]))
  for (const row of await readCoverage(session)) rows.get(row.stream)?.push(row)
  return new Map([...rows].map(([id, own]) => [id, byTable(own, tables)]))
}

function byTable(rows: readonly CoverageRow[], tables: readonly string[]): Map<string, CoveredSlice[]> {
  return new Map(
    tables.map((table) => [
      table,
      rows.filter((row) => row.table === table).map(({ slice, ends }) => ({ slice, ends })),
    ]),
  )
}
