import { inDataFolder } from '../../store/data-file-path.ts'
import type { StoreAddress, StorePlace } from '../../store/store.ts'
import { recordedSettings, schemeOf } from '../../store/store-kinds.ts'
import type { Session } from '../session/session.ts'

/** Prefix of the keys of settings in `ducklake_metadata`. They do not collide with options of DuckLake itself. */
const prefixOf = (kind: string): string => `chainlake_${kind}_`

/** For a copy of the catalog that has the data path of readers elsewhere: the data path of the catalog itself. */
export const ownDataPath = 'chainlake_data_path'

/** What the catalog records about a store besides the data path: how to connect to it, without secrets. */
export function storageRows(place: StorePlace): readonly (readonly [key: string, value: string, null, null])[] {
  return Object.entries(recordedSettings(place)).map(([key, value]) => [prefixOf(place.kind) + key, value, null, null])
}

/** The base of the paths in the catalog, as recorded there. */
export async function readDataPath(session: Session): Promise<string | null> {
  const [row] = await session.rows("SELECT value FROM main.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL")
  return row?.['value'] ?? null
}

/** The address of the data files that the catalog records; null if they are in the folder of the lake. */
export async function readStorage(session: Session): Promise<StoreAddress | null> {
  const rows = await session.rows('SELECT key, value FROM main.ducklake_metadata WHERE scope IS NULL')
  const values = new Map<string, string>(rows.map(({ key, value }) => [key, value]))
  const path = values.get(ownDataPath) ?? values.get('data_path') ?? ''
  const end = `/${inDataFolder('')}`
  const kind = schemeOf(path)
  if (kind === null || !path.endsWith(end)) return null
  const prefix = prefixOf(kind)
  const settings = [...values].filter(([key]) => key.startsWith(prefix))
  return {
    url: path.slice(0, -end.length),
    settings: Object.fromEntries(settings.map(([key, value]) => [key.slice(prefix.length), value])),
  }
}
