import { type Stream, streamId } from '../../model.ts'
import type { Cell, Session } from '../session/session.ts'

/** Row counts of a table in a unit of a list: rows that were read, and rows among them that were already known. */
export type ReadRows = { readonly read: number; readonly known: number }

/** Row counts of a stream in a commit, by table. */
export type ReadCounts = ReadonlyMap<string, ReadRows>

/** Total row counts of a stream and table over all commits. */
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
  /** The stored rows and the row counts of each table. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly read: ReadRows | undefined }[]
  readonly progressItems: number
}

/** Records the row counts of a commit of a list, and the growth of its progress, even if the commit has no rows. */
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

/** The number of items in the stretches of a stream. */
export async function readStretchItems(session: Session, stream: Stream | string): Promise<number> {
  const [row] = await session.rows(
    'SELECT coalesce(sum(item_count), 0)::BIGINT AS items FROM chainlake.stretch WHERE stream = $1',
    [typeof stream === 'string' ? stream : streamId(stream)],
  )
  return row?.['items'] ?? 0
}

type Removing = { readonly runId: string; readonly snapshotId: number; readonly lists: readonly string[] }

/** Runs `remove`, which removes rows and stretches, and subtracts them from the recorded row counts of lists. */
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
  const counted = new Set<string>()
  const rows = recorded.flatMap(({ stream, table }): Cell[][] => {
    const key = keyOf(stream, table)
    const removed = (before.get(key) ?? 0) - (after.get(key) ?? 0)
    const removedItems = counted.has(stream) ? 0 : (items.get(stream) ?? 0)
    counted.add(stream)
    if (removed === 0 && removedItems === 0) return []
    return [[snapshotId, runId, stream, table, -removed, -removed, 0, -removedItems]]
  })
  await session.append('chainlake', 'list_commit', rows)
}

/** The number of stored rows of each stream and table. */
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
