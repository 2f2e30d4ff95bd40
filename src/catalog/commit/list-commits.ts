import { type Stream, streamId } from '../../model.ts'
import type { Cell, Session } from '../session/session.ts'

/** What a unit of a list read of a table: rows that its items gave, and how many of them were known. */
export type ReadRows = { readonly read: number; readonly known: number }

/** What a commit read of a stream, by table. */
export type ReadCounts = ReadonlyMap<string, ReadRows>

/** The sums of what the commits of a stream recorded of a table. */
export type ListCounts = {
  readonly stream: string
  readonly table: string
  readonly rowsRead: number
  readonly rowsNew: number
  readonly rowsKnown: number
  readonly progressItems: number
}

type Recorded = {
  readonly runId: string
  readonly snapshotId: number
  readonly stream: string
  /** Of each table what was read, and the rows that were stored. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly read: ReadRows | undefined }[]
  readonly progressItems: number
}

/** Records what a commit of a list read. Growth of its progress is recorded also where the commit has no rows. */
export async function recordListCommit(
  session: Session,
  { runId, snapshotId, stream, tables, progressItems }: Recorded,
): Promise<void> {
  const rows = tables.flatMap(({ name, rows: stored, read = noRows }, position): Cell[][] => {
    const growth = position === 0 ? progressItems : 0
    if (read.read === 0 && stored === 0 && growth === 0) return []
    return [[snapshotId, runId, stream, name, read.read, stored, read.known, growth]]
  })
  await session.append('chainlake', 'list_commit', rows)
}

const noRows: ReadRows = { read: 0, known: 0 }

export async function readListCounts(session: Session): Promise<ListCounts[]> {
  const rows = await session.rows(
    `SELECT stream, table_name, sum(rows_read)::BIGINT AS rows_read, sum(rows_new)::BIGINT AS rows_new,
       sum(rows_known)::BIGINT AS rows_known, sum(progress_items)::BIGINT AS progress_items
     FROM chainlake.list_commit GROUP BY stream, table_name ORDER BY stream, table_name`,
  )
  return rows.map((row) => ({
    stream: row['stream'],
    table: row['table_name'],
    rowsRead: row['rows_read'],
    rowsNew: row['rows_new'],
    rowsKnown: row['rows_known'],
    progressItems: row['progress_items'],
  }))
}

/** The items that the stretches of a stream count. */
export async function readStretchItems(session: Session, stream: Stream | string): Promise<number> {
  const [row] = await session.rows(
    'SELECT coalesce(sum(item_count), 0)::BIGINT AS items FROM chainlake.stretch WHERE stream = $1',
    [typeof stream === 'string' ? stream : streamId(stream)],
  )
  return row?.['items'] ?? 0
}

type Removing = { readonly runId: string; readonly snapshotId: number; readonly lists: readonly string[] }

/** Runs `remove`, which takes rows and stretches away, and takes back what the commits of lists recorded of them. */
export async function takeBackListCommits(
  session: Session,
  { runId, snapshotId, lists }: Removing,
  remove: () => Promise<void>,
): Promise<void> {
  const recorded = await readListCounts(session)
  const items = new Map<string, number>()
  for (const stream of lists) items.set(stream, await readStretchItems(session, stream))
  const before = await readStoredRows(session)
  await remove()
  const after = await readStoredRows(session)
  const told = new Set<string>()
  const rows = recorded.flatMap(({ stream, table }): Cell[][] => {
    const place = placeOf(stream, table)
    const removed = (before.get(place) ?? 0) - (after.get(place) ?? 0)
    const passed = told.has(stream) ? 0 : (items.get(stream) ?? 0)
    told.add(stream)
    if (removed === 0 && passed === 0) return []
    return [[snapshotId, runId, stream, table, -removed, -removed, 0, -passed]]
  })
  await session.append('chainlake', 'list_commit', rows)
}

/** Rows that the catalog counts for each stream and table. */
async function readStoredRows(session: Session): Promise<Map<string, number>> {
  const rows = await session.rows(
    `SELECT stream, table_name, sum(row_count)::BIGINT AS stored FROM (
       SELECT stream, table_name, row_count FROM chainlake.coverage
       UNION ALL SELECT stream, table_name, row_count FROM chainlake.written
     ) counted GROUP BY stream, table_name`,
  )
  return new Map(rows.map((row) => [placeOf(row['stream'], row['table_name']), row['stored']]))
}

function placeOf(stream: string, table: string): string {
  return `${table} ${stream}`
}
