import { z } from 'zod'
import { specifiedKeyHeader } from '../define/connection.ts'
import type { Parameter, Pipeline, Weight } from '../define/index.ts'
import { mayBeOrdered } from '../lib/time.ts'
import { listsSchema } from '../yaml-lists/check-list.ts'
import { filledText, servicesSchema, whole } from '../yaml-lists/list-schema.ts'
import { checkValue } from './parameter-values.ts'
import { pipelineNameMistake, tableNameMistake } from './reserved-names.ts'
import { amountPattern, amounts, logLevels, type Setting, settings } from './settings.ts'

/** The schema of a job's key for a parameter, with its JSON Schema for editors. */
function parameterSchema(parameter: Parameter) {
  const schema = z
    .unknown()
    .transform((given, context) => {
      const checked = checkValue(parameter, given)
      if ('value' in checked) return checked.value
      for (const { mistake, item } of [checked, ...(checked.others ?? [])])
        context.addIssue({ code: 'custom', message: mistake, path: item === undefined ? [] : [item] })
      return z.NEVER
    })
    .meta({ description: parameter.comment, ...jsonSchemas[parameter.kind](parameter) })
  return parameter.required ? schema : schema.optional()
}

/** The parts of a JSON Schema that chainlake writes and reads. */
export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly required?: readonly string[]
}

/** A text may be written as a number, since YAML parses digits as a number. */
function text({ choices, pattern }: Parameter): JsonSchema {
  if (choices !== null) return { type: 'string', enum: choices }
  return pattern === null ? { type: ['string', 'integer'] } : { type: ['string', 'integer'], pattern: pattern.source }
}

const jsonSchemas: Readonly<Record<Parameter['kind'], (parameter: Parameter) => JsonSchema>> = {
  text,
  whole: ({ least, most }) => ({
    type: 'integer',
    minimum: least,
    ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }),
  }),
  boolean: () => ({ type: 'boolean' }),
  time: () => ({
    anyOf: [
      { type: 'integer', minimum: 0, description: 'Unix seconds.' },
      { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt].+)?$', description: 'A date or an RFC 3339 time.' },
    ],
  }),
  bound: ({ least, timeless }) => ({
    anyOf: [
      { type: 'integer', description: `From ${least}; a negative one counts from the end.` },
      { type: 'string', pattern: '^-?\\d+(_\\d+)*(\\.\\d+)?[kKMB]?$', description: 'Such as 1_000_000 or 12M.' },
      ...(timeless === null
        ? [{ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt ].+)?$', description: 'A date or a time.' }]
        : []),
    ],
  }),
  range: ({ timeless }) => ({
    type: 'string',
    pattern: timeless === null ? '^[-+\\d_.kKMBTtZz: ]*:[-+\\d_.kKMBTtZz: ]*$' : '^-?[\\d_.kKMB]*:-?[\\d_.kKMB]*$',
  }),
  abi: () => ({ type: 'string', minLength: 1 }),
  list: (parameter) => ({
    anyOf: [
      { type: 'array', items: text(parameter), minItems: 1, description: 'The items.' },
      one('file', 'Path of a text file with one item per line, relative to this file; # begins a comment.'),
      one(
        'query',
        'One SELECT on the views of the lake. The list is its first column, read right before the job runs.',
      ),
    ],
  }),
}

function one(key: string, description: string): JsonSchema {
  return {
    type: 'object',
    properties: { [key]: { type: 'string', minLength: 1, description } },
    required: [key],
    additionalProperties: false,
  }
}

const filled = z.string().min(1)

function amount(kind: keyof typeof amounts) {
  const { what, such } = amounts[kind]
  return z.union([
    z.int().min(kind === 'lag' ? 0 : 1),
    z.string().regex(amountPattern(kind), `must be ${what} such as ${such}`),
  ])
}

/** What chainlake.yaml may have, by kind of the setting. */
const kinds = {
  text: filled,
  url: filled,
  place: filled,
  path: filled,
  region: filled,
  count: z.int().min(1),
  truth: z.boolean(),
  level: z.enum(logLevels),
  duration: amount('duration'),
  lag: amount('lag'),
  age: amount('age'),
  size: amount('size'),
} satisfies Readonly<Record<Setting['kind'], z.ZodType>>

const fromEnvironment = `\${NAME} and \${NAME:-default} are replaced from the environment.`

/** What only concerns a value in a file. */
const notes: { readonly [kind in Setting['kind']]?: string } = {
  url: fromEnvironment,
  place: fromEnvironment,
  path: `A path here is relative to this file. ${fromEnvironment}`,
}

/** The keys of a group of settings. */
function shapeOf<G extends Readonly<Record<string, Setting>>>(group: G) {
  const shape = Object.entries<Setting>(group).map(([key, { kind, says, otherwise }]) => {
    const sentences = [`${says}.`, ...(otherwise === undefined ? [] : [`Default: ${otherwise}.`]), notes[kind] ?? []]
    return [key, kinds[kind].optional().describe(sentences.flat().join(' '))]
  })
  return Object.fromEntries(shape) as { [K in keyof G]: z.ZodOptional<(typeof kinds)[G[K]['kind']]> }
}

const units = (comment: string) => z.int().min(1).nullable().optional().describe(comment)

const weightComments: Readonly<Record<Weight, string>> = {
  free: 'Lists of chains.',
  small: 'EVM blocks.',
  medium: 'Transfers, token balances, vertices, node blocks, signatures; average TPS.',
  large: 'No route that chainlake uses.',
  xl: 'Transactions, UTXOs, rewards, token holders.',
  xxl: 'No route that chainlake uses.',
}

