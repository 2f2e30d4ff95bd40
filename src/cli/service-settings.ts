import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expandEnvironment, type ProfileSettings, withProfileText } from '../config/profiles.ts'
import type { Pipeline, Weight } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { redactUrl } from '../fetch/failures.ts'
import { definedOf } from '../lib/arrays.ts'
import { pathFrom } from '../lib/package.ts'
import { accountOf } from '../run/connections/connections.ts'
import type { NodeOptions } from '../run/job.ts'
import {
  hostsOf,
  limitAdvice,
  type ServiceHost,
  type ServiceProfile,
  serviceSettings,
} from '../sources/service-profile.ts'
import { allRight, checkedJobs, type JobRequest, jobsOf, pipelinesOf } from './jobs/jobs.ts'
import { apiKeyVariable, parseNodeUrl, type SettingFlags, type Settings, typedValue } from './settings.ts'

type Configured = Pick<Settings, 'service' | 'configPath'>

/** The profile that flags, environment and chainlake.yaml choose, with the settings that they override. Throws `ConfigError`. */
export async function profileSettings(
  flags: SettingFlags,
  { service, configPath }: Configured,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProfileSettings> {
  const folder = configPath === null ? '.' : dirname(configPath)
  const typed = typedValue('service-profile', flags)?.text
  const { readProfile } = await import('../config/read-config.ts')
  const profile = await readProfile(typed ?? service.profile ?? 'devnet', typed === undefined ? folder : '.', env)
  const joined = withProfileText(profile, service, (path) => pathFrom(folder, path))
  const url = (flag: 'data-url' | 'metrics-url', otherwise: string | null): string | null => {
    const given = typedValue(flag, flags)
    if (given !== undefined) return parseNodeUrl(given.source, given.text)
    return otherwise === null ? null : parseNodeUrl(`service.${flag}`, otherwise)
  }
  return {
    ...joined,
    dataUrl: url('data-url', joined.dataUrl),
    metricsUrl: url('metrics-url', joined.metricsUrl),
  }
}

/** The profile with its URLs and its key, ready for requests. Throws `ConfigError` when one of them is missing. */
export async function serviceProfile(
  settings: ProfileSettings,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceProfile> {
  const { keyEnv, keyFile, ...profile } = settings
  const { dataUrl, metricsUrl, name } = profile
  if (dataUrl === null)
    throw new ConfigError(`The profile ${name} has no URL of the service.`, {
      code: 'config.data-url',
      hint: 'Give --data-url, or service: { data-url: … } in chainlake.yaml. Add --metrics-url when the metrics host has another URL.',
    })
  return { ...profile, dataUrl, metricsUrl: metricsUrl ?? dataUrl, key: await keyOf(keyEnv, keyFile, env) }
}

/** The service that jobs read; null when none reads one. Throws `ConfigError`. */
export async function serviceOfJobs(
  jobs: readonly JobRequest[],
  flags: SettingFlags,
  settings: Configured,
): Promise<ServiceProfile | null> {
  return pipelinesOf(jobs).some(({ reads }) => reads === 'service')
    ? serviceProfile(await profileSettings(flags, settings))
    : null
}

/** The jobs of a command line, checked, and the services that they read. Throws the `ConfigError` of a wrong job, unless all jobs are meant. */
export async function requestedJobs(names: readonly string[], flags: SettingFlags, settings: Settings) {
  const requested = jobsOf(names, flags, settings)
  const service = await serviceOfJobs(requested, flags, settings)
  const services = serviceHosts(settings.services, pipelinesOf(requested))
  const checked = await checkedJobs(requested, service === null ? null : serviceSettings(service), settings.lake)
  return { jobs: flags['all'] === true ? checked : allRight(checked), service, services }
}

/** A profile without secrets: URLs are redacted, and only the source of the key is named. */
export function shownProfile(
  { keyEnv, keyFile, dataUrl, metricsUrl, ...profile }: ProfileSettings,
  env: NodeJS.ProcessEnv = process.env,
) {
  const key = env[apiKeyVariable] ? apiKeyVariable : (keyEnv ?? keyFile)
  return {
    ...profile,
    // Scripts may still read the old name, from when there was only one field.
    signingSubnetField: profile.signingSubnetFields[0],
    dataUrl: dataUrl === null ? null : redactUrl(dataUrl),
    metricsUrl: metricsUrl === null && dataUrl === null ? null : redactUrl(metricsUrl ?? dataUrl ?? ''),
    keyFrom: key,
  }
}

async function keyOf(keyEnv: string | null, keyFile: string | null, env: NodeJS.ProcessEnv): Promise<string | null> {
  const direct = env[apiKeyVariable]
  if (direct) return checkedKey(direct, apiKeyVariable)
  if (keyEnv !== null) {
    const named = env[keyEnv]
    if (named) return checkedKey(named, keyEnv)
    throw new ConfigError(`The environment variable ${keyEnv}, which key-env names, is not set.`, {
      code: 'config.key',
      hint: 'Set it to the API key, or remove key-env to send requests without a key.',
    })
  }
  return keyFile === null ? null : checkedKey(await readKey(keyFile), keyFile)
}

async function readKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`The key file ${path} cannot be read.`, {
      code: 'config.key',
      details: { reason: (cause as NodeJS.ErrnoException).code },
      hint: 'Write the API key into this file, readable only by you, or remove key-file to send requests without a key.',
      cause,
    })
  }
}

