import { inDataFolder } from '../../store/data-file-path.ts'
import { lakePaths } from '../place/paths.ts'
import { openBackend } from './open-backend.ts'

/** What the catalog says of the bytes of a data file. */
export type RecordedFile = {
  readonly bytes: number
  /** Of all its bytes, hexadecimal; null where the catalog has no record of the file. */
  readonly sha256: string | null
}

/**
 * The files that the published catalog names, by their paths relative to the lake; files that later snapshots have replaced are among them
 * until they expire. No lock is taken: the copy that readers attach is asked, or the server.
 *
 * @throws CatalogError when the copy is missing or cannot be read.
 */
export async function recordedFiles(lakeDir: string): Promise<ReadonlyMap<string, RecordedFile>> {
  const paths = lakePaths(lakeDir)
  const backend = await openBackend({ ...paths, catalog: paths.published }, { waitMs: 10_000 })
  return backend.read(async (session) => {
    const rows = await session.rows(
      `SELECT t.path || d.path AS path, d.file_size_bytes AS bytes, max(f.sha256) AS sha256
       FROM main.ducklake_data_file d
       JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
       LEFT JOIN chainlake.file f ON f.data_file_id = d.data_file_id
       GROUP BY t.path || d.path, d.file_size_bytes`,
    )
    return new Map(
      rows.map(({ path, bytes, sha256 }): [string, RecordedFile] => [inDataFolder(path), { bytes, sha256 }]),
    )
  })
}
