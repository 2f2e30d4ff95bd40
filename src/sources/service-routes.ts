import type { ServiceRequest, Weight } from '../define/index.ts'

/** A route of the REST service (specification 000, part 4): its path, cost and page sizes. */
export type ServiceRoute = {
  readonly host: 'data' | 'metrics'
  readonly method: ServiceRequest['method']
  /** Variable parts in braces. */
  readonly path: string
  /** Class of its cost in compute units, as the provider lists it in the rate limits of its data and metrics APIs. */
  readonly weight: Weight
  /** Largest page size; null for routes without pages. */
  readonly mostItems: number | null
  /** A sentence for a route that the current public API no longer has. */
  readonly gone?: string
}

/** A route of the data host that answers GET. */
export function serviceRoute<M extends number | null>(
  path: string,
  weight: Weight,
  mostItems: M,
): ServiceRoute & { readonly mostItems: M } {
  return { host: 'data', method: 'GET', path, weight, mostItems }
}

/** The beginning of routes about a chain of the Primary Network. */
export const blockchainPath = '/v1/networks/{network}/blockchains/{blockchainId}'

/** The beginning of routes about an address of an EVM chain. */
export const addressPath = '/v1/chains/{chainId}/addresses/{address}'

/** The routes that several pipelines request, named after what they list. Any other route is declared in its pipeline. */
export const serviceRoutes = {
  chains: serviceRoute('/v1/chains', 'free', null),
  transactions: serviceRoute(`${blockchainPath}/transactions`, 'xl', 100),
  evmBlocks: serviceRoute('/v1/chains/{chainId}/blocks', 'small', 100),
} as const

/** A request of a route with its path filled in; parts are percent-encoded. Throws `RangeError` if a part is missing. */
export function requestOf(
  route: ServiceRoute,
  parts: Readonly<Record<string, string>>,
  query: ServiceRequest['query'] = {},
  body?: object,
): ServiceRequest {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts[name]
    if (value === undefined || value === '') throw new RangeError(`The path ${route.path} needs a value for ${name}.`)
    return encodeURIComponent(value)
  })
  const { host, method, weight, gone } = route
  const known = { host, method, path, query, weight, ...(gone === undefined ? {} : { gone }) }
  return body === undefined ? known : { ...known, body }
}
