import type { Dialect } from '../../index/methods.ts'
import type { Host } from './error.ts'
import type { Cost } from './limits.ts'
import type { ListAnswer } from './pages.ts'
import type { ChainAlias, CheckedValues, Rules } from './rules.ts'

type PartNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PartNames<Rest>
  : never

/** The parts of a path as their rules return them (`parts.ts`). */
type PartsOf<Path extends string> = {
  readonly [Name in PartNames<Path>]: Name extends 'blockchainId' ? ChainAlias : string
}

/** A request with valid parts and parameters. */
export type ServiceCall<Parts = Readonly<Record<string, string>>, Query = Readonly<Record<string, unknown>>> = {
  readonly parts: Parts
  /** Checked values; missing parameters are undefined. The plumbing handles page sizes and tokens itself. */
  readonly query: Query
  /** Parsed JSON of the body; undefined without a body. */
  readonly body: unknown
  readonly settings: ServiceSettings
}

export type PageSize = {
  /** Items per page if the request does not set a page size. */
  readonly default: number
  /** The largest page size of a request; without it, a request cannot choose the page size. */
  readonly most?: number
}

export type PlainAnswer = { readonly status?: number; readonly body: object }

type RouteFacts = {
  readonly host: Host
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Rules for parts that differ from those of `parts.ts`. */
  readonly parts: Rules
  readonly parameters: Rules
  readonly cost: Cost
  /** Whether the public service has removed this route. */
  readonly past: boolean
  /** Expected totals of the tables that an export of everything fills from this route, computed without requests. */
  readonly totals: (dialect: Dialect) => Totals | Promise<Totals>
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
  /** Path with variable parts in braces, such as `/v1/networks/{network}/rewards`. */
  readonly path: Path
  /** Default GET. */
  readonly method?: 'GET' | 'POST'
  /** Default `data`. */
  readonly host?: Host
  /** Rules for parts that differ from those of `parts.ts`. */
  readonly parts?: Rules
  readonly parameters: Q
  /** Cost class, which determines the compute units. */
  readonly cost: Cost
  /** Whether the public service has removed this route; default false. */
  readonly past?: boolean
  /** Default: none. Of several routes that fill a table, one declares its totals. */
  readonly totals?: RouteFacts['totals']
  readonly handle: (call: ServiceCall<PartsOf<Path>, CheckedValues<Q>>) => A | Promise<A>
}

/**
 * A route that returns a list. The plumbing reads `pageSize` and `pageToken`, checks every parameter, cuts the page out of the list that
 * `handle` returns, and creates the token of the next page. Lists of the network `mainnet`, which is not simulated, are empty.
 */
export function listRoute<const Path extends string, const Q extends Rules>({
  pageSize,
  ...declaration
}: Declaration<Path, Q, ListAnswer> & {
  /** Null: the whole list is one page. */
  readonly pageSize: PageSize | null
}): ServiceRoute {
  return { kind: 'list', pageSize, ...withDefaults(declaration) }
}

/** A route without pages. The status is 200 unless `handle` returns another one. */
export function plainRoute<const Path extends string, const Q extends Rules>(
  declaration: Declaration<Path, Q, PlainAnswer>,
): ServiceRoute {
  return { kind: 'plain', ...withDefaults(declaration) }
}

/** The totals of all tables that these routes fill. */
export async function totalsOfRoutes(routes: readonly ServiceRoute[], dialect: Dialect): Promise<Totals> {
  return Object.assign({}, ...(await Promise.all(routes.map(({ totals }) => totals(dialect)))))
}

function withDefaults<D extends Partial<Pick<RouteFacts, 'method' | 'host' | 'parts' | 'past' | 'totals'>>>(
  declaration: D,
) {
  return { method: 'GET', host: 'data', parts: {}, past: false, totals: () => ({}), ...declaration } as const
}

/** Behaviour of the simulated network's REST service that the specification leaves open. */
export type ServiceSettings = {
  readonly dialect: Dialect
  /** Whether times exactly at `startTimestamp` and `endTimestamp` are included. */
  readonly bounds: 'inclusive' | 'exclusive'
}

/**
 * Whether a time in Unix seconds is between two optional bounds. The services do not document whether the bounds themselves are included;
 * here the setting `bounds` determines it.
 */
export function between(
  { bounds }: ServiceSettings,
  startTimestamp: number | undefined,
  endTimestamp: number | undefined,
): (time: number) => boolean {
  const start = startTimestamp ?? Number.NEGATIVE_INFINITY
  const end = endTimestamp ?? Number.POSITIVE_INFINITY
  return bounds === 'inclusive' ? (time) => time >= start && time <= end : (time) => time > start && time < end
}

/** Number of rows of a table, and exact sums of its amount columns. Null amounts are not counted. */
export type TableTotals = { readonly rows: number; readonly sums: Readonly<Record<string, bigint>> }

/** Totals by table. */
export type Totals = Readonly<Record<string, TableTotals>>

/** Amounts from this one on are null in columns of 38 digits. */
const tooLarge = 10n ** 38n

/** Totals of a table that has a row for each item; `amounts` reads the amount columns of a row. */
export function totalsOf<I>(
  items: readonly I[],
  amounts: Readonly<Record<string, (item: I) => bigint | null>> = {},
): TableTotals {
  const sums = Object.entries(amounts).map(([column, amountOf]): [string, bigint] => {
    const known = items.map(amountOf).filter((amount) => amount !== null && amount < tooLarge) as bigint[]
    return [column, known.reduce((sum, amount) => sum + amount, 0n)]
  })
  return { rows: items.length, sums: Object.fromEntries(sums) }
}

/** The response of `GET /devnet/summary`: sums as decimal text by `table.column`. */
export type Summary = {
  /** Number of containers by index. They define the head that all totals belong to. */
  readonly heads: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  readonly sums: Readonly<Record<string, string>>
}

export function summaryOf(heads: Summary['heads'], totals: Totals): Summary {
  const tables = Object.entries(totals).sort(([a], [b]) => (a < b ? -1 : 1))
  const sums = tables.flatMap(([table, totals]) => {
    return Object.entries(totals.sums).map(([column, sum]) => [`${table}.${column}`, sum.toString()])
  })
  return {
    heads,
    rows: Object.fromEntries(tables.map(([table, { rows }]) => [table, rows])),
    sums: Object.fromEntries(sums),
  }
}
