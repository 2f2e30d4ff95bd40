import type { Cost } from './costs.ts'
import type { Host } from './error.ts'
import type { ListAnswer } from './list-answer.ts'
import type { ChainAlias } from './parts.ts'
import type { CheckedValues, Rules } from './rules.ts'
import type { ServiceSettings } from './settings.ts'

type PartNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PartNames<Rest>
  : never

/** The parts of a path as their rules give them (`parts.ts`). */
export type PartsOf<Path extends string> = {
  readonly [Name in PartNames<Path>]: Name extends 'blockchainId' ? ChainAlias : string
}

/** A request that has passed: its parts and parameters keep their rules. */
export type ServiceCall<Parts = Readonly<Record<string, string>>, Query = Readonly<Record<string, unknown>>> = {
  readonly parts: Parts
  /** Checked values; of parameters that are absent undefined. Page sizes and tokens are the plumbing's. */
  readonly query: Query
  /** Parsed JSON of the body; undefined when there is none. */
  readonly body: unknown
  readonly settings: ServiceSettings
}

export type PageSize = {
  /** Items of a page when the request does not say it. */
  readonly default: number
  /** The largest page size of a request; absent if it cannot choose one. */
  readonly most?: number
}

export type PlainAnswer = { readonly status?: number; readonly body: object }

type RouteFacts = {
  readonly host: Host
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Rules of parts other than those of `parts.ts`. */
  readonly parts: Rules
  readonly parameters: Rules
  readonly cost: Cost
  /** Whether the public service had it once and has it no longer. */
  readonly past: boolean
}

export type ServiceRoute = RouteFacts &
  (
    | {
        readonly kind: 'list'
        readonly pageSize: PageSize | null
        readonly handle: (call: ServiceCall<any, any>) => ListAnswer | Promise<ListAnswer>
      }
    | {
        readonly kind: 'plain'
        readonly handle: (call: ServiceCall<any, any>) => PlainAnswer | Promise<PlainAnswer>
      }
  )

type Declaration<Path extends string, Q extends Rules, A> = {
  /** With variable parts in braces, such as `/v1/networks/{network}/rewards`. */
  readonly path: Path
  /** Default GET. */
  readonly method?: 'GET' | 'POST'
  /** Default `data`. */
  readonly host?: Host
  /** Rules of parts other than those of `parts.ts`. */
  readonly parts?: Rules
  readonly parameters: Q
  /** Class of its compute units. */
  readonly cost: Cost
  /** Whether the public service had it once and has it no longer; default false. */
  readonly past?: boolean
  readonly handle: (call: ServiceCall<PartsOf<Path>, CheckedValues<Q>>) => A | Promise<A>
}

/**
 * A route that lists. The plumbing reads `pageSize` and `pageToken`, checks every parameter, cuts the page out of what `handle`
 * gives and makes the token of the next. Lists of the network `mainnet`, which is not simulated, are empty.
 */
export function listRoute<const Path extends string, const Q extends Rules>({
  pageSize,
  ...declaration
}: Declaration<Path, Q, ListAnswer> & {
  /** Null: everything is one page. */
  readonly pageSize: PageSize | null
}): ServiceRoute {
  return { kind: 'list', pageSize, ...withDefaults(declaration) }
}

/** A route without pages; the status is 200 unless `handle` says another. */
export function plainRoute<const Path extends string, const Q extends Rules>(
  declaration: Declaration<Path, Q, PlainAnswer>,
): ServiceRoute {
  return { kind: 'plain', ...withDefaults(declaration) }
}

function withDefaults<D extends { method?: 'GET' | 'POST'; host?: Host; parts?: Rules; past?: boolean }>(
  declaration: D,
) {
  return { method: 'GET', host: 'data', parts: {}, past: false, ...declaration } as const
}
