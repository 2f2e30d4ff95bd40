import { CatalogError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import type { Part } from '../../model.ts'
import { type AddedFile, addFiles } from '../files/add-files.ts'
import { endFiles } from '../files/end-files.ts'
import type { FileSource } from '../files/file-facts.ts'
import { sourceOf } from '../files/small-files.ts'
import { requireRunning } from '../runs/runs.ts'
import { readDeclaredTables } from '../schema/declared-tables.ts'
import { readTables } from '../schema/known-tables.ts'
import { type Cell, inTransaction, type Session } from '../session/session.ts'
import { nextSnapshot, writeSnapshot } from '../session/snapshot.ts'

export type Replacement = {
  readonly runId: string
  readonly table: string
  /** Ids of visible files. */
  readonly files: readonly number[]
  /** New files, which hold the same rows. */
  readonly parts: readonly Part[]
  /** The maximum number of times that these rows were rewritten. */
  readonly level: number
}

/** Prefix of the change entry of a snapshot that only moves rows to other files. */
export const compactedChange = 'compacted_table:'

/**
 * Replaces files by others in one transaction. The new files get the sources of all old files; the coverage does not change. Earlier
 * snapshots show the old files. Returns the id of the snapshot.
 *
 * @throws CatalogError `catalog.overtaken`, retryable, when one of the files is no longer visible; `catalog.commit` when the number of rows
 * differs; `catalog.run-ended`.
 */
export async function replaceFiles(
  session: Session,
  { runId, table: name, files: ids, parts, level }: Replacement,
): Promise<number> {
  if (parts.some((part) => part.table !== name))
    throw new CatalogError('Files can only be replaced by files of the same table.', { details: { table: name } })
  reachStep('compact.before-begin')
  const snapshotId = await inTransaction(session, async () => {
    await requireRunning(session, runId)
    const rows = await countVisible(session, name, ids)
    const written = parts.reduce((sum, part) => sum + part.rows, 0)
    if (rows !== written) throw otherRows(name, rows, written)
    const snapshot = await nextSnapshot(session)
    const known = await readTables(session)
    const table = (await readDeclaredTables(session, known)).get(name)
    if (table === undefined)
      throw new CatalogError('Files of a table that the lake does not have cannot be replaced.', {
        details: { table: name },
      })
    const sources = joinNeighbours(await readSources(session, ids))
    const added = await addFiles(session, snapshot, [table], known, parts)
    reachStep('compact.after-files')
    await recordSources(session, added, sources, runId)
    await session.append(
      'chainlake',
      'compacted_file',
      added.map(({ id }) => [id, level]),
    )
    const tableId = known.get(name)?.id ?? 0
    await endFiles(session, snapshot, tableId, ids)
    snapshot.changes.splice(snapshot.changes.indexOf(`inserted_into_table:${tableId}`), 1, compactedChange + tableId)
    const message = `${ids.length} files of ${name} merged into ${parts.length} by run ${runId}`
    await writeSnapshot(session, snapshot, { message, runId })
    return snapshot.id
  })
  reachStep('compact.after-commit')
  return snapshotId
}

/** The number of rows in the files. All of them must be visible. */
async function countVisible(session: Session, table: string, ids: readonly number[]): Promise<number> {
  const [found] = await session.rows(
    `SELECT count(*) AS n, sum(d.record_count)::BIGINT AS row_count
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE t.table_name = $1 AND d.end_snapshot IS NULL AND d.data_file_id IN (${ids.join(', ')})`,
    [table],
  )
  if (found?.['n'] === new Set(ids).size) return found['row_count']
  throw new CatalogError('Some of the merged files are no longer visible.', {
    code: 'catalog.overtaken',
    details: { table, files: ids.length, 'still there': found?.['n'] },
    hint: 'Nothing was written. Another process has replaced or removed the files. Start again.',
    retryable: true,
  })
}

async function readSources(session: Session, ids: readonly number[]): Promise<FileSource[]> {
  const rows = await session.rows(
    `SELECT DISTINCT stream, slice_from, slice_to FROM chainlake.file WHERE data_file_id IN (${ids.join(', ')})
     ORDER BY stream, slice_from, slice_to`,
  )
  return rows.map(sourceOf)
}

/** Merges adjacent slices of a stream. The sources must be sorted by stream and slice. */
function joinNeighbours(sources: readonly FileSource[]): FileSource[] {
  const joined: FileSource[] = []
  for (const { stream, slice } of sources) {
    const last = joined.at(-1)
    if (last?.stream !== stream || last.slice === null || slice === null || slice.from > last.slice.to)
      joined.push({ stream, slice })
    else joined[joined.length - 1] = { stream, slice: { from: last.slice.from, to: Math.max(last.slice.to, slice.to) } }
  }
  return joined
}

async function recordSources(
  session: Session,
  added: readonly AddedFile[],
  sources: readonly FileSource[],
  runId: string,
): Promise<void> {
  const rows = added.flatMap(({ id, part }) =>
    sources.map(({ stream, slice }): Cell[] => [
      id,
      stream,
      slice?.from ?? null,
      slice?.to ?? null,
      runId,
      part.sha256,
      part.rows,
    ]),
  )
  await session.append('chainlake', 'file', rows)
}

function otherRows(table: string, before: number, after: number): CatalogError {
  return new CatalogError('The merged files have a different number of rows than the original files.', {
    code: 'catalog.commit',
    details: { table, before, after },
    hint: 'Nothing was written. Run chainlake verify to check for damaged files, and report this error with its details.',
  })
}
