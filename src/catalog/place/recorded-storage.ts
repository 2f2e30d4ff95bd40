import { inDataFolder } from '../../store/data-file-path.ts'
import { parseS3Address, type S3Access, type S3Address } from '../../store/s3-place.ts'
import type { StorePlace } from '../../store/store.ts'
import type { Session } from '../session/session.ts'

/** The location of the data files that a catalog records, if they are not in the folder of the lake. */
export type RecordedStorage = { readonly data: S3Address; readonly access: S3Access }

/** Keys in `ducklake_metadata`. The names do not collide with options of DuckLake itself. */
const keys = { endpoint: 'chainlake_s3_endpoint', region: 'chainlake_s3_region', pathStyle: 'chainlake_s3_path_style' }

/** What the catalog records about a store besides the data path: how to connect to it, without secrets. */
export function storageRows(place: StorePlace): readonly (readonly [key: string, value: string, null, null])[] {
  if (place.kind !== 's3') return []
  const { endpoint, region, pathStyle } = place
  const values = [
    [keys.endpoint, endpoint],
    [keys.region, region],
    [keys.pathStyle, pathStyle === undefined ? undefined : String(pathStyle)],
  ] as const
  return values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value, null, null] as const]))
}

/** The base of the paths in the catalog, as recorded there. */
export async function readDataPath(session: Session): Promise<string | null> {
  const [row] = await session.rows("SELECT value FROM main.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL")
  return row?.['value'] ?? null
}

/** Null for a lake with data files in its own folder. */
export async function readStorage(session: Session): Promise<RecordedStorage | null> {
  const rows = await session.rows('SELECT key, value FROM main.ducklake_metadata WHERE scope IS NULL')
  const values = new Map<string, string>(rows.map(({ key, value }) => [key, value]))
  const path = values.get('data_path') ?? ''
  const end = `/${inDataFolder('')}`
  if (!path.startsWith('s3://') || !path.endsWith(end)) return null
  const [endpoint, region, style] = [keys.endpoint, keys.region, keys.pathStyle].map((key) => values.get(key))
  return {
    data: parseS3Address('The data path of the catalog', path.slice(0, -end.length)),
    access: {
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      ...(style === undefined ? {} : { pathStyle: style === 'true' }),
    },
  }
}
