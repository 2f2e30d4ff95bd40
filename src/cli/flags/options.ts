import { logLevels } from '../terminal/logger-levels.ts'
import type { OptionSet } from './command.ts'

/** Flags that several commands share. Values are read as text and checked in settings.ts, after all their sources. */
export const jsonFlag = { json: { type: 'boolean', describe: 'Print the result as JSON on stdout' } } as const

export const commonFlags = {
  config: { type: 'string', requiresArg: true, describe: 'Configuration file [./chainlake.yaml]' },
  'log-level': { type: 'string', requiresArg: true, describe: `What is logged: ${logLevels.join(', ')}` },
} as const

const inS3 = { requiresArg: true, group: 'Files in S3:' } as const

export const lakeFlag = {
  lake: {
    type: 'string',
    requiresArg: true,
    describe: 'Folder of the lake, or postgres://user@host/database, which keeps its catalog [./output]',
  },
  data: {
    ...inS3,
    type: 'string',
    describe: 'Where the files of a new lake go: s3://bucket/prefix [the folder of the lake]',
  },
  folder: {
    ...inS3,
    type: 'string',
    describe: 'With a catalog in PostgreSQL: folder for the views of this machine [./output]',
  },
  's3-endpoint': { ...inS3, type: 'string', describe: 'URL of a service that is not AWS [as the lake was made]' },
  's3-region': {
    ...inS3,
    type: 'string',
    describe: 'Region of the bucket [as the lake was made, or of the AWS settings]',
  },
  's3-path-style': {
    ...inS3,
    type: 'string',
    describe: 'true: http://host/bucket/key, as most services want it [as the lake was made]',
  },
  cache: { ...inS3, type: 'string', describe: 'Folder for files that were fetched [.cache in the folder of the lake]' },
  'cache-size': { ...inS3, type: 'string', describe: 'What these may take [2GB]' },
  'max-download': { ...inS3, type: 'string', describe: 'What one question, or one merge, may fetch [10GB]' },
} as const

export const asOfFlag = {
  'as-of': {
    type: 'string',
    requiresArg: true,
    describe: 'Show the lake as it was: at a snapshot, or at a time such as 2026-11-21T10:35:00Z',
  },
} as const

export const nodeFlags = {
  'node-url': { type: 'string', requiresArg: true, describe: 'Base URL of the node [http://127.0.0.1:9650]' },
  concurrency: { type: 'string', requiresArg: true, describe: 'Requests under way at the same time [4]' },
  threads: {
    type: 'string',
    requiresArg: true,
    describe: 'Threads that share a range [one for each 65,536 containers or blocks, at most 4]',
  },
  timeout: { type: 'string', requiresArg: true, describe: 'Time that one request may take, such as 30s' },
  'network-id': {
    type: 'string',
    requiresArg: true,
    describe: 'Network id, for a node that does not tell it; another one is refused',
  },
  tries: { type: 'string', requiresArg: true, describe: 'How often a request is tried before the run ends' },
  'max-wait': {
    type: 'string',
    requiresArg: true,
    describe: 'Longest wait that a service may dictate; for a longer one the run ends, to be continued [15m]',
  },
} as const

export const serviceFlags = {
  'service-profile': {
    type: 'string',
    requiresArg: true,
    describe: 'Profile of the REST service: devnet, neutral, public, or a YAML file [devnet]',
  },
  'data-url': { type: 'string', requiresArg: true, describe: "Base URL of the service [the profile's]" },
  'metrics-url': { type: 'string', requiresArg: true, describe: "Base URL of its metrics host [the profile's]" },
} as const

/** Which jobs there are; their parameters are in parameter-flags.ts. */
export const jobFlags = { all: { type: 'boolean', describe: 'All jobs of chainlake.yaml' } } as const

/** The flags of the parameters of the pipelines. */
export async function loadParameterFlags(): Promise<OptionSet> {
  const [{ pipelines }, { parameterFlags }] = await Promise.all([
    import('../../../pipelines/index.ts'),
    import('./parameter-flags.ts'),
  ])
  return parameterFlags(pipelines)
}
