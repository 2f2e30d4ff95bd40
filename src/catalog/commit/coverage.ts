import { CatalogError, OtherSourceError } from '../../errors.ts'
import { type Slice, type SliceEnds, type Stream, streamId } from '../../model.ts'
import type { Cell, Session } from '../session/session.ts'

/** Ids at the ends of a slice: of its records, and of the blocks in them; null where sources do not say them. */
type Ends = { readonly ends: SliceEnds | null; readonly blockEnds: SliceEnds | null }

/** A committed slice. */
export type CoveredSlice = Ends & {
  readonly slice: Slice
  /** Of the files of its table that it is of, those without its rows not counted. */
  readonly bytes: number
}

/** A row of `chainlake.coverage`. */
export type CoverageRow = CoveredSlice & {
  readonly stream: string
  readonly network: string
  readonly table: string
  readonly rows: number
}

/** What is covered of a stream, or of all streams, sorted by stream, table and slice. */
export async function readCoverage(session: Session, stream?: Stream): Promise<CoverageRow[]> {
  const rows = await session.rows(
    `SELECT network, stream, table_name, slice_from, slice_to, first_id, first_parent_id, last_id,
       first_block_id, first_block_parent_id, last_block_id, row_count, byte_count
     FROM chainlake.coverage ${stream === undefined ? '' : 'WHERE stream = $1'} ORDER BY stream, table_name, slice_from`,
    stream === undefined ? [] : [streamId(stream)],
  )
  return rows.map((row) => ({
    network: row['network'],
    stream: row['stream'],
    table: row['table_name'],
    slice: { from: row['slice_from'], to: row['slice_to'] },
    ends: endsOf(row['first_id'], row['first_parent_id'], row['last_id']),
    blockEnds: endsOf(row['first_block_id'], row['first_block_parent_id'], row['last_block_id']),
    rows: row['row_count'],
    bytes: row['byte_count'],
  }))
}

function endsOf(firstId: string | null, firstParentId: string | null, lastId: string | null): SliceEnds | null {
  return firstId === null && lastId === null ? null : { firstId, firstParentId, lastId }
}

export type NewCoverage = Ends & {
  readonly runId: string
  readonly snapshotId: number
  readonly stream: Stream
  readonly slice: Slice
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
  added: Pick<NewCoverage, 'stream' | 'slice' | 'ends' | 'blockEnds'> & { readonly tables: readonly string[] },
): void {
  const { stream, slice, tables } = added
  for (const row of covered) {
    if (tables.includes(row.table) && row.slice.from < slice.to && slice.from < row.slice.to)
      throw new CatalogError('The slice is committed already, by another run.', {
        code: 'catalog.overlap',
        details: { stream: streamId(stream), table: row.table, slice: text(slice), committed: text(row.slice) },
        hint: 'Nothing was written. Start again: what is committed is left out.',
      })
    for (const [known, given] of meetings(row, added))
      if (known !== given)
        throw new OtherSourceError('The slice does not join what the lake holds of this stream.', {
          details: {
            stream: streamId(stream),
            slice: text(slice),
            committed: `${text(row.slice)} of ${row.table}`,
            'id in the lake': known,
            'id at the source': given,
          },
          hint: 'The lake was written from another chain, or from a source with another order: use a node of the same network, or another --lake. Nothing was written.',
        })
  }
}

/** Ids that must be the same where two slices touch or begin or end together: one of the lake, one of the source. */
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

/** Adds the slice for each table, joined with the committed slices that it touches. */
export async function addCoverage(
  session: Session,
  covered: readonly CoverageRow[],
  added: NewCoverage,
): Promise<void> {
  const { stream, slice, tables, runId, snapshotId } = added
  const id = streamId(stream)
  const merged: Cell[][] = []
  const replaced: string[] = []
  for (const { name, rows, bytes } of tables) {
    const own = covered.filter((row) => row.table === name)
    const left = own.find((row) => row.slice.to === slice.from)
    const right = own.find((row) => row.slice.from === slice.to)
    for (const row of [left, right]) if (row !== undefined) replaced.push(`${name} ${row.slice.from}`)
    const [first, last]: [Ends, Ends] = [left ?? added, right ?? added]
    const from = left?.slice.from ?? slice.from
    const to = right?.slice.to ?? slice.to
    const idsOf = (kind: keyof Ends): Cell[] => [
      first[kind]?.firstId ?? null,
      first[kind]?.firstParentId ?? null,
      last[kind]?.lastId ?? null,
    ]
    const sums = [rows + (left?.rows ?? 0) + (right?.rows ?? 0), bytes + (left?.bytes ?? 0) + (right?.bytes ?? 0)]
    const written = [...sums, runId, snapshotId]
    merged.push([stream.network, id, name, from, to, ...idsOf('ends'), ...written, ...idsOf('blockEnds')])
  }
  if (replaced.length > 0)
    await session.run(
      "DELETE FROM chainlake.coverage WHERE stream = $1 AND table_name || ' ' || slice_from = ANY($2)",
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

/** A stream, and paths of others of its network that may have the same rows. */
export type StreamOverlaps = { readonly stream: Stream; readonly overlapping: readonly string[] }

/** What is covered of a stream by table, and of those beside it. */
export type Covered = {
  readonly own: ReadonlyMap<string, readonly CoveredSlice[]>
  readonly overlapping: readonly CoverageRow[]
}

/** What is covered of streams and beside them, by their ids. */
export async function coveragesOf(
  session: Session,
  streams: readonly StreamOverlaps[],
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

/** What is covered of the streams of a network with these paths, but of one of them. */
export function overlappingRows(all: readonly CoverageRow[], stream: Stream, paths: readonly string[]): CoverageRow[] {
  if (paths.length === 0) return []
  const beginnings = paths.map((path) => `${stream.network}/${path}`)
  const own = streamId(stream)
  return all.filter((row) => row.stream !== own && beginnings.includes(row.stream.replace(/\?.*$/s, '')))
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
