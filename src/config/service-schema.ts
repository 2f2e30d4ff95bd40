import { z } from 'zod'
import type { Weight } from '../define/index.ts'
import { keyHeaders } from '../lib/key-headers.ts'

/** Of settings that hold a URL. */
export const fromEnvironment = `\${NAME} and \${NAME:-default} are filled in from the environment.`

const text = (comment: string) => z.string().min(1).optional().describe(comment)
const whole = (least: number, comment: string) => z.int().min(least).optional().describe(comment)
const units = (comment: string) => z.int().min(1).nullable().optional().describe(comment)

const weightComments: Readonly<Record<Weight, string>> = {
  free: 'Listing of chains.',
  small: 'EVM blocks.',
  medium: 'Transfers, token balances, vertices, node blocks, signatures; average TPS.',
  large: 'No route of today.',
  xl: 'Transactions, UTXOs, rewards, token holders.',
  xxl: 'No route of today.',
}

function weights(comment: string) {
  const shape = Object.fromEntries(Object.entries(weightComments).map(([weight, what]) => [weight, whole(0, what)]))
  return z.strictObject(shape).optional().describe(comment)
}

/** What a file with a profile may say: where a service is, what it calls things, how much it may be asked. */
export const profileSchema = z.strictObject({
  'data-url': text(`Base URL of the data host; ${fromEnvironment}`),
  'metrics-url': text('Base URL of the metrics host; as data-url.'),
  'key-header': z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of an HTTP header')
    .optional()
    .describe(`Header that carries the API key; ${keyHeaders.specified} when absent.`),
  'key-env': z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional()
    .describe('Environment variable that holds the API key; CHAINLAKE_API_KEY comes before it.'),
  'key-file': text('File that holds the API key, relative to this file.'),
  'units-per-minute': z
    .strictObject({
      data: units('Compute units a minute of the data host; null: not known, learnt from its answers.'),
      metrics: units('Compute units a minute of the metrics host; null: not known, learnt from its answers.'),
    })
    .optional()
    .describe('How much the hosts grant.'),
  'units-per-day': z
    .strictObject({
      data: units('Compute units that the data host grants in any 24 hours; null: none are counted.'),
      metrics: units('Compute units that the metrics host grants in any 24 hours; null: none are counted.'),
    })
    .optional()
    .describe(
      'How much the hosts grant in a day: counted in the lake for each key; when it is spent, the run ends, to be continued.',
    ),
  weights: z
    .strictObject({
      data: weights('Compute units of a request to the data host, by the class of its route.'),
      metrics: weights('Compute units of a request to the metrics host, by the class of its route.'),
    })
    .optional()
    .describe('What requests cost.'),
  networks: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe('Names of networks in paths, by their names in the lake, such as local: fuji.'),
  chains: z
    .record(
      z.string(),
      z.strictObject({ P: text('Id of the P chain.'), X: text('Id of the X chain.'), C: text('Id of the C chain.') }),
    )
    .optional()
    .describe('Blockchain ids by network; those of mainnet and fuji are known.'),
  'get-addresses': whole(1, 'Addresses that one GET request takes.'),
  'post-addresses': whole(1, 'Addresses that one POST request takes.'),
  'tps-path': z
    .string()
    .regex(/^\/.*\{chainId\}/, 'must begin with / and hold {chainId}')
    .optional()
    .describe('Path of the average TPS on the metrics host, with {chainId} in it.'),
  'signing-subnet-field': z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('Body field for the signing subnet, or a list of them, which are all sent; signingSubnetId when absent.'),
})

/** The setting `service` of chainlake.yaml: a profile, and what differs from it. */
export const serviceSchema = profileSchema.extend({
  profile: text('devnet (when absent), neutral, public, or the path of a YAML file with the keys below.'),
})

export type ProfileText = z.infer<typeof profileSchema>
export type ServiceText = z.infer<typeof serviceSchema>
