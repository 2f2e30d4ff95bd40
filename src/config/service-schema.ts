import { z } from 'zod'
import type { Weight } from '../define/index.ts'
import { keyHeaders } from '../lib/key-headers.ts'

/** A note for settings that hold a URL. */
export const fromEnvironment = `\${NAME} and \${NAME:-default} are replaced from the environment.`

const text = (comment: string) => z.string().min(1).optional().describe(comment)
const whole = (least: number, comment: string) => z.int().min(least).optional().describe(comment)
const units = (comment: string) => z.int().min(1).nullable().optional().describe(comment)

const weightComments: Readonly<Record<Weight, string>> = {
  free: 'Lists of chains.',
  small: 'EVM blocks.',
  medium: 'Transfers, token balances, vertices, node blocks, signatures; average TPS.',
  large: 'No route that chainlake uses.',
  xl: 'Transactions, UTXOs, rewards, token holders.',
  xxl: 'No route that chainlake uses.',
}

function weights(comment: string) {
  const shape = Object.fromEntries(Object.entries(weightComments).map(([weight, what]) => [weight, whole(0, what)]))
  return z.strictObject(shape).optional().describe(comment)
}

/** The schema of a profile file: URLs, names and limits of a service. */
export const profileSchema = z.strictObject({
  'data-url': text(`Base URL of the data host; ${fromEnvironment}`),
  'metrics-url': text('Base URL of the metrics host; environment variables as in data-url.'),
  'key-header': z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of an HTTP header')
    .optional()
    .describe(`Header that carries the API key. Default: ${keyHeaders.specified}.`),
  'key-env': z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional()
    .describe('Environment variable that holds the API key; CHAINLAKE_API_KEY takes precedence.'),
  'key-file': text('File that holds the API key, relative to this file.'),
  'units-per-minute': z
    .strictObject({
      data: units('Compute units per minute of the data host; null: unknown, learnt from its answers.'),
      metrics: units('Compute units per minute of the metrics host; null: unknown, learnt from its answers.'),
    })
    .optional()
    .describe('Rate limits of the hosts.'),
  'units-per-day': z
    .strictObject({
      data: units('Compute units that the data host grants in any 24 hours; null: not counted.'),
      metrics: units('Compute units that the metrics host grants in any 24 hours; null: not counted.'),
    })
    .optional()
    .describe(
      'Daily budgets of the hosts, counted in the lake per API key. When a budget is spent, the run ends with exit code 7.',
    ),
  weights: z
    .strictObject({
      data: weights('Compute units of a request to the data host, by the class of its route.'),
      metrics: weights('Compute units of a request to the metrics host, by the class of its route.'),
    })
    .optional()
    .describe('Compute units per request.'),
  networks: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe('Names of networks in URL paths, by their names in the lake, such as local: fuji.'),
  chains: z
    .record(
      z.string(),
      z.strictObject({ P: text('Id of the P-Chain.'), X: text('Id of the X-Chain.'), C: text('Id of the C-Chain.') }),
    )
    .optional()
    .describe('Blockchain ids by network; the ids of mainnet and fuji are built in.'),
  'get-addresses': whole(1, 'Maximum number of addresses in one GET request.'),
  'post-addresses': whole(1, 'Maximum number of addresses in one POST request.'),
  'tps-path': z
    .string()
    .regex(/^\/.*\{chainId\}/, 'must begin with / and hold {chainId}')
    .optional()
    .describe('URL path of the average TPS on the metrics host; contains {chainId}.'),
  'signing-subnet-field': z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('Body field for the signing subnet, or a list of fields, which are all sent. Default: signingSubnetId.'),
})

/** The setting `service` of chainlake.yaml: a profile, and overrides. */
export const serviceSchema = profileSchema.extend({
  profile: text('devnet (default), neutral, public, or the path of a YAML file with the keys below.'),
})

export type ProfileText = z.infer<typeof profileSchema>
export type ServiceText = z.infer<typeof serviceSchema>
