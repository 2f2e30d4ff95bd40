import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LakeLocation } from '../catalog/place.ts'
import type { examineConfig, YamlDocument } from '../config/read-config.ts'
import type { Config } from '../config/schema.ts'
import { amountPattern, amounts, flagName, logLevels, type Setting, settings } from '../config/settings.ts'
import type { Pipeline } from '../define/index.ts'
import { type ChainlakeError, ConfigError } from '../errors.ts'
import { parseBaseUrl } from '../fetch/failures.ts'
import { definedOf, groupBy } from '../lib/arrays.ts'
import { pathFrom } from '../lib/package.ts'
import { suggestion } from '../lib/suggestion.ts'
import { refuseUrl } from '../lib/text.ts'
import { parseS3Address, s3AddressText } from '../store/s3-place.ts'
import { canRedraw } from './terminal/terminal.ts'

/** The settings of a command, from flags, environment, chainlake.yaml and defaults. */
export type Settings = Awaited<ReturnType<typeof readSettings>>

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

/**
 * Collects the settings: flags override the environment, which overrides chainlake.yaml, which overrides defaults. Jobs of pipelines that
 * `pipelinesOf` does not give are wrong jobs.
 */
export async function readSettings(flags: SettingFlags, pipelinesOf: PipelinesOf = namedPipelines) {
  const { config, wrongJobs, pipelines, path: configPath } = await configOf(flags, pipelinesOf)
  const { service = {}, services = {}, jobs = {} } = config
  const { node, run, log } = settings
  const { given, read } = readerOf({ ...node, ...run, ...log }, config, '', { flags, configPath })
  const nodeUrl = read('node-url') ?? node['node-url'].otherwise
  checkBaseOfNode(given('node-url')?.source ?? 'node-url', nodeUrl)
  return {
    lake: readLake(flags, config, configPath),
    nodeUrl,
    logLevel: read('log-level') ?? (canRedraw(process.stderr) ? 'warn' : 'info'),
    ...definedOf({
      concurrency: read('concurrency'),
      threads: read('threads'),
      timeoutMs: read('timeout'),
      tries: read('tries'),
      networkId: read('network-id'),
      maxWaitMs: read('max-wait'),
      /** Age in milliseconds of the snapshots that runs expire; undefined: runs expire none. */
      expireMs: read('expire'),
    }),
    maxLagMs: read('max-lag') ?? parsers.lag('', run['max-lag'].otherwise),
    /** Whether runs merge small files. */
    compact: read('compact') ?? false,
    /** The setting `service` of chainlake.yaml; `profileSettings` turns it into a profile. */
    service,
    /** The setting `services`; `serviceHosts` makes hosts of it. */
    services,
    jobs,
    /** Errors of the jobs of chainlake.yaml that have a mistake, by job name. These jobs are not in `jobs`. */
    wrongJobs,
    /** The pipelines that jobs may name. */
    pipelines,
    /** The configuration file that was read; null when there is none. */
    configPath,
  }
}

/** The path of the configuration file; null when there is none. */
export function configPathOf(flags: SettingFlags): string | null {
  const given = typedValue('config', flags)?.text
  return given ?? (existsSync('chainlake.yaml') ? 'chainlake.yaml' : null)
}

/** What to do where a command needs chainlake.yaml and there is none. */
export function hintOfNoConfig(otherwise: string): string {
  if (!existsSync('chainlake.yml')) return otherwise
  return 'There is a chainlake.yml: rename it to chainlake.yaml, or give --config chainlake.yml.'
}

/** The configuration file and its mistakes; null without a file. Throws `ConfigError` when the file cannot be read. */
export async function examinedConfig(flags: SettingFlags, pipelinesOf: PipelinesOf) {
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
  const wrongJobs: Record<string, ConfigError> = {}
  if (examined === null) {
    const config: Config = {}
    return { config, wrongJobs, pipelines: (await pipelinesOf(null, flags)).pipelines, path: null }
  }
  const { reading, pipelines, path } = examined
  const { jobOf } = await import('../config/read-config.ts')
  if (reading.config === null) throw reading.mistakes.find((mistake) => jobOf(mistake) === null)?.error
  for (const [job, [first, ...others]] of groupBy(reading.mistakes, jobOf))
    wrongJobs[String(job)] = withCount(first!.error, others.length)
  return { config: reading.config, wrongJobs, pipelines, path }
}

