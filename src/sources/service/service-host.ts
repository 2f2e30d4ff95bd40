import type { StatusAdvice } from '../../define/connection.ts'
import type { Weight } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { keyHeaders } from '../../lib/key-headers.ts'
import type { ServiceProfile } from '../service-profile.ts'

/** A host that requests go to, with its limits: one of the REST service, or a service that chainlake.yaml declares. */
export type ServiceHost = {
  /** `data` or `metrics` for the hosts of the REST service; otherwise the name in chainlake.yaml. */
  readonly name: string
  readonly url: string
  /** Sent to this host only: redirects are not followed. */
  readonly headers: Readonly<Record<string, string>>
  /** The parts of the headers that must not appear in messages. Hosts with other secrets have accounts of their own. */
  readonly secrets: readonly string[]
  /** Units per minute that the host grants; null: not known, so the limit is learnt. */
  readonly unitsPerMinute: number | null
  /** Units that the host grants in any 24 hours; null: unlimited, or not known. */
  readonly unitsPerDay: number | null
  /** Units that a request of each class costs. */
  readonly weights: Readonly<Record<Weight, number>>
  /** Hints for errors of requests. */
  readonly advice: StatusAdvice
  /** What to do about a route that the host does not have. */
  readonly withoutRoute: string
}

/** The names of the hosts of the REST service. */
export const profileHosts = ['data', 'metrics'] as const

/** The hosts of the REST service. Only the data host gets the key. Throws `ConfigError` for a malformed key. */
export function hostsOf(profile: ServiceProfile): ServiceHost[] {
  checkKey(profile)
  const { name, key, keyHeader, unitsPerMinute, unitsPerDay, weights } = profile
  return profileHosts.map((host) => ({
    name: host,
    url: host === 'data' ? profile.dataUrl : profile.metricsUrl,
    headers: host === 'data' && key !== null ? { [keyHeader]: key } : {},
    secrets: host === 'data' && key !== null ? [key] : [],
    unitsPerMinute: unitsPerMinute[host],
    unitsPerDay: unitsPerDay[host],
    weights: weights[host],
    withoutRoute: `Remove the job, or use --${host}-url to name a service that has the route, and check the ids of the job.`,
    advice: {
      400: `See the answer for the reason, and check the parameters of the job.`,
      401:
        key === null
          ? `Give the profile ${name} a key, from the environment or a file. chainlake sends it as ${keyHeader}.`
          : `The service does not know the key of the profile ${name}, or expects another header than ${keyHeader}. The provider's console shows both.`,
      403: `The key of the profile ${name} does not permit this request: check its permissions in the provider's console.`,
      404: `The service no longer has this route, or it does not know an id in it: check the ids of the job, and the URLs and paths of the profile ${name}.`,
      ...limitAdvice(
        `${unitsPerMinute[host] === null ? 'Set' : 'Lower'} the units per minute of the profile ${name}, or use a key with a higher limit.`,
      ),
    },
  }))
}

/** The hints for the two statuses of a refusal because of the rate limit. */
export function limitAdvice(hint: string): StatusAdvice {
  return { 409: hint, 429: hint }
}

function checkKey({ name, key, keyHeader }: ServiceProfile): void {
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(`The API key of the profile ${name} cannot be sent in a header.`, {
      code: 'config.key',
      hint: 'The key must be one word of ASCII characters. Look for spaces and line breaks in the environment variable or file.',
    })
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(keyHeader))
    throw new ConfigError(`${JSON.stringify(keyHeader)} is not the name of a header.`, {
      code: 'config.key',
      details: { profile: name },
      hint: `Give the name of the header that carries the key, such as ${keyHeaders.specified}.`,
    })
}
