/** A setting: a flag, a variable and a key of chainlake.yaml that mean the same. Help, schema and documents show what it says. */
export type Setting = {
  /** How its value is written. */
  readonly kind: 'text' | 'url' | 'place' | 'path' | 'region' | 'count' | 'truth' | 'level' | keyof typeof amounts
  /** What it is; the help adds the default in brackets. */
  readonly says: string
  /** What holds without it. */
  readonly otherwise?: string
  /** The name of its flag; default: its key. */
  readonly flag?: string
  /** What stands for its value in help; default: that of its kind. A truth without it is a flag without a value. */
  readonly value?: string
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const
const longestMs = 2 ** 31 - 1
const day = 86_400_000

const duration = {
  what: 'a duration',
  such: '500ms, 30s or 2m',
  code: 'config.duration',
  units: { '': 1_000, ...milliseconds },
  bounds: [1, longestMs],
  hint: 'Write 500ms, 30s, 2m or 1h; at least 1ms, at most 24 days.',
} as const

/** Amounts with a unit, such as 30s. The unit with an empty name is that of a bare number. */
export const amounts = {
  duration,
  lag: { ...duration, bounds: [0, longestMs], hint: 'Write 0, 500ms, 30s, 2m or 1h; at most 24 days.' },
  age: {
    what: 'an age',
    such: '30d, 12h or 90m',
    code: 'config.duration',
    units: { '': day, ...milliseconds, d: day },
    bounds: [0, 100 * 365 * day],
    hint: 'Write 30d, 12h, 90m or 0s.',
  },
  size: {
    what: 'a size',
    such: '500MB or 2GB',
    code: 'config.size',
    units: { '': 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
    bounds: [0, Number.MAX_SAFE_INTEGER],
    hint: 'Write 500MB, 2GB or 1.5TB.',
  },
} as const

/** How an amount is written: a number, and its unit. */
export function amountPattern(kind: keyof typeof amounts): RegExp {
  const [, ...units] = Object.keys(amounts[kind].units)
  return new RegExp(`^(\\d+(?:\\.\\d+)?)${kind === 'size' ? ' ?' : ''}(${units.join('|')})?$`)
}

/** All settings. Those of `lake` and `service` are below a key of this name. */
export const settings = {
  node: {
    'node-url': { kind: 'url', says: 'Base URL of the node', otherwise: 'http://127.0.0.1:9650' },
    concurrency: { kind: 'count', says: 'Number of concurrent requests', otherwise: '4' },
    threads: {
      kind: 'count',
      says: 'Worker threads for a range of containers or blocks',
      otherwise: 'one per 65,536 of them, at most 4',
    },
    timeout: { kind: 'duration', says: 'Timeout of one request', otherwise: '30s' },
    'network-id': {
      kind: 'count',
      value: 'ID',
      says: 'Network id of the node (1 is Avalanche mainnet), for a node without info API; a node with another id is refused',
    },
    tries: {
      kind: 'count',
      says: 'Attempts per request before the run fails',
      otherwise: '8; a source that refuses the first connection is given up after 5s',
    },
    'max-wait': {
      kind: 'duration',
      says: 'Longest wait that a service may demand; for a longer one the run ends with exit code 7',
      otherwise: '15m',
    },
  },
  run: {
    'max-lag': {
      kind: 'lag',
      says: 'With --follow: commit at least this often; 0: each block as soon as the node announces it',
      otherwise: '60s',
    },
    compact: {
      kind: 'truth',
      says: 'At the end of a run, and regularly with --follow: merge small files when there are many',
    },
    expire: {
      kind: 'age',
      says: 'At the end of a run, and regularly with --follow: expire snapshots older than this, such as 30d, and remove files that only they use',
    },
  },
  log: {
    'log-level': {
      kind: 'level',
      says: `Lowest level of log lines: ${logLevels.join(', ')}`,
      otherwise: 'info; warn on a terminal',
    },
  },
  lake: {
    catalog: {
      kind: 'path',
      says: 'Folder of the lake, or postgres://user@host/database for a catalog in PostgreSQL',
      otherwise: './output',
      flag: 'lake',
    },
    data: {
      kind: 'place',
      says: 'Location of the data files of a new lake: s3://bucket/prefix, or with a catalog in PostgreSQL a folder that all machines share',
      otherwise: 'the folder of the lake',
      value: 's3://…',
    },
    folder: {
      kind: 'path',
      says: 'With a catalog in PostgreSQL and files in S3: local folder for the views',
      otherwise: './output',
    },
    endpoint: {
      kind: 'url',
      says: 'URL of an S3 service other than AWS',
      otherwise: 'as when the lake was created',
      flag: 's3-endpoint',
    },
    region: {
      kind: 'region',
      says: 'Region of the bucket',
      otherwise: 'as when the lake was created, or from the AWS settings',
      flag: 's3-region',
    },
    'path-style': {
      kind: 'truth',
      says: 'true: URLs are http://host/bucket/key, as most services require',
      otherwise: 'as when the lake was created',
      flag: 's3-path-style',
      value: 'true',
    },
    cache: {
      kind: 'path',
      says: 'Folder for downloaded files',
      otherwise: '.cache in the folder of the lake',
    },
    'cache-size': { kind: 'size', says: 'Maximum size of the cache', otherwise: '2GB' },
    'max-download': {
      kind: 'size',
      says: 'Maximum download of one query or one merge',
      otherwise: '10GB',
      value: 'SIZE',
    },
  },
  service: {
    profile: {
      kind: 'text',
      says: 'Profile of the REST service: devnet, neutral, public, or the path of a YAML file',
      otherwise: 'devnet',
      flag: 'service-profile',
    },
    'data-url': { kind: 'url', says: 'Base URL of the REST service', otherwise: "the profile's" },
    'metrics-url': { kind: 'url', says: 'Base URL of the metrics host', otherwise: "the profile's" },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting>>>>

export function flagName(key: string, { flag = key }: Setting): string {
  return flag
}