/** The first mistake of a job, with the number of further ones. */
function withCount(first: ConfigError, others: number): ConfigError {
  if (others === 0) return first
  return new ConfigError(first.message, {
    code: first.code,
    details: { ...first.details, 'further mistakes of the job': others },
    hint: `${first.hint ?? ''} \`chainlake validate\` shows all mistakes.`.trim(),
  })
}

/** A value as written, with its name for error messages, and the folder in which a path begins. */
type Given = { readonly text: string; readonly source: string; readonly folder: string }

/** Reads the settings of a group. `above`: what stands before their keys in messages; `written`: what chainlake.yaml has of them. */
function readerOf<G extends Readonly<Record<string, Setting>>>(
  group: G,
  written: { readonly [key in keyof G]?: unknown },
  above: string,
  { flags, configPath }: { readonly flags: SettingFlags; readonly configPath: string | null },
) {
  const given = (key: keyof G & string): Given | undefined => {
    const typed = typedValue(flagName(key, group[key]!), flags)
    if (typed !== undefined) return typed
    const text = written[key]
    if (text === undefined) return undefined
    // A path in a configuration file is relative to that file; any other path is relative to the working directory.
    return { text: String(text), source: `${above}${key} of ${configPath}`, folder: dirname(configPath ?? '.') }
  }
  const read = <K extends keyof G & string>(key: K) => {
    const value = given(key)
    type Parsed = ReturnType<(typeof parsers)[G[K]['kind']]>
    return value && (parsers[group[key]!.kind](value.source, value.text, value.folder) as Parsed)
  }
  return { given, read }
}

/** Where the lake lies: its absolute folder and its storage settings. Throws `ConfigError`. */
export function readLake(flags: SettingFlags, { lake }: Config, configPath: string | null): LakeLocation {
  const { given, read } = readerOf(settings.lake, writtenOf(flags, lake), 'lake.', { flags, configPath })
  const [catalog = '', data, local] = [given('catalog')?.text, given('data'), given('folder')]
  const isServer = isPostgres(catalog)
  const shared = isServer && data?.text.startsWith('s3:') === false ? data : null
  // A variable may be meant for another lake.
  if (local !== undefined && local.source !== variableOf('folder') && (!isServer || shared !== null))
    throw new ConfigError(`${local.source} works only with a catalog in PostgreSQL and files in S3.`, {
      code: 'config.folder',
      hint: 'Leave it out: catalog and views are in the folder of the lake.',
    })
  const own =
    shared === null ? read(isServer ? 'folder' : 'catalog') : parsers.path(shared.source, shared.text, shared.folder)
  const folder = own ?? pathFrom('.', settings.lake.folder.otherwise)
  return {
    folder,
    ...definedOf({
      data: shared === null ? read('data') : undefined,
      endpoint: read('endpoint'),
      region: read('region'),
      pathStyle: read('path-style'),
      cache: read('cache'),
      cacheBytes: read('cache-size'),
      maxDownload: read('max-download'),
    }),
    ...(isServer ? { catalog, ...(shared === null ? {} : { dataFolder: folder }) } : {}),
  }
}

/** The keys of `lake` in chainlake.yaml. Where a flag or a variable names a folder instead of the database there, the places are another lake's. */
function writtenOf(flags: SettingFlags, lake: Config['lake']): Exclude<Config['lake'], string | undefined> {
  const written = typeof lake === 'string' ? { catalog: lake } : (lake ?? {})
  const typed = typedValue('lake', flags)
  if (typed === undefined || isPostgres(typed.text) || !isPostgres(written.catalog)) return written
  return { ...written, catalog: undefined, data: undefined, folder: undefined }
}

