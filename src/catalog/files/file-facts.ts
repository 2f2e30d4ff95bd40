import { type Progress, type Slice, type Stream, streamId } from '../../model.ts'
import { inDataFolder, readDataFilePath } from '../../store/data-file-path.ts'
import type { Cell, Row, Session } from '../session/session.ts'
import type { TableSum } from '../stats/table-sums.ts'
import type { AddedFile } from './add-files.ts'

/** The sources of a data file, and the hash of its bytes. */
export type FileFacts = {
  readonly table: string
  /** Relative to the lake, with `/`. */
  readonly path: string
  /** The run that wrote it. */
  readonly runId: string
  /** SHA-256 of the whole file, hexadecimal. */
  readonly sha256: string
  /**
   * The streams and slices that may have rows in it, in the order of the commit. It has no rows of other sources. If a unit fills several
   * files of a table, each of them has the whole slice.
   */
  readonly sources: readonly FileSource[]
}

/** `slice` is null for streams that are not read by range. */
export type FileSource = { readonly stream: string; readonly slice: Slice | null }

/** The part of a commit that belongs to one stream: its progress, and the rows that it adds to each table. */
export type StreamFiles = {
  readonly stream: Stream
  readonly progress: Progress
  readonly tables: readonly TableSum[]
}

/** Records the files of a commit inside its transaction. */
export async function recordFiles(
  session: Session,
  { files, streamParts, runId }: { files: readonly AddedFile[]; streamParts: readonly StreamFiles[]; runId: string },
): Promise<void> {
  const sources = new Map<string, Cell[][]>()
  for (const { stream, progress, tables } of streamParts) {
    const slice = progress.kind === 'slice' ? progress.slice : null
    for (const { name, rows } of tables) {
      const own = sources.get(name) ?? []
      sources.set(name, own)
      if (rows > 0) own.push([streamId(stream), slice?.from ?? null, slice?.to ?? null])
    }
  }
  const recorded = files.flatMap(({ id, part }) => {
    const { table, path, sha256, rows } = part
    // Another run may have written a staged part.
    const writer = readDataFilePath(path)?.runId ?? runId
    return (sources.get(table) ?? []).map((source) => [id, ...source, writer, sha256, rows])
  })
  await session.append('chainlake', 'file', recorded)
}

/** The facts of the visible files in commit order. */
export async function readFileFacts(session: Session): Promise<FileFacts[]> {
  const rows = await session.rows(
    `SELECT d.data_file_id, t.table_name, t.path || d.path AS path, f.stream, f.slice_from, f.slice_to, f.run_id, f.sha256
     FROM chainlake.file f JOIN main.ducklake_data_file d USING (data_file_id)
     JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     WHERE d.end_snapshot IS NULL ORDER BY d.data_file_id, f.rowid`,
  )
  const facts = new Map<number, Writable>()
  for (const row of rows) {
    const id: number = row['data_file_id']
    const known = facts.get(id) ?? factsOf(row)
    facts.set(id, known)
    known.sources.push({ stream: row['stream'], slice: sliceOf(row) })
  }
  return [...facts.values()]
}

type Writable = Omit<FileFacts, 'sources'> & { readonly sources: FileSource[] }

function factsOf(row: Row): Writable {
  const { table_name: table, path, run_id: runId, sha256 } = row
  return { table, path: inDataFolder(path), runId, sha256, sources: [] }
}

function sliceOf({ slice_from: from, slice_to: to }: Row): Slice | null {
  return from === null ? null : { from, to }
}
