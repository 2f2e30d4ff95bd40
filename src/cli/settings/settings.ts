import { existsSync } from 'node:fs'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import type { ConfigReading, KnownPipelines } from '../../config/read-config.ts'
import type { Config, ConfiguredJob } from '../../config/schema.ts'
import type { ServiceText } from '../../config/service-schema.ts'
import type { YamlDocument } from '../../config/yaml-document.ts'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { ServicesText } from '../../yaml-lists/service-schema.ts'
import { type LogLevel, logLevels } from '../terminal/logger-levels.ts'
import { suggestion } from '../terminal/suggest.ts'
import { readLake } from './lake-settings.ts'
import { parseAge, parseDuration, parseLag, parseNodeUrl, parseWhole } from './numbers.ts'
import { type Given, type SettingFlags, typedValue } from './typed-value.ts'

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
  readonly service: ServiceText
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
export type PipelinesOf = (config: YamlDocument | null, flags: SettingFlags) => Promise<KnownPipelines>

/** The pipelines of chainlake itself: for commands that run no job. They need no list and no module, and without chainlake.yaml nothing. */
const namedPipelines: PipelinesOf = async (config) => ({
  pipelines: config === null ? [] : await builtInPipelines(),
  mistakes: [],
  unread: ['lists', 'services', 'pipelines'],
})

export async function builtInPipelines(): Promise<readonly Pipeline[]> {
  return (await import('../../../pipelines/index.ts')).pipelines
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
  const given = (flag: SettingKey): Given | undefined => {
    const typed = typedValue(flag, flags)
    const written = config[flag]
    if (typed !== undefined) return typed
    return written === undefined ? undefined : { text: String(written), source: `${flag} of ${configPath}` }
  }
  const read = <V>(flag: SettingKey, parse: (source: string, text: string) => V): V | undefined => {
    const value = given(flag)
    return value === undefined ? undefined : parse(value.source, value.text)
  }
  const concurrency = read('concurrency', (source, text) => parseWhole(source, text, 1))
  const threads = read('threads', (source, text) => parseWhole(source, text, 1))
  const timeoutMs = read('timeout', parseDuration)
  const tries = read('tries', (source, text) => parseWhole(source, text, 1))
  const maxWaitMs = read('max-wait', parseDuration)
  const networkId = read('network-id', (source, text) => parseWhole(source, text, 1))
  const expireMs = read('expire', parseAge)
  return {
    lake: readLake(flags, config, configPath),
    nodeUrl: read('node-url', parseNodeUrl) ?? 'http://127.0.0.1:9650',
    logLevel: read('log-level', parseLogLevel) ?? (process.stderr.isTTY ? 'warn' : 'info'),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(threads === undefined ? {} : { threads }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(networkId === undefined ? {} : { networkId }),
    maxLagMs: read('max-lag', parseLag) ?? 60_000,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    compact: typeof flags['compact'] === 'boolean' ? flags['compact'] : (config.compact ?? false),
    ...(expireMs === undefined ? {} : { expireMs }),
    service,
    services,
    jobs,
    wrongJobs,
    pipelines,
    configPath,
  }
}

type ConfigText = {
  readonly reading: ConfigReading
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
  const { readConfigText, examineConfig } = await import('../../config/read-config.ts')
  const document = await readConfigText(path, process.env)
  const known = await pipelinesOf(document, flags)
  return { reading: examineConfig(document, known, suggestion), pipelines: known.pipelines, path }
}

/** A mistake in a shared setting stops every command; a mistake in a job only stops commands that use that job. */
async function configOf(flags: SettingFlags, pipelinesOf: PipelinesOf) {
  const examined = await examinedConfig(flags, pipelinesOf)
  if (examined === null) {
    const { pipelines } = await pipelinesOf(null, flags)
    return { config: {} satisfies Config as Config, wrongJobs: {}, pipelines, path: null }
  }
  const { reading, pipelines, path } = examined
  const { jobOf } = await import('../../config/read-config.ts')
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
