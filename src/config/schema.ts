import { z } from 'zod'
import type { Parameter, Pipeline } from '../define/index.ts'
import { parameterSchema } from './parameter-schema.ts'
import { fromEnvironment, serviceSchema } from './service-schema.ts'

const whole = (least: number, comment: string) => z.int().min(least).optional().describe(comment)
const duration = (comment: string) =>
  z
    .union([
      z.int().min(1),
      z.string().regex(/^\d+(\.\d+)?(ms|s|m|h)?$/, 'must be a duration such as 500ms, 30s or 2m'),
    ])
    .optional()
    .describe(comment)

const size = (comment: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)? ?(B|kB|MB|GB|TB)?$/, 'must be a size such as 500MB or 2GB')
    .optional()
    .describe(comment)

export const lakeSchema = z.strictObject({
  catalog: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of the lake, with its catalog and views, relative to this file; or postgres://user@host/database, which keeps the catalog.',
    ),
  data: z
    .string()
    .optional()
    .describe(
      'Where the files of a new lake go: s3://bucket/prefix (credentials are those of AWS tools); of a catalog in PostgreSQL also a folder that all machines share.',
    ),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'With a catalog in PostgreSQL and files in S3: folder for the views of this machine; ./output when absent.',
    ),
  endpoint: z.string().optional().describe('URL of an S3 service that is not AWS.'),
  region: z.string().optional().describe('Region of the bucket.'),
  'path-style': z.boolean().optional().describe('The bucket is in the path of URLs, not in the host.'),
  cache: z.string().min(1).optional().describe('Folder for files that were fetched, relative to this file.'),
  'cache-size': size('What these may take; 2GB when absent.'),
  'max-download': size('What one question, or one merge, may fetch; 10GB when absent.'),
})

function jobSchema({ name, comment, parameters }: Pipeline) {
  const keys = Object.entries<Parameter>(parameters).map(
    ([key, parameter]) => [key, parameterSchema(parameter)] as const,
  )
  return z
    .strictObject({ pipeline: z.literal(name).describe(comment), ...Object.fromEntries(keys) })
    .refine(({ from, to }: Bounds) => from === undefined || to === undefined || from < to, {
      message: 'must be greater than from',
      path: ['to'],
    })
}

/** Bounds of pipelines that have such parameters. */
type Bounds = { readonly [key: string]: any }

/** The keys that a job of a pipeline may have. */
export function jobKeys(pipeline: Pipeline | undefined): string[] {
  return ['pipeline', ...Object.keys(pipeline?.parameters ?? {})]
}

/** The shape of chainlake.yaml, given the pipelines that a job may name. */
export function configSchema(pipelines: readonly Pipeline[]) {
  const jobs = pipelines.map(jobSchema)
  const [first, ...others] = jobs
  if (first === undefined) throw new RangeError('At least one pipeline is needed.')
  const job = z.discriminatedUnion('pipeline', [first, ...others])
  return z.strictObject({
    'node-url': z
      .string()
      .optional()
      .describe(`Base URL of the node, such as http://127.0.0.1:9650; ${fromEnvironment}`),
    lake: z
      .union([z.string().min(1), lakeSchema])
      .optional()
      .describe('Folder of the lake, relative to this file; or where its catalog and its files are.'),
    'log-level': z.enum(['debug', 'info', 'warn', 'error', 'silent']).optional().describe('What is logged.'),
    concurrency: whole(1, 'Requests under way at the same time.'),
    threads: whole(
      1,
      'Threads that share a range of containers or blocks; as many as are worth it, at most 4, when absent.',
    ),
    timeout: duration('Time that one request may take: 30, 30s, 2m.'),
    'network-id': whole(1, 'Network id, for a node that does not tell it; another one is refused.'),
    tries: whole(1, 'How often a request is tried before the run ends.'),
    'max-wait': duration(
      'Longest wait that a service may dictate; for a longer one the run ends, to be continued: 15m.',
    ),
    'max-lag': duration('While following: commit at least this often.'),
    compact: z.boolean().optional().describe('While following, and at the end: merge small files as they pile up.'),
    expire: z
      .union([z.int().min(1), z.string().regex(/^\d+(\.\d+)?(ms|s|m|h|d)?$/, 'must be an age such as 30d, 12h or 90m')])
      .optional()
      .describe('While following, and at the end: forget older snapshots, and remove files that only those named.'),
    service: serviceSchema
      .optional()
      .describe('Where the REST service and its metrics host are, what they call things, how much they may be asked.'),
    jobs: z
      .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/), job)
      .optional()
      .describe('Jobs by name: a pipeline with its parameters.'),
  })
}

/** A job of chainlake.yaml: its pipeline and the checked values of what is given. Lists may still be a file or a query. */
export type ConfiguredJob = { readonly pipeline: string; readonly [parameter: string]: unknown }

export type Config = Omit<z.infer<ReturnType<typeof configSchema>>, 'jobs'> & {
  readonly jobs?: Readonly<Record<string, ConfiguredJob>> | undefined
}

/** The JSON Schema of chainlake.yaml for editors, as shipped in `chainlake.schema.json`. */
export function configJsonSchema(pipelines: readonly Pipeline[]): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'chainlake.yaml',
    description: 'Configuration of chainlake: where the node and the lake are, and which jobs there are.',
    ...z.toJSONSchema(configSchema(pipelines), { target: 'draft-7', io: 'input' }),
  }
}
