import { expandEnvironment } from '../../config/expand-environment.ts'
import type { ProfileSettings } from '../../config/profiles.ts'
import type { Pipeline, Weight } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { hostsOf, limitAdvice, profileHosts, type ServiceHost } from '../../sources/service/service-host.ts'
import type { ServiceDeclaration, ServicesText } from '../../yaml-lists/service-schema.ts'
import { parseNodeUrl } from './numbers.ts'
import { serviceProfile } from './service-settings.ts'

/** Requests to a service of chainlake.yaml name their units themselves. */
const weights: Readonly<Record<Weight, number>> = { free: 1, small: 1, medium: 1, large: 1, xl: 1, xxl: 1 }

/**
 * The services of chainlake.yaml that the pipelines read, with their headers. Throws `ConfigError` for a variable that is not set and for a
 * service that is not declared.
 */
export function serviceHosts(
  services: ServicesText,
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
export function allServiceHosts(services: ServicesText, env: NodeJS.ProcessEnv = process.env): ServiceHost[] {
  return Object.entries(services).map(([name, service]) => hostOf(name, service, env))
}

function hostOf(name: string, service: ServiceDeclaration, env: NodeJS.ProcessEnv): ServiceHost {
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

/** What requests cost, by host. */
export function costsOf(
  profile: ProfileSettings,
  services: ServicesText,
): ReadonlyMap<string, Pick<ServiceHost, 'weights' | 'unitsPerDay'>> {
  const own = Object.entries(services).map(
    ([name, service]) => [name, { weights, unitsPerDay: service['units-per-day'] ?? null }] as const,
  )
  const known = profileHosts.map(
    (host) => [host, { weights: profile.weights[host], unitsPerDay: profile.unitsPerDay[host] }] as const,
  )
  return new Map<string, Pick<ServiceHost, 'weights' | 'unitsPerDay'>>([...known, ...own])
}

/** The hosts with a known URL and a known key. A plan sends no request, so it needs neither. */
export async function hostsFor(
  profile: ProfileSettings,
  services: ServicesText,
  pipelines: readonly Pipeline[],
): Promise<ServiceHost[]> {
  const complete = await serviceProfile(profile).catch(() => null)
  const own = pipelines.flatMap((pipeline) => {
    try {
      return serviceHosts(services, [pipeline])
    } catch (error) {
      if (error instanceof ConfigError) return []
      throw error
    }
  })
  return [...(complete === null ? [] : hostsOf(complete)), ...new Map(own.map((host) => [host.name, host])).values()]
}
