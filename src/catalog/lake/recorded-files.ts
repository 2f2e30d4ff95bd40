import { inDataFolder } from '../../store/data-file-path.ts'
import type { LakeLocation } from '../place/lake-location.ts'
import { lakePaths } from './lake-paths.ts'

/** Size and hash of a data file in the catalog. */
export type RecordedFile = {
  readonly bytes: number
  /** SHA-256 of the whole file, hexadecimal; null if the catalog has no record of it. */
  readonly sha256: string | null
}

/**
 * The files in the published catalog, by their paths relative to the lake. Replaced files are included until they expire. It takes no lock:
 * it reads the copy that readers attach, or the server.
 *
 * @throws CatalogError when the copy is missing or cannot be read.
 */
export async function recordedFiles(location: LakeLocation): Promise<ReadonlyMap<string, RecordedFile>> {
  const paths = lakePaths(location)
  const backend = await paths.endpoint.open({ ...paths, catalog: paths.published }, { waitMs: 10_000 })
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
