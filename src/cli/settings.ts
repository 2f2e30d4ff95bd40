import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LakeLocation } from '../catalog/place.ts'
import type { examineConfig, YamlDocument } from '../config/read-config.ts'
import type { Config, ConfiguredJob } from '../config/schema.ts'
import type { Pipeline } from '../define/index.ts'
import { type ChainlakeError, ConfigError } from '../errors.ts'
import { parseBaseUrl } from '../fetch/failures.ts'
import { definedOf } from '../lib/arrays.ts'
import { pathFrom } from '../lib/package.ts'
import { suggestion } from '../lib/suggestion.ts'
import { parseS3Address, s3AddressText } from '../store/s3-place.ts'
import type { ServicesText } from '../yaml-lists/list-schema.ts'
import { type LogLevel, logLevels } from './terminal/terminal.ts'

/** The settings of a command, from flags, environment, chainlake.yaml and defaults. */
export type Settings = {
  readonly lake: LakeLocation
  readonly nodeUrl: string
  readonly logLevel: LogLevel
  readonly concurrency?: number
  readonly threads?: number
  readonly timeoutMs?: number
  readonly tries?: number
  readonly networkId?: number
  readonly maxLagMs: number
  readonly maxWaitMs?: number
  /** Whether runs merge small files. */
  readonly compact: boolean
  /** Age in milliseconds of the snapshots that runs expire; undefined: runs expire none. */
  readonly expireMs?: number
  /** The setting `service` of chainlake.yaml; `profileSettings` turns it into a profile. */
  readonly service: NonNullable<Config['service']>
  /** The setting `services`; `serviceHosts` makes hosts of it. */
  readonly services: ServicesText
  readonly jobs: Readonly<Record<string, ConfiguredJob>>
  /** Errors of the jobs of chainlake.yaml that have a mistake, by job name. These jobs are not in `jobs`. */
  readonly wrongJobs: Readonly<Record<string, ConfigError>>
  /** The pipelines that jobs may name. */
  readonly pipelines: readonly Pipeline[]
  /** The configuration file that was read; null when there is none. */
  readonly configPath: string | null
}

/** Gives the pipelines that jobs may name. `config` is chainlake.yaml; null when there is none. */
export type PipelinesOf = (
  config: YamlDocument | null,
  flags: SettingFlags,
) => Promise<Parameters<typeof examineConfig>[1]>

/** The pipelines of chainlake itself: for commands that run no job. They need no list and no module, and without chainlake.yaml nothing. */
const namedPipelines: PipelinesOf = async (config) => ({
  pipelines: config === null ? [] : await builtInPipelines(),
  mistakes: [],
  unread: ['lists', 'services', 'pipelines'],
})

export async function builtInPipelines(): Promise<readonly Pipeline[]> {
  return (await import('../../pipelines/index.ts')).pipelines
}

/** Keys of chainlake.yaml with one value that are also flags. */
type SettingKey = Exclude<
  keyof Config & string,
  'jobs' | 'service' | 'services' | 'lists' | 'pipelines' | 'compact' | 'lake'
>

/**
 * Collects the settings: flags override the environment, which overrides chainlake.yaml, which overrides defaults. Jobs of pipelines that
 * `pipelinesOf` does not give are wrong jobs.
 */
export async function readSettings(flags: SettingFlags, pipelinesOf: PipelinesOf = namedPipelines): Promise<Settings> {
  const { config, wrongJobs, pipelines, path: configPath } = await configOf(flags, pipelinesOf)
  const { service = {}, services = {}, jobs = {} } = config
  const read = <V>(flag: SettingKey, parse: (source: string, text: string) => V): V | undefined => {
    const typed = typedValue(flag, flags)
    if (typed !== undefined) return parse(typed.source, typed.text)
    const written = config[flag]
    return written === undefined ? undefined : parse(`${flag} of ${configPath}`, String(written))
  }
  const count = (source: string, text: string) => parseWhole(source, text, 1)
  return {
    lake: readLake(flags, config, configPath),
    nodeUrl: read('node-url', parseNodeUrl) ?? 'http://127.0.0.1:9650',
    logLevel: read('log-level', parseLogLevel) ?? (process.stderr.isTTY ? 'warn' : 'info'),
    ...definedOf({
      concurrency: read('concurrency', count),
      threads: read('threads', count),
      timeoutMs: read('timeout', parseDuration),
      tries: read('tries', count),
      networkId: read('network-id', count),
      maxWaitMs: read('max-wait', parseDuration),
      expireMs: read('expire', parseAge),
    }),
    maxLagMs: read('max-lag', parseLag) ?? 60_000,
    compact: typeof flags['compact'] === 'boolean' ? flags['compact'] : (config.compact ?? false),
    service,
    services,
    jobs,
    wrongJobs,
    pipelines,
    configPath,
  }
}

type ConfigText = {
  readonly reading: ReturnType<typeof examineConfig>
  readonly pipelines: readonly Pipeline[]
  readonly path: string
}

