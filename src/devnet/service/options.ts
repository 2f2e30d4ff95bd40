import type { Dialect } from '../index/methods.ts'
import type { Host } from './plumbing/error.ts'
import type { LimitOptions } from './plumbing/limits.ts'

/** How page tokens end. */
export type TokenOptions = {
  /** Milliseconds for which a token is known; default 24 hours, as the specification has it (000, part 8). */
  readonly lifeMs?: number
  /**
   * What a token that is not known any more, or belongs to another list, does: `refuse` answers 400, `restart` gives the first
   * page. Default: the metrics host restarts, as the specification says, and the data host refuses.
   */
  readonly end?: 'refuse' | 'restart'
}

/** How the REST service of the simulated network behaves where the specification leaves it open. */
export type ServiceOptions = {
  /** Compute units and API keys; default unlimited. */
  readonly service?: LimitOptions
  readonly tokens?: TokenOptions
  /** Whether items at `startTimestamp` and `endTimestamp` themselves are in; default `inclusive`. */
  readonly bounds?: 'inclusive' | 'exclusive'
  readonly dialect?: Dialect
  /** Whether routes that the public service has no longer are gone here too; default false. */
  readonly presentOnly?: boolean
}

const day = 86_400_000
const standardEnds = { data: 'refuse', metrics: 'restart' } as const

/** The options with what stands for those that are absent. */
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
