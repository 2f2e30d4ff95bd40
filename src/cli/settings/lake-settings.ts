import { dirname } from 'node:path'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { Config } from '../../config/schema.ts'
import { ConfigError } from '../../errors.ts'
import { pathFrom } from '../../lib/files/path-from.ts'
import type { GivenStorage } from '../../store/given-storage.ts'
import { parseS3Address, s3AddressText } from '../../store/s3-place.ts'
import { parseBytes, parseNodeUrl } from './numbers.ts'
import { type SettingFlags, typedValue } from './typed-value.ts'

type Given = {
  readonly text: string
  readonly source: string
  /** The folder that a relative path starts from. */
  readonly folder: string
}
type LakeKey = keyof Exclude<Config['lake'], string | undefined> & string

/** The flag for each key of `lake` in chainlake.yaml. */
const flagOf: Readonly<Record<LakeKey, string>> = {
  catalog: 'lake',
  data: 'data',
  folder: 'folder',
  endpoint: 's3-endpoint',
  region: 's3-region',
  'path-style': 's3-path-style',
  cache: 'cache',
  'cache-size': 'cache-size',
  'max-download': 'max-download',
}

/** Where the lake lies: its absolute folder and its storage settings. Throws `ConfigError`. */
export function readLake(flags: SettingFlags, { lake }: Config, configPath: string | null): LakeLocation {
  const written = typeof lake === 'string' ? { catalog: lake } : (lake ?? {})
  const given = (key: LakeKey): Given | undefined => {
    const typed = typedValue(flagOf[key], flags)
    if (typed !== undefined) return { ...typed, folder: '.' }
    const text = written[key]
    if (text === undefined) return undefined
    // A path in a configuration file is relative to that file; any other path is relative to the working directory.
    return { text: String(text), source: `lake.${key} of ${configPath}`, folder: dirname(configPath ?? '.') }
  }
  const catalog = given('catalog')
  const isServer = catalog !== undefined && /^postgres(ql)?:/.test(catalog.text)
  const data = given('data')
  const sharesFolder = isServer && data !== undefined && !data.text.startsWith('s3:')
  const here = given('folder')
  if (here !== undefined && (!isServer || sharesFolder))
    throw new ConfigError(`${here.source} works only with a catalog in PostgreSQL and files in S3.`, {
      code: 'config.folder',
      hint: 'Leave it out: catalog and views are in the folder of the lake.',
    })
  const folder = pathOf(
    (isServer ? (sharesFolder ? data : here) : catalog) ?? { text: 'output', source: '', folder: '.' },
  )
  const storage = storageOf((key) => (key === 'data' && sharesFolder ? undefined : given(key)))
  const server = isServer ? { catalog: catalog.text, ...(sharesFolder ? { dataFolder: folder } : {}) } : {}
  return { folder, ...storage, ...server }
}

function storageOf(given: (key: LakeKey) => Given | undefined): GivenStorage {
  const read = <V>(key: LakeKey, parse: (source: string, text: string) => V): V | undefined => {
    const value = given(key)
    return value === undefined ? undefined : parse(value.source, value.text)
  }
  const cache = given('cache')
  const storage = {
    data: read('data', (source, text) => s3AddressText(parseS3Address(source, text))),
    endpoint: read('endpoint', parseNodeUrl),
    region: read('region', parseRegion),
    pathStyle: read('path-style', parseTruth),
    cache: cache === undefined ? undefined : pathOf(cache),
    cacheBytes: read('cache-size', parseBytes),
    maxDownload: read('max-download', parseBytes),
  }
  return Object.fromEntries(Object.entries(storage).filter(([, value]) => value !== undefined))
}

function pathOf({ text, source, folder }: Given): string {
  if (text === '') throw new ConfigError(`${source} is empty.`, { hint: 'Give the path of a folder.' })
  return pathFrom(folder, text)
}

function parseRegion(source: string, text: string): string {
  if (/^[A-Za-z0-9-]+$/.test(text)) return text
  throw new ConfigError(`${source} must be the name of a region, not ${JSON.stringify(text)}.`, {
    code: 'config.region',
    hint: 'Give a name such as us-east-1.',
  })
}

function parseTruth(source: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new ConfigError(`${source} must be true or false, not ${JSON.stringify(text)}.`, { code: 'config.value' })
}
