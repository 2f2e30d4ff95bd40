import type { StatusAdvice } from '../define/connection.ts'
import { specifiedKeyHeader } from '../define/connection.ts'
import type { Blockchain, ServiceSettings, Weight } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { knownNetworks, primaryId } from './known-networks.ts'

/** Settings of a service, with all defaults: its URLs, its names and its limits. */
export type ServiceProfile = {
  /** The name in the configuration; errors show it. */
  readonly name: string
  /** Base URL of the data host. */
  readonly dataUrl: string
  /** Base URL of the metrics host, which needs no key. */
  readonly metricsUrl: string
  /** Header that carries the key (specification 000, part 5), such as `x-service-api-key`. */
  readonly keyHeader: string
  /** Sent to the data host only. Null: none. */
  readonly key: string | null
  /** Compute units per minute that the hosts grant; null: not known, so the limit is learnt. */
  readonly unitsPerMinute: { readonly data: number | null; readonly metrics: number | null }
  /** Compute units that the hosts grant in any 24 hours; null: unlimited, or not known. */
  readonly unitsPerDay: { readonly data: number | null; readonly metrics: number | null }
  /** Compute units that a request of each class costs (real-service.md, Rate limits). */
  readonly weights: {
    readonly data: Readonly<Record<Weight, number>>
    readonly metrics: Readonly<Record<Weight, number>>
  }
  /** Networks of the lake to their names in paths; `mainnet`, `fuji` and `testnet` stand for themselves. */
  readonly networks: Readonly<Record<string, string>>
  /** Blockchain ids of networks of the lake; those of the public networks are known. */
  readonly chains: Readonly<Record<string, Readonly<Partial<Record<Blockchain['alias'], string>>>>>
  /** Maximum number of addresses of one GET and of one POST request. */
  readonly getAddresses: number
  readonly postAddresses: number
  /** Path of the TPS series with `{chainId}` in it. */
  readonly tpsPath: string
  /** Names of the body field for the signing subnet; the request contains each of them. */
  readonly signingSubnetFields: readonly string[]
}

const aliases = { 'p-chain': 'P', 'x-chain': 'X', 'c-chain': 'C' } as const satisfies Record<
  string,
  Blockchain['alias']
>

const ownNames = new Set(['mainnet', 'fuji', 'testnet'])

/** The part of a profile without the places of the service and its key. */
type ServiceRules = Omit<ServiceProfile, 'dataUrl' | 'metricsUrl' | 'key'>

/** The settings of a profile that pipelines use. */
export function serviceSettings(profile: ServiceRules): ServiceSettings {
  const { getAddresses, postAddresses, tpsPath, signingSubnetFields } = profile
  return {
    networkInPath: (network) => networkInPath(profile, network),
    blockchain: (network, name) => blockchain(profile, network, name),
    getAddresses,
    postAddresses,
    tpsPath,
    signingSubnetFields,
  }
}

function networkInPath(profile: ServiceRules, network: string): string {
  const name = own(profile.networks, network) ?? (ownNames.has(network) ? network : undefined)
  if (name !== undefined) return name
  const known = [...new Set([...ownNames, ...Object.keys(profile.networks)])].join(', ')
  throw new ConfigError(`The profile ${profile.name} does not know the network ${network}.`, {
    code: 'config.network',
    details: { known },
    hint: `Use one of these, or add the name of the network in paths to the profile, such as networks: { ${network}: fuji }.`,
  })
}

function blockchain(profile: ServiceRules, network: string, name: string): Blockchain {
  const ids = idsOf(profile, network)
  if (isAlias(name)) {
    const alias = aliases[name]
    const id = ids[alias]
    if (id !== undefined) return { alias, id, pathName: name }
    throw new ConfigError(`The id of the ${alias} chain of network ${network} is not known.`, {
      code: 'config.blockchain',
      details: { profile: profile.name },
      hint: `Add it to the profile: chains: { ${network}: { ${alias}: … } }; info.getBlockchainID of a node returns it.`,
    })
  }
  for (const alias of ['P', 'X', 'C'] as const) if (ids[alias] === name) return { alias, id: name, pathName: name }
  throw new ConfigError(`The profile ${profile.name} does not know a blockchain ${name} of network ${network}.`, {
    code: 'config.blockchain',
    details: { P: ids.P, X: ids.X, C: ids.C },
    hint: `Use p-chain, x-chain, c-chain or one of these ids, or add the id to the profile under chains.${network}.`,
  })
}

function idsOf(profile: ServiceRules, network: string): Partial<Record<Blockchain['alias'], string>> {
  const networkId = network === 'mainnet' ? 1 : network === 'fuji' || network === 'testnet' ? 5 : 0
  const ids: Partial<Record<Blockchain['alias'], string>> = { P: primaryId }
  for (const { alias, blockchainId } of knownNetworks[networkId]?.chains ?? []) ids[alias] = blockchainId
  return { ...ids, ...own(profile.chains, network) }
}

function isAlias(name: string): name is keyof typeof aliases {
  return Object.hasOwn(aliases, name)
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

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
      hint: `Give the name of the header that carries the key, such as ${specifiedKeyHeader}.`,
    })
}
