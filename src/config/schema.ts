import { z } from 'zod'
import type { Parameter, Pipeline } from '../define/index.ts'
import { mayBeOrdered } from '../lib/text/bound.ts'
import { listsSchema } from '../yaml-lists/lists-schema.ts'
import { servicesSchema } from '../yaml-lists/service-schema.ts'
import { parameterSchema } from './parameter-schema.ts'
import { pipelineNameMistake, tableNameMistake } from './reserved-names.ts'
import { fromEnvironment, serviceSchema } from './service-schema.ts'

const whole = (least: number, comment: string) => z.int().min(least).optional().describe(comment)
const duration = (comment: string, least = 1) =>
  z
    .union([
      z.int().min(least),
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
      'Folder of the lake with catalog and views, relative to this file; or postgres://user@host/database for a catalog in PostgreSQL.',
    ),
  data: z
    .string()
    .optional()
    .describe(
      'Location of the data files of a new lake: s3://bucket/prefix (credentials as for AWS tools). With a catalog in PostgreSQL also a folder that all machines share.',
    ),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe('With a catalog in PostgreSQL and files in S3: local folder for the views. Default: ./output.'),
  endpoint: z.string().optional().describe('URL of an S3 service other than AWS.'),
  region: z.string().optional().describe('Region of the bucket.'),
  'path-style': z.boolean().optional().describe('true: the bucket is in the path of URLs, not in the host name.'),
  cache: z.string().min(1).optional().describe('Folder for downloaded files, relative to this file.'),
  'cache-size': size('Maximum size of the cache. Default: 2GB.'),
  'max-download': size('Maximum download of one query or one merge. Default: 10GB.'),
})

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

/** The allowed keys of a job. */
export function jobKeys(pipeline: Pipeline | undefined): string[] {
  return ['pipeline', ...Object.keys(pipeline?.parameters ?? {})]
}

/** The schema of chainlake.yaml for these pipelines. */
export function configSchema(pipelines: readonly Pipeline[]) {
  // A list with the name of a pipeline is a mistake of its own, wherever a job uses the name.
  const byName = new Map([...pipelines].reverse().map((pipeline) => [pipeline.name, pipeline]))
  const jobs = [...byName.values()].reverse().map(jobSchema)
  const [first, ...others] = jobs
  if (first === undefined) throw new RangeError('At least one pipeline is needed.')
  const job = z.discriminatedUnion('pipeline', [first, ...others])
  const schema = z.strictObject({
    'node-url': z
      .string()
      .optional()
      .describe(`Base URL of the node, such as http://127.0.0.1:9650; ${fromEnvironment}`),
    lake: z
      .union([z.string().min(1), lakeSchema])
      .optional()
      .describe('Folder of the lake, relative to this file; or the locations of its catalog and its data files.'),
    'log-level': z.enum(['debug', 'info', 'warn', 'error', 'silent']).optional().describe('Lowest level of log lines.'),
    concurrency: whole(1, 'Number of concurrent requests.'),
    threads: whole(
      1,
      'Worker threads for a range of containers or blocks. Default: one per 65,536 of them, at most 4.',
    ),
    timeout: duration('Timeout of one request: 30, 30s, 2m.'),
    'network-id': whole(1, 'Network id of the node, for a node without info API; a node with another id is refused.'),
    tries: whole(1, 'Attempts per request before the run fails.'),
    'max-wait': duration(
      'Longest wait that a service may demand, such as 15m; for a longer one the run ends with exit code 7.',
    ),
    'max-lag': duration(
      'With --follow: commit at least this often; 0: each block as soon as the node announces it.',
      0,
    ),
    compact: z
      .boolean()
      .optional()
      .describe('At the end of a run, and regularly with --follow: merge small files when there are many.'),
    expire: z
      .union([z.int().min(1), z.string().regex(/^\d+(\.\d+)?(ms|s|m|h|d)?$/, 'must be an age such as 30d, 12h or 90m')])
      .optional()
      .describe(
        'At the end of a run, and regularly with --follow: expire older snapshots, and remove files that only they use.',
      ),
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
      .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/), job)
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

/** A job of chainlake.yaml: its pipeline and its checked parameters. A list may still be a file or a query. */
export type ConfiguredJob = { readonly pipeline: string; readonly [parameter: string]: unknown }

export type Config = Omit<z.infer<ReturnType<typeof configSchema>>, 'jobs'> & {
  readonly jobs?: Readonly<Record<string, ConfiguredJob>> | undefined
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
