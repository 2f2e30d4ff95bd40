type EnvironmentVariable = {
  readonly name: string
  /** The flag that overrides the variable; null for none. */
  readonly flag: string | null
  readonly comment: string
}

/** The variable that is checked first for the API key of a service. */
export const apiKeyVariable = 'CHAINLAKE_API_KEY'

/** Every environment variable that chainlake reads. Flags override variables, and variables override chainlake.yaml. */
export const environment: readonly EnvironmentVariable[] = [
  { name: 'CHAINLAKE_NODE_URL', flag: 'node-url', comment: 'Base URL of the node.' },
  {
    name: 'CHAINLAKE_LAKE',
    flag: 'lake',
    comment: 'Folder of the lake, or postgres://user@host/database for a catalog in PostgreSQL.',
  },
  { name: 'CHAINLAKE_DATA', flag: 'data', comment: 'Location of the data files of a new lake: s3://bucket/prefix.' },
  { name: 'CHAINLAKE_S3_ENDPOINT', flag: 's3-endpoint', comment: 'URL of an S3 service other than AWS.' },
  { name: 'CHAINLAKE_S3_REGION', flag: 's3-region', comment: 'Region of the bucket.' },
  {
    name: 'CHAINLAKE_S3_PATH_STYLE',
    flag: 's3-path-style',
    comment: 'true: the bucket is in the path of URLs, not in the host name.',
  },
  { name: 'CHAINLAKE_CACHE', flag: 'cache', comment: 'Folder for files downloaded from S3.' },
  { name: 'CHAINLAKE_CACHE_SIZE', flag: 'cache-size', comment: 'Maximum size of that folder, such as 2GB.' },
  {
    name: 'CHAINLAKE_MAX_DOWNLOAD',
    flag: 'max-download',
    comment: 'Maximum download of one query or one merge, such as 10GB.',
  },
  { name: 'CHAINLAKE_CONFIG', flag: 'config', comment: 'Configuration file instead of ./chainlake.yaml.' },
  {
    name: 'CHAINLAKE_LOG_LEVEL',
    flag: 'log-level',
    comment: 'Lowest level of log lines: debug, info, warn, error or silent.',
  },
  { name: 'CHAINLAKE_CONCURRENCY', flag: 'concurrency', comment: 'Number of concurrent requests.' },
  { name: 'CHAINLAKE_THREADS', flag: 'threads', comment: 'Worker threads for a range of containers or blocks.' },
  { name: 'CHAINLAKE_TIMEOUT', flag: 'timeout', comment: 'Timeout of one request, such as 30s.' },
  {
    name: 'CHAINLAKE_NETWORK_ID',
    flag: 'network-id',
    comment: 'Network id of the node, for a node without info API; a node with another id is refused.',
  },
  { name: 'CHAINLAKE_TRIES', flag: 'tries', comment: 'Attempts per request before the run fails.' },
  {
    name: 'CHAINLAKE_MAX_LAG',
    flag: 'max-lag',
    comment:
      'While following: commit at least this often, such as 60s; 0: each block as soon as the node announces it.',
  },
  {
    name: 'CHAINLAKE_MAX_WAIT',
    flag: 'max-wait',
    comment: 'Longest wait that a service may demand, such as 15m; for a longer one the run ends with exit code 7.',
  },
  { name: 'CHAINLAKE_DATA_URL', flag: 'data-url', comment: 'Base URL of the REST service.' },
  { name: 'CHAINLAKE_METRICS_URL', flag: 'metrics-url', comment: 'Base URL of the metrics host.' },
  {
    name: 'CHAINLAKE_SERVICE_PROFILE',
    flag: 'service-profile',
    comment: 'Profile of the REST service: devnet, neutral, public, or the path of a YAML file.',
  },
  {
    name: apiKeyVariable,
    flag: null,
    comment: 'API key of the REST service; sent only to the origin of the data URL.',
  },
  {
    name: 'DEVNET_URL',
    flag: null,
    comment: 'URL of the simulated network, for the profile devnet and examples/devnet.yaml [http://127.0.0.1:9650].',
  },
  {
    name: 'CHAINLAKE_DIE_AT',
    flag: null,
    comment: 'Only for tests: kill the process at a named step (src/lib/step.ts), such as commit.before-begin#2.',
  },
]

/** The value of the environment variable of a flag; an empty variable counts as not set. */
export function environmentValue(flag: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const variable = environment.find((candidate) => candidate.flag === flag)
  const value = variable === undefined ? undefined : env[variable.name]
  return value === '' ? undefined : value
}