/** The path of the configuration file; null when there is none. */
export function configPathOf(flags: SettingFlags): string | null {
  const given = typedValue('config', flags)?.text
  return given ?? (existsSync('chainlake.yaml') ? 'chainlake.yaml' : null)
}

/** The configuration file and its mistakes; null without a file. Throws `ConfigError` when the file cannot be read. */
export async function examinedConfig(flags: SettingFlags, pipelinesOf: PipelinesOf): Promise<ConfigText | null> {
  const path = configPathOf(flags)
  if (path === null) return null
  const { readConfigText, examineConfig } = await import('../config/read-config.ts')
  const document = await readConfigText(path, process.env)
  const known = await pipelinesOf(document, flags)
  return { reading: examineConfig(document, known), pipelines: known.pipelines, path }
}

/** A mistake in a shared setting stops every command; a mistake in a job only stops commands that use that job. */
async function configOf(flags: SettingFlags, pipelinesOf: PipelinesOf) {
  const examined = await examinedConfig(flags, pipelinesOf)
  if (examined === null) {
    const { pipelines } = await pipelinesOf(null, flags)
    return { config: {} satisfies Config as Config, wrongJobs: {}, pipelines, path: null }
  }
  const { reading, pipelines, path } = examined
  const { jobOf } = await import('../config/read-config.ts')
  if (reading.config === null) throw reading.mistakes.find((mistake) => jobOf(mistake) === null)?.error
  const byJob = new Map<string, ConfigError[]>()
  for (const mistake of reading.mistakes) {
    const job = jobOf(mistake) ?? ''
    byJob.set(job, [...(byJob.get(job) ?? []), mistake.error])
  }
  const wrongJobs = Object.fromEntries([...byJob].map(([job, errors]) => [job, joined(errors)]))
  return { config: reading.config, wrongJobs, pipelines, path }
}

/** The first mistake of a job, with the number of further ones. */
function joined([first, ...others]: readonly ConfigError[]): ConfigError {
  if (first === undefined) throw new RangeError('There is no mistake.')
  if (others.length === 0) return first
  return new ConfigError(first.message, {
    code: first.code,
    details: { ...first.details, 'further mistakes of the job': others.length },
    hint: `${first.hint ?? ''} \`chainlake validate\` shows all mistakes.`.trim(),
  })
}

function parseLogLevel(source: string, text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level !== undefined) return level
  throw new ConfigError(`${source} must be one of ${logLevels.join(', ')}, not ${JSON.stringify(text)}.`, {
    code: 'config.log-level',
    hint: suggestion(text, logLevels),
  })
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
  // A path in a configuration file is relative to that file; any other path is relative to the working directory.
  const given = (key: LakeKey) => {
    const typed = typedValue(flagOf[key], flags)
    if (typed !== undefined) return { ...typed, folder: '.' }
    const text = written[key]
    if (text === undefined) return undefined
    return { text: String(text), source: `lake.${key} of ${configPath}`, folder: dirname(configPath ?? '.') }
  }
  const read = <V>(key: LakeKey, parse: (source: string, text: string, folder: string) => V): V | undefined => {
    const value = given(key)
    return value === undefined ? undefined : parse(value.source, value.text, value.folder)
  }
  const catalog = given('catalog')?.text ?? ''
  const isServer = /^postgres(ql)?:/.test(catalog)
  const sharesFolder = isServer && given('data')?.text.startsWith('s3:') === false
  const here = given('folder')
  if (here !== undefined && (!isServer || sharesFolder))
    throw new ConfigError(`${here.source} works only with a catalog in PostgreSQL and files in S3.`, {
      code: 'config.folder',
      hint: 'Leave it out: catalog and views are in the folder of the lake.',
    })
  const folder = read(isServer ? (sharesFolder ? 'data' : 'folder') : 'catalog', parsePath) ?? pathFrom('.', 'output')
  return {
    folder,
    ...definedOf({
      data: sharesFolder ? undefined : read('data', (source, text) => s3AddressText(parseS3Address(source, text))),
      endpoint: read('endpoint', parseNodeUrl),
      region: read('region', parseRegion),
      pathStyle: read('path-style', parseTruth),
      cache: read('cache', parsePath),
      cacheBytes: read('cache-size', parseBytes),
      maxDownload: read('max-download', parseBytes),
    }),
    ...(isServer ? { catalog, ...(sharesFolder ? { dataFolder: folder } : {}) } : {}),
  }
}

function parsePath(source: string, text: string, folder: string): string {
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

/** Parses a whole number of at least `least`. `name` is the flag, variable or key for the error message. */
export function parseWhole(name: string, text: string, least = 0): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new ConfigError(`${name} must be a whole number from ${least}, not ${JSON.stringify(text)}.`, {
    code: 'config.number',
    hint: `Use digits only, at most ${Number.MAX_SAFE_INTEGER}.`,
  })
}

