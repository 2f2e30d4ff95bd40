import { CatalogError, OtherSourceError } from '../../errors.ts'
import { type Slice, type SliceEnds, type Stream, streamId } from '../../model.ts'
import { readStreamFacts, type StreamFacts, undeclared } from '../runs/stream-facts.ts'
import type { Cell, Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'

/** Ids at the ends of a slice: of its records, and of the blocks in them. Null if the source does not have them. */
type Ends = { readonly ends: SliceEnds | null; readonly blockEnds: SliceEnds | null }

/** A committed slice. */
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
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[]
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

/** A stream, with the paths of other streams of its network that may have the same rows. */
export type StreamOverlaps = { readonly stream: Stream; readonly overlapping: readonly string[] }

/** The coverage of a stream by table, and the coverage of overlapping streams. */
export type Covered = {
  readonly own: ReadonlyMap<string, readonly CoveredSlice[]>
  readonly overlapping: readonly CoverageRow[]
}

/** The coverage of streams and of overlapping streams, by stream id. */
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
