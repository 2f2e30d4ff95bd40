export type EnvironmentVariable = {
  readonly name: string
  /** The flag that overrides it; null for a variable that has none. */
  readonly flag: string | null
  readonly comment: string
}

/** Every environment variable that chainlake reads. Flags override them; they override chainlake.yaml. */
export const environment: readonly EnvironmentVariable[] = [
  { name: 'CHAINLAKE_NODE_URL', flag: 'node-url', comment: 'Base URL of the node.' },
  { name: 'CHAINLAKE_LAKE', flag: 'lake', comment: 'Folder of the lake.' },
  { name: 'CHAINLAKE_CONFIG', flag: 'config', comment: 'Configuration file instead of ./chainlake.yaml.' },
  { name: 'CHAINLAKE_LOG_LEVEL', flag: 'log-level', comment: 'What is logged: debug, info, warn, error or silent.' },
  { name: 'CHAINLAKE_CONCURRENCY', flag: 'concurrency', comment: 'Requests under way at the same time.' },
  { name: 'CHAINLAKE_TIMEOUT', flag: 'timeout', comment: 'Time that one request may take, such as 30s.' },
  {
    name: 'CHAINLAKE_NETWORK_ID',
    flag: 'network-id',
    comment: 'Network id, for a node that does not tell it; another one is refused.',
  },
  { name: 'CHAINLAKE_TRIES', flag: 'tries', comment: 'How often a request is tried before the run ends.' },
  { name: 'CHAINLAKE_MAX_LAG', flag: 'max-lag', comment: 'While following: commit at least this often, such as 60s.' },
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