function isPostgres(catalog = ''): boolean {
  return /^postgres(ql)?:/.test(catalog)
}

/** How the values of settings are read. They throw `ConfigError`; `source` is the flag, variable or key for the message. */
export const parsers = {
  text: (_source: string, text: string) => text,
  url: parseNodeUrl,
  place: (source: string, text: string) => s3AddressText(parseS3Address(source, text)),
  path(source: string, text: string, folder = '.'): string {
    if (text === '') throw new ConfigError(`${source} is empty.`, { hint: 'Give the path of a folder.' })
    refuseUrl(source, text)
    return pathFrom(folder, text)
  },
  region(source: string, text: string): string {
    if (/^[A-Za-z0-9-]+$/.test(text)) return text
    throw new ConfigError(`${source} must be the name of a region, not ${JSON.stringify(text)}.`, {
      code: 'config.region',
      hint: 'Give a name such as us-east-1.',
    })
  },
  count: (source: string, text: string) => parseWhole(source, text, 1),
  truth(source: string, text: string): boolean {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new ConfigError(`${source} must be true or false, not ${JSON.stringify(text)}.`, { code: 'config.value' })
  },
  level: (source: string, text: string) => parseChoice(source, text, logLevels, { code: 'config.log-level' }),
  duration: amountParser('duration'),
  lag: amountParser('lag'),
  age: amountParser('age'),
  size: amountParser('size'),
} satisfies Readonly<Record<Setting['kind'], (source: string, text: string, folder?: string) => unknown>>

/** Reads a time in milliseconds, or a size in bytes. */
function amountParser(kind: keyof typeof amounts) {
  const { what, code, units, hint, bounds } = amounts[kind]
  return (source: string, text: string): number => {
    const [, number, unit = ''] = amountPattern(kind).exec(text) ?? []
    const value = Math.round(Number(number) * (units as Readonly<Record<string, number>>)[unit]!)
    // 0.1ms is not 0.
    const isRounded = value === 0 && Number(number) > 0
    if (value >= bounds[0] && value <= bounds[1] && !isRounded) return value
    throw new ConfigError(`${source} must be ${what}, not ${JSON.stringify(text)}.`, { code, hint })
  }
}

/** Parses one of some words. `name` is the flag, variable or key for the error message. */
export function parseChoice<W extends string>(
  name: string,
  text: string,
  choices: readonly W[],
  { code } = { code: 'config.usage' },
): W {
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  throw new ConfigError(`${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}.`, {
    code,
    hint: suggestion(text, choices),
  })
}

/** The items of a text that separates them with commas. */
export function itemsOf(text = ''): string[] {
  return text.split(',').flatMap((item) => item.trim() || [])
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

/** Those who know Ethereum give the URL of the JSON-RPC. */
function checkBaseOfNode(name: string, url: string): void {
  if (!/\/ext\/(bc|index)(\/|$)/.test(new URL(url).pathname)) return
  throw new ConfigError(`${name}: The URL of a node ends before /ext: chainlake adds the paths of its interfaces.`, {
    code: 'config.url',
    hint: 'Give a URL such as http://127.0.0.1:9650. The URL of a JSON-RPC belongs in --chain (of evm-blocks and others).',
  })
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
  ...Object.values(settings).flatMap((group) =>
    Object.entries<Setting>(group).map(([key, setting]) => flagName(key, setting)),
  ),
  'config',
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

/** The value of a flag, or of its variable, with its name for error messages. */
export function typedValue(flag: string, flags: SettingFlags): Given | undefined {
  const typed = flags[flag]
  if (typeof typed === 'string' || typeof typed === 'boolean')
    return { text: String(typed), source: `--${flag}`, folder: '.' }
  const text = environmentValue(flag)
  return text === undefined ? undefined : { text, source: variableOf(flag), folder: '.' }
}

/** For `catch`: the value where what the user gave is wrong. Any other error is thrown again. */
export function whenWrongInput<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ConfigError) return value
    throw error
  }
}
