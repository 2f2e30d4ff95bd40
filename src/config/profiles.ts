import type { z } from 'zod'
import { specifiedKeyHeader } from '../define/connection.ts'
import type { Weight } from '../define/index.ts'
import { definedOf } from '../lib/arrays.ts'
import type { serviceSettings } from '../sources/service-profile.ts'
import type { profileSchema } from './schema.ts'

type Weights = Readonly<Record<Weight, number>>

/** A profile from the settings: URLs may still be null, and only the source of the key is known. */
export type ProfileSettings = Parameters<typeof serviceSettings>[0] & {
  readonly dataUrl: string | null
  /** Null: the URL of the data host. */
  readonly metricsUrl: string | null
  /** Environment variable that holds the key, in addition to CHAINLAKE_API_KEY. */
  readonly keyEnv: string | null
  /** Absolute path of the file that holds the key. */
  readonly keyFile: string | null
}

/** Compute units per request by class of route, as the provider lists them in the rate limits of its data and metrics APIs. */
const dataWeights: Weights = { free: 1, small: 10, medium: 20, large: 50, xl: 100, xxl: 200 }
const metricsWeights: Weights = { free: 1, small: 20, medium: 100, large: 500, xl: 1000, xxl: 3000 }

/** The profile with the names of the specification; the user gives the URL. */
const neutral: ProfileSettings = {
  name: 'neutral',
  dataUrl: null,
  metricsUrl: null,
  keyHeader: specifiedKeyHeader,
  keyEnv: null,
  keyFile: null,
  unitsPerMinute: { data: null, metrics: null },
  unitsPerDay: { data: null, metrics: null },
  weights: { data: dataWeights, metrics: metricsWeights },
  networks: {},
  chains: {},
  getAddresses: 64,
  // The limit of POST is not documented; a node takes 1024 addresses in one request.
  postAddresses: 1024,
  tpsPath: '/v1/avg_tps/{chainId}',
  signingSubnetFields: ['signingSubnetId'],
}

/** The default URL of `chainlake devnet`. */
const devnetUrl = 'http://127.0.0.1:9650'

/** The simulated network: its routes call the network `local` fuji. */
function devnet(env: NodeJS.ProcessEnv): ProfileSettings {
  const url = env['DEVNET_URL'] || devnetUrl
  return {
    ...neutral,
    name: 'devnet',
    dataUrl: url,
    networks: { local: 'fuji' },
    chains: {
      local: {
        P: '11111111111111111111111111111111LpoYY',
        X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
        C: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
      },
    },
  }
}

/** Profiles by name; `public` is the file `examples/public-profile.yaml` of the package. */
export const builtInProfiles = ['devnet', 'neutral', 'public'] as const

/** The profile that a file extends: the built-in profile of this name, or the neutral profile under the name of the file. */
export function baseProfile(name: string, env: NodeJS.ProcessEnv): ProfileSettings {
  return name === 'devnet' ? devnet(env) : { ...neutral, name }
}

/** A profile with the overrides of a file; tables (weights, networks, chains) are merged key by key. */
export function withProfileText(
  base: ProfileSettings,
  text: z.infer<typeof profileSchema>,
  absolute: (path: string) => string,
): ProfileSettings {
  const chains = Object.entries(text.chains ?? {}).map(([network, ids]) => {
    return [network, { ...base.chains[network], ...definedOf(ids) }]
  })
  return {
    ...base,
    dataUrl: text['data-url'] ?? base.dataUrl,
    metricsUrl: text['metrics-url'] ?? base.metricsUrl,
    keyHeader: text['key-header'] ?? base.keyHeader,
    keyEnv: text['key-env'] ?? base.keyEnv,
    keyFile: text['key-file'] === undefined ? base.keyFile : absolute(text['key-file']),
    unitsPerMinute: { ...base.unitsPerMinute, ...definedOf(text['units-per-minute'] ?? {}) },
    unitsPerDay: { ...base.unitsPerDay, ...definedOf(text['units-per-day'] ?? {}) },
    weights: {
      data: { ...base.weights.data, ...definedOf(text.weights?.data ?? {}) },
      metrics: { ...base.weights.metrics, ...definedOf(text.weights?.metrics ?? {}) },
    },
    networks: { ...base.networks, ...text.networks },
    chains: { ...base.chains, ...Object.fromEntries(chains) },
    getAddresses: text['get-addresses'] ?? base.getAddresses,
    postAddresses: text['post-addresses'] ?? base.postAddresses,
    tpsPath: text['tps-path'] ?? base.tpsPath,
    signingSubnetFields: [text['signing-subnet-field'] ?? base.signingSubnetFields].flat(),
  }
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in a URL from the environment. An empty variable counts as not set. A variable that is not
 * set and has no default is a mistake, which is the end of a sentence.
 */
export function expandEnvironment(text: string, env: NodeJS.ProcessEnv) {
  let mistake: string | undefined
  const expanded = text.replace(/\$\{([^}]*)(\}|$)/g, (whole, inside: string, end: string) => {
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/.exec(inside) ?? []
    if (name === undefined || end === '') {
      mistake ??= `${JSON.stringify(whole)} is not written as \${NAME} or \${NAME:-default}`
      return ''
    }
    const value = env[name] || fallback
    if (value === undefined) mistake ??= `the environment variable ${name} is not set and has no default`
    return value ?? ''
  })
  return mistake === undefined ? { text: expanded } : { mistake }
}