/** Checks that a header can carry the key: visible ASCII characters only. The error never shows the key. */
function checkedKey(text: string, source: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ConfigError(`${source} does not hold an API key: ${key === '' ? 'it is empty' : 'a key is one word'}.`, {
    code: 'config.key',
    hint: 'Put only the key there.',
  })
}

/** Requests to a service of chainlake.yaml name their units themselves. */
const weights: Readonly<Record<Weight, number>> = { free: 1, small: 1, medium: 1, large: 1, xl: 1, xxl: 1 }

/**
 * The services of chainlake.yaml that the pipelines read, with their headers. Throws `ConfigError` for a variable that is not set and for a
 * service that is not declared.
 */
export function serviceHosts(
  services: Settings['services'],
  pipelines: readonly Pipeline[],
  env: NodeJS.ProcessEnv = process.env,
): ServiceHost[] {
  const read = pipelines.flatMap(({ reads }) => (typeof reads === 'object' ? [reads.service] : []))
  return [...new Set(read)].map((name) => {
    const service = Object.hasOwn(services, name) ? services[name] : undefined
    if (service !== undefined) return hostOf(name, service, env)
    throw new ConfigError(`There is no service ${name} in chainlake.yaml.`, {
      code: 'config.service',
      hint: `Declare it: services: { ${name}: { url: https://… } }.`,
    })
  })
}

/** All services of chainlake.yaml, for a worker: it does not know yet which of them its tasks read. */
export function allServiceHosts(services: Settings['services']): ServiceHost[] {
  return Object.entries(services).map(([name, service]) => hostOf(name, service, process.env))
}

function hostOf(name: string, service: Settings['services'][string], env: NodeJS.ProcessEnv): ServiceHost {
  const headers = Object.entries(service.headers ?? {}).map(([header, text]) => {
    const expanded = expandEnvironment(text, env)
    if ('mistake' in expanded)
      throw new ConfigError(`services.${name}.headers.${header}: ${expanded.mistake}.`, {
        code: 'config.environment',
        hint: 'Set the variable in the environment of the command.',
      })
    if (!/^[\x20-\x7e]+$/.test(expanded.text))
      throw new ConfigError(`services.${name}.headers.${header} cannot be sent: it is empty or not ASCII.`, {
        code: 'config.key',
        hint: 'Look for line breaks in the environment variable.',
      })
    return { header, text: expanded.text, isSecret: expanded.text !== text }
  })
  const limit = service['requests-per-minute'] ?? service['units-per-minute'] ?? null
  return {
    name,
    url: parseNodeUrl(`services.${name}.url`, service.url),
    headers: Object.fromEntries(headers.map(({ header, text }) => [header, text])),
    secrets: headers.flatMap(({ text, isSecret }) => (isSecret ? secretsIn(text) : [])),
    unitsPerMinute: limit,
    unitsPerDay: service['units-per-day'] ?? null,
    weights,
    withoutRoute: `Compare path and url of the list with the documentation of the service ${name}.`,
    advice: {
      400: 'See the answer for the reason, and compare path, query and body of the list with the documentation of the service.',
      401: `The service does not accept the headers of services.${name}: compare them with its documentation.`,
      403: `The key in the headers of services.${name} does not permit this request.`,
      404: `The service ${name} does not know this path, or an id in it. If it means that there is nothing, set empty: [404] in the list.`,
      ...limitAdvice(`${limit === null ? 'Set' : 'Lower'} requests-per-minute of services.${name}.`),
    },
  }
}

/** A value such as `Bearer abc` must not appear in messages, and neither may the key in it. */
function secretsIn(text: string): string[] {
  return [text, ...text.split(' ').slice(1)].filter((secret) => secret !== '')
}

/**
 * What requests cost, by host, and the account that they are counted in; null for a host without a known URL or key: a plan sends no request,
 * so it needs neither.
 */
export async function hostsOfPlan(profile: ProfileSettings, { services }: Pick<Settings, 'services'>) {
  const complete = await serviceProfile(profile).catch(() => null)
  const shared = hostsOf(complete ?? { ...profile, dataUrl: '', metricsUrl: '', key: null }).map((host) => {
    const { name, weights, unitsPerDay } = host
    return [name, { weights, unitsPerDay, account: complete === null ? null : accountOf(host) }] as const
  })
  const own = Object.entries(services).map(([name, service]) => {
    const costs = { weights, unitsPerDay: service['units-per-day'] ?? null }
    try {
      return [name, { ...costs, account: accountOf(hostOf(name, service, process.env)) }] as const
    } catch (error) {
      if (error instanceof ConfigError) return [name, { ...costs, account: null }] as const
      throw error
    }
  })
  return new Map<string, (typeof own)[number][1]>([...shared, ...own])
}

/** How long a command waits for a source that is not there, in milliseconds. */
const firstContactMs = 5_000

/** As `nodeOptions`, for a command that a user waits for: it soon gives up a source that refuses its first connection, unless tries are set. */
export function promptNodeOptions(settings: Settings): NodeOptions {
  return { ...nodeOptions(settings), ...(settings.tries === undefined ? { firstContactMs } : {}) }
}

export function nodeOptions(settings: Settings): NodeOptions {
  const { nodeUrl, concurrency, threads, timeoutMs, tries, maxWaitMs, networkId } = settings
  return {
    nodeUrl,
    ...definedOf({ concurrency, threads, requestTimeoutMs: timeoutMs, tries, maxWaitMs, networkId }),
  }
}
