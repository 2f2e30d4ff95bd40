export type EnvironmentVariable = {
  readonly name: string
  /** The flag that overrides it; null for a variable that has none. */
  readonly flag: string | null
  readonly comment: string
}

/** Where the API key of a service is looked for first. */
export const apiKeyVariable = 'CHAINLAKE_API_KEY'

/** Every environment variable that chainlake reads. Flags override them; they override chainlake.yaml. */
export const environment: readonly EnvironmentVariable[] = [
  { name: 'CHAINLAKE_NODE_URL', flag: 'node-url', comment: 'Base URL of the node.' },
  {
    name: 'CHAINLAKE_LAKE',
    flag: 'lake',
    comment: 'Folder of the lake, or postgres://user@host/database, which keeps its catalog.',
  },
  { name: 'CHAINLAKE_DATA', flag: 'data', comment: 'Where the files of a new lake go: s3://bucket/prefix.' },
  { name: 'CHAINLAKE_S3_ENDPOINT', flag: 's3-endpoint', comment: 'URL of an S3 service that is not AWS.' },
  { name: 'CHAINLAKE_S3_REGION', flag: 's3-region', comment: 'Region of the bucket.' },
  {
    name: 'CHAINLAKE_S3_PATH_STYLE',
    flag: 's3-path-style',
    comment: 'true: the bucket is in the path of URLs, not in the host.',
  },
  { name: 'CHAINLAKE_CACHE', flag: 'cache', comment: 'Folder for files that were fetched from S3.' },
  { name: 'CHAINLAKE_CACHE_SIZE', flag: 'cache-size', comment: 'What these may take, such as 2GB.' },
  {
    name: 'CHAINLAKE_MAX_DOWNLOAD',
    flag: 'max-download',
    comment: 'What one question, or one merge, may fetch, such as 10GB.',
  },
  { name: 'CHAINLAKE_CONFIG', flag: 'config', comment: 'Configuration file instead of ./chainlake.yaml.' },
  { name: 'CHAINLAKE_LOG_LEVEL', flag: 'log-level', comment: 'What is logged: debug, info, warn, error or silent.' },
  { name: 'CHAINLAKE_CONCURRENCY', flag: 'concurrency', comment: 'Requests under way at the same time.' },
  { name: 'CHAINLAKE_THREADS', flag: 'threads', comment: 'Threads that share a range of containers or blocks.' },
  { name: 'CHAINLAKE_TIMEOUT', flag: 'timeout', comment: 'Time that one request may take, such as 30s.' },
  {
    name: 'CHAINLAKE_NETWORK_ID',
    flag: 'network-id',
    comment: 'Network id, for a node that does not tell it; another one is refused.',
  },
  { name: 'CHAINLAKE_TRIES', flag: 'tries', comment: 'How often a request is tried before the run ends.' },
  { name: 'CHAINLAKE_MAX_LAG', flag: 'max-lag', comment: 'While following: commit at least this often, such as 60s.' },
  {
    name: 'CHAINLAKE_MAX_WAIT',
    flag: 'max-wait',
    comment: 'Longest wait that a service may dictate before the run ends to be continued, such as 15m.',
  },
  { name: 'CHAINLAKE_DATA_URL', flag: 'data-url', comment: 'Base URL of the REST service.' },
  { name: 'CHAINLAKE_METRICS_URL', flag: 'metrics-url', comment: "Base URL of the service's metrics host." },
  {
    name: 'CHAINLAKE_SERVICE_PROFILE',
    flag: 'service-profile',
    comment: 'Profile of the service: devnet, neutral, public, or the path of a YAML file.',
  },
  { name: apiKeyVariable, flag: null, comment: "API key of the service; sent to the data URL's origin only." },
  {
    name: 'DEVNET_URL',
    flag: null,
    comment: 'Where the simulated network is, for the profile devnet and examples/devnet.yaml [http://127.0.0.1:9650].',
  },
  {
    name: 'CHAINLAKE_DIE_AT',
    flag: null,
    comment: 'For tests: kill the process at a named step (src/lib/step.ts), such as commit.before-begin#2.',
  },
]

/** What the environment says for a flag; an empty variable counts as not set. */
export function environmentValue(flag: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const variable = environment.find((candidate) => candidate.flag === flag)
  const value = variable === undefined ? undefined : env[variable.name]
  return value === '' ? undefined : value
}
