import type { Pipeline } from '../../define/index.ts'
import { logLevels } from '../terminal/logger-levels.ts'
import type { OptionSet } from './command.ts'

/** Flags that several commands share. Values are text here; settings.ts checks them together with environment and chainlake.yaml. */
export const jsonFlag = { json: { type: 'boolean', describe: 'Print the result as JSON on stdout' } } as const

export const commonFlags = {
  config: { type: 'string', requiresArg: true, value: 'FILE', describe: 'Configuration file [./chainlake.yaml]' },
  'log-level': {
    type: 'string',
    requiresArg: true,
    describe: `Lowest level of log lines: ${logLevels.join(', ')} [info; warn on a terminal]`,
  },
} as const

/** For commands that load the pipelines of modules. */
export const modulesFlag = {
  pipelines: {
    type: 'string',
    value: 'FILES',
    requiresArg: true,
    describe:
      'Modules that export pipelines, separated by commas, in addition to those of chainlake.yaml; they are executed',
  },
  'no-modules': {
    type: 'boolean',
    describe:
      'Execute no modules, for a folder that you do not trust: pipelines of chainlake.yaml and --pipelines are unknown then',
  },
} as const

const inS3 = { requiresArg: true, group: 'S3 and PostgreSQL:' } as const

/** For commands that also know what is declared without a lake. */
export const ownLakeFlag = {
  lake: {
    type: 'string',
    requiresArg: true,
    value: 'FOLDER',
    describe: 'Folder of a lake: also the tables and views that it keeps',
  },
} as const

export const lakeFlag = {
  lake: {
    type: 'string',
    requiresArg: true,
    value: 'FOLDER',
    describe: 'Folder of the lake, or postgres://user@host/database for a catalog in PostgreSQL [./output]',
  },
  data: {
    ...inS3,
    type: 'string',
    value: 's3://…',
    describe: 'Location of the data files of a new lake: s3://bucket/prefix [the folder of the lake]',
  },
  folder: {
    ...inS3,
    type: 'string',
    describe: 'With a catalog in PostgreSQL: local folder for the views [./output]',
  },
  's3-endpoint': {
    ...inS3,
    type: 'string',
    value: 'URL',
    describe: 'URL of an S3 service other than AWS [as when the lake was created]',
  },
  's3-region': {
    ...inS3,
    type: 'string',
    describe: 'Region of the bucket [as when the lake was created, or from the AWS settings]',
  },
  's3-path-style': {
    ...inS3,
    type: 'string',
    value: 'true',
    describe: 'true: URLs are http://host/bucket/key, as most services require [as when the lake was created]',
  },
  cache: {
    ...inS3,
    type: 'string',
    value: 'FOLDER',
    describe: 'Folder for downloaded files [.cache in the folder of the lake]',
  },
  'cache-size': { ...inS3, type: 'string', describe: 'Maximum size of the cache [2GB]' },
  'max-download': {
    ...inS3,
    type: 'string',
    value: 'SIZE',
    describe: 'Maximum download of one query or one merge [10GB]',
  },
} as const

export const asOfFlag = {
  'as-of': {
    type: 'string',
    value: 'TIME',
    requiresArg: true,
    describe: 'Show the lake as of a snapshot id, or of a time such as 2026-11-21T10:35 (UTC without a zone)',
  },
} as const

export const nodeFlags = {
  'node-url': { type: 'string', requiresArg: true, describe: 'Base URL of the node [http://127.0.0.1:9650]' },
  concurrency: { type: 'string', requiresArg: true, value: 'N', describe: 'Number of concurrent requests [4]' },
  threads: {
    type: 'string',
    value: 'N',
    requiresArg: true,
    describe: 'Worker threads for a range of blocks [one per 65,536 containers or blocks, at most 4]',
  },
  timeout: { type: 'string', requiresArg: true, value: 'TIME', describe: 'Timeout of one request, such as 30s' },
  'network-id': {
    type: 'string',
    requiresArg: true,
    describe:
      'Network id of the node (1 is Avalanche mainnet), for a node without info API; a node with another id is refused',
  },
  tries: {
    type: 'string',
    requiresArg: true,
    value: 'N',
    describe:
      'Attempts per request before the run fails [8; a source that refuses the first connection is given up after 5s]',
  },
  'max-wait': {
    type: 'string',
    value: 'TIME',
    requiresArg: true,
    describe: 'Longest wait that a service may demand; for a longer one the run ends with exit code 7 [15m]',
  },
} as const

export const serviceFlags = {
  'service-profile': {
    type: 'string',
    requiresArg: true,
    describe: 'Profile of the REST service: devnet, neutral, public, or a YAML file [devnet]',
  },
  'data-url': { type: 'string', requiresArg: true, describe: "Base URL of the REST service [the profile's]" },
  'metrics-url': { type: 'string', requiresArg: true, describe: "Base URL of the metrics host [the profile's]" },
} as const

/** Which jobs are meant; the flags of their parameters are in parameter-flags.ts. */
export const jobFlags = { all: { type: 'boolean', describe: 'All jobs of chainlake.yaml' } } as const

/** The flags of the parameters of the pipelines. */
export async function loadParameterFlags(pipelines: readonly Pipeline[]): Promise<OptionSet> {
  return (await import('./parameter-flags.ts')).parameterFlags(pipelines)
}