/** Parses a TCP port; `least` is 0 where that means a free one. */
export function parsePort(name: string, text: string, least = 1): number {
  const port = parseWhole(name, text, least)
  if (port <= 65_535) return port
  throw new ConfigError(`${name} must be a port, not ${text}.`, {
    code: 'config.number',
    hint: 'The largest port is 65535.',
  })
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const
const longestMs = 2 ** 31 - 1

/** Parses a duration such as `500ms`, `30s`, `2m`, `1h`; a bare number means seconds. Returns milliseconds, at least 1. */
export function parseDuration(name: string, text: string): number {
  return parseAmount(name, text, { '': 1_000, ...unitMs }, [1, longestMs], {
    what: 'a duration',
    code: 'config.duration',
    hint: 'Write 500ms, 30s, 2m or 1h; at least 1ms, at most 24 days.',
  })
}

/** Parses a duration that may be 0. Returns milliseconds. */
export function parseLag(name: string, text: string): number {
  return /^0+(?:\.0+)?(?:ms|s|m|h)?$/.test(text) ? 0 : parseDuration(name, text)
}

/** Parses an age such as `30d`, `12h`, `90m` or `0s`; a bare number means days. Returns milliseconds. */
export function parseAge(name: string, text: string): number {
  const day = 86_400_000
  return parseAmount(name, text, { '': day, ...unitMs, d: day }, [0, 100 * 365 * day], {
    what: 'an age',
    code: 'config.duration',
    hint: 'Write 30d, 12h, 90m or 0s.',
  })
}

const unitBytes = { '': 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const

/** Parses a size such as `500MB`, `2GB`, `1.5TB`; a bare number means bytes. */
function parseBytes(name: string, text: string): number {
  return parseAmount(name, text.replace(/(?<=\d) (?=[A-Za-z])/, ''), unitBytes, [0, Number.MAX_SAFE_INTEGER], {
    what: 'a size',
    code: 'config.size',
    hint: 'Write 500MB, 2GB or 1.5TB.',
  })
}

/** Parses a number with a unit. The unit with an empty name is that of a bare number. */
function parseAmount(
  name: string,
  text: string,
  units: Readonly<Record<string, number>>,
  [least, most]: readonly [number, number],
  { what, code, hint }: { readonly what: string; readonly code: string; readonly hint: string },
): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
  const value = Object.hasOwn(units, unit) ? Math.round(Number(number) * units[unit]!) : Number.NaN
  if (value >= least && value <= most) return value
  throw new ConfigError(`${name} must be ${what}, not ${JSON.stringify(text)}.`, { code, hint })
}

/** Checks the URL of a node. The error names the flag, variable or key, and hides secrets in the URL. */
export function parseNodeUrl(name: string, text: string): string {
  try {
    parseBaseUrl(text)
    return text
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw placed(name, error)
  }
}

/** The same mistake, with its place before the message. */
export function placed(
  place: string,
  { message, code, details, hint }: Pick<ChainlakeError, 'message' | 'code' | 'details' | 'hint'>,
): ConfigError {
  return new ConfigError(`${place}: ${message}`, { code, details, hint })
}

/** The variable that is checked first for the API key of a service. */
export const apiKeyVariable = 'CHAINLAKE_API_KEY'

/** The flags that also have a variable. Flags override variables, and variables override chainlake.yaml. */
export const flagsWithVariable: readonly string[] = [
  'node-url',
  'lake',
  'data',
  's3-endpoint',
  's3-region',
  's3-path-style',
  'cache',
  'cache-size',
  'max-download',
  'config',
  'log-level',
  'concurrency',
  'threads',
  'timeout',
  'network-id',
  'tries',
  'max-lag',
  'max-wait',
  'data-url',
  'metrics-url',
  'service-profile',
]

/** The variables that chainlake reads and that no flag overrides, and what they are for. */
export const otherVariables: Readonly<Record<string, string>> = {
  [apiKeyVariable]: 'API key of the REST service; sent only to the origin of the data URL.',
  DEVNET_URL: 'URL of the simulated network, for the profile devnet and examples/devnet.yaml [http://127.0.0.1:9650].',
  CHAINLAKE_DIE_AT:
    'Only for tests: kill the process at a named step (src/lib/step.ts), such as commit.before-begin#2.',
}

/** The variable of a flag, such as `CHAINLAKE_NODE_URL`. */
export function variableOf(flag: string): string {
  return `CHAINLAKE_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** The value of the variable of a flag; an empty variable counts as not set. */
export function environmentValue(flag: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return (flagsWithVariable.includes(flag) && env[variableOf(flag)]) || undefined
}

export type SettingFlags = { readonly [flag: string]: unknown }

type Given = { readonly text: string; readonly source: string }

/** The value of a flag, or of its variable, with its name for error messages. */
export function typedValue(flag: string, flags: SettingFlags): Given | undefined {
  const typed = flags[flag]
  if (typeof typed === 'string') return { text: typed, source: `--${flag}` }
  const text = environmentValue(flag)
  return text === undefined ? undefined : { text, source: variableOf(flag) }
}