/** A setting of both hosts of a service. */
function perHost<S extends z.ZodType>(of: (host: 'data' | 'metrics') => S, comment: string) {
  return z
    .strictObject({ data: of('data'), metrics: of('metrics') })
    .optional()
    .describe(comment)
}

function weights(comment: string) {
  const shape = Object.fromEntries(Object.entries(weightComments).map(([weight, what]) => [weight, whole(0, what)]))
  return z.strictObject(shape).optional().describe(comment)
}

const { profile, ...urls } = shapeOf(settings.service)

/** The schema of a profile file: URLs, names and limits of a service. */
export const profileSchema = z.strictObject({
  ...urls,
  'key-header': z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of an HTTP header')
    .optional()
    .describe(`Header that carries the API key. Default: ${specifiedKeyHeader}.`),
  'key-env': z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional()
    .describe('Environment variable that holds the API key; CHAINLAKE_API_KEY takes precedence.'),
  'key-file': filledText('File that holds the API key, relative to this file.'),
  'units-per-minute': perHost(
    (host) => units(`Compute units per minute of the ${host} host; null: unknown, learnt from its answers.`),
    'Rate limits of the hosts.',
  ),
  'units-per-day': perHost(
    (host) => units(`Compute units that the ${host} host grants in any 24 hours; null: not counted.`),
    'Daily budgets of the hosts, counted in the lake per API key. When a budget is spent, the run ends with exit code 7.',
  ),
  weights: perHost(
    (host) => weights(`Compute units of a request to the ${host} host, by the class of its route.`),
    'Compute units per request.',
  ),
  networks: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe('Names of networks in URL paths, by their names in the lake, such as local: fuji.'),
  chains: z
    .record(
      z.string(),
      z.strictObject({
        P: filledText('Id of the P-Chain.'),
        X: filledText('Id of the X-Chain.'),
        C: filledText('Id of the C-Chain.'),
      }),
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
const serviceSchema = profileSchema.extend({ profile })

const lakeSchema = z.strictObject(shapeOf(settings.lake))

function jobSchema({ name, comment, parameters }: Pipeline) {
  const keys = Object.entries<Parameter>(parameters).map(
    ([key, parameter]) => [key, parameterSchema(parameter)] as const,
  )
  return z
    .strictObject({ pipeline: z.literal(name).describe(comment), ...Object.fromEntries(keys) })
    .refine(({ from, to }: Bounds) => from === undefined || to === undefined || mayBeOrdered(from, to), {
      message: 'must be greater than from',
      path: ['to'],
    })
}

/** The parameters `from` and `to` of pipelines that have them. */
type Bounds = { readonly [key: string]: any }

/** The schema of chainlake.yaml for these pipelines. */
export function configSchema(pipelines: readonly Pipeline[]) {
  // A list with the name of a pipeline is a mistake of its own, wherever a job uses the name.
  const byName = new Map([...pipelines].reverse().map((pipeline) => [pipeline.name, pipeline]))
  const jobs = [...byName.values()].reverse().map(jobSchema)
  const [first, ...others] = jobs
  if (first === undefined) throw new RangeError('At least one pipeline is needed.')
  const job = z.discriminatedUnion('pipeline', [first, ...others])
  const schema = z.strictObject({
    ...shapeOf(settings.node),
    lake: z
      .union([filled, lakeSchema])
      .optional()
      .describe('Folder of the lake, relative to this file; or the locations of its catalog and its data files.'),
    ...shapeOf(settings.run),
    ...shapeOf(settings.log),
    service: serviceSchema.optional().describe('URLs, names and limits of the REST service and its metrics host.'),
    services: servicesSchema.optional().describe('Other JSON services, by the names that lists give them.'),
    lists: listsSchema({ pipeline: pipelineNameMistake, table: tableNameMistake })
      .optional()
      .describe('Lists of JSON services. Each is a pipeline of its own, with one table.'),
    pipelines: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Modules that export pipelines, as paths relative to this file. Commands that run or describe jobs execute them.',
      ),
    jobs: z
      .record(
        z
          .string()
          .regex(
            /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
            'the name of a job must be letters, digits, ".", "_" and "-", and begin with a letter or digit',
          ),
        job,
      )
      .optional()
      .describe('Jobs by name. A job is a pipeline with parameters.'),
  })
  return schema.superRefine(({ lists = {}, services = {} }, context) => {
    for (const [name, { service = 'data' }] of Object.entries(lists))
      if (!Object.hasOwn(services, service) && service !== 'data' && service !== 'metrics')
        context.addIssue({
          code: 'custom',
          path: ['lists', name, 'service'],
          message: `there is no service ${service}: declare it in services`,
        })
  })
}

export type Config = Omit<z.infer<ReturnType<typeof configSchema>>, 'jobs'> & {
  /** Jobs by name: the pipeline and the checked parameters. A list may still be a file or a query. */
  readonly jobs?:
    | { readonly [name: string]: { readonly pipeline: string; readonly [parameter: string]: unknown } }
    | undefined
}

/** The JSON Schema of chainlake.yaml for editors, as shipped in `chainlake.schema.json`. */
export function configJsonSchema(pipelines: readonly Pipeline[]): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'chainlake.yaml',
    description: 'Configuration of chainlake: node, lake, REST service and jobs.',
    ...z.toJSONSchema(configSchema(pipelines), { target: 'draft-7', io: 'input' }),
  }
}
