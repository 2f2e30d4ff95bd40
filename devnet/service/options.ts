import type { Dialect } from '../index/methods.ts'
import type { Host } from './plumbing/error.ts'
import type { LimitOptions } from './plumbing/limits.ts'

/** How page tokens expire. */
type TokenOptions = {
  /** Lifetime of a token in milliseconds; default 24 hours, as in the specification (000, part 8). */
  readonly lifeMs?: number
  /**
   * What the service does with a token that has expired or belongs to another list: `refuse` returns status 400, `restart` returns the
   * first page. Default: the metrics host restarts, as the specification says, and the data host refuses.
   */
  readonly end?: 'refuse' | 'restart'
}

/** Behaviour of the simulated network's REST service that the specification leaves open. */
export type ServiceOptions = {
  /** Compute units and API keys; default unlimited. */
  readonly service?: LimitOptions
  readonly tokens?: TokenOptions
  /** Whether items exactly at `startTimestamp` and `endTimestamp` are included; default `inclusive`. */
  readonly bounds?: 'inclusive' | 'exclusive'
  readonly dialect?: Dialect
  /** Whether routes that the public service has removed are removed here too; default false. */
  readonly presentOnly?: boolean
}

const day = 86_400_000
const standardEnds = { data: 'refuse', metrics: 'restart' } as const

/** The options with their defaults. */
export function serviceDefaults({
  service = {},
  tokens = {},
  bounds = 'inclusive',
  dialect = 'node',
  presentOnly = false,
}: ServiceOptions) {
  const { lifeMs = day, end } = tokens
  const tokenEnd: Readonly<Record<Host, 'refuse' | 'restart'>> =
    end === undefined ? standardEnds : { data: end, metrics: end }
  return { limits: service, lifeMs, tokenEnd, settings: { dialect, bounds }, presentOnly }
}
