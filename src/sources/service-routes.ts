import type { ServiceRequest, Weight } from '../define/index.ts'

/** A route of the REST service (specification 000, part 4): the one place that knows its path, cost and page sizes. */
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

function get<M extends number | null>(
  path: string,
  weight: Weight,
  mostItems: M,
): ServiceRoute & { readonly mostItems: M } {
  return { host: 'data', method: 'GET', path, weight, mostItems }
}

const blockchain = '/v1/networks/{network}/blockchains/{blockchainId}'
const address = '/v1/chains/{chainId}/addresses/{address}'
const aggregate = '/v1/signatureAggregator/{network}/aggregateSignatures'

/** Every route, named after what it lists. */
export const serviceRoutes = {
  chains: get('/v1/chains', 'free', null),
  signatureOfTransaction: get(`${aggregate}/{txHash}`, 'medium', null),
  signatureOfMessage: { ...get(aggregate, 'medium', null), method: 'POST' },
  utxos: get(`${blockchain}/utxos`, 'xl', 100),
  utxosByPost: { ...get(`${blockchain}/utxos`, 'xl', 1024), method: 'POST' },
  transactions: get(`${blockchain}/transactions`, 'xl', 100),
  walletTransfers: get(`${address}/transactions:listErc20`, 'medium', 100),
  walletNativeTransactions: get(`${address}/transactions:listNative`, 'medium', 100),
  walletErc721Transfers: get(`${address}/transactions:listErc721`, 'medium', 100),
  walletErc1155Transfers: get(`${address}/transactions:listErc1155`, 'medium', 100),
  walletInternalTransactions: get(`${address}/transactions:listInternals`, 'medium', 100),
  tokenTransfers: get('/v1/chains/{chainId}/tokens/{address}/transfers', 'medium', 100),
  nativeBalance: get(`${address}/balances:getNative`, 'medium', null),
  erc20Balances: get(`${address}/balances:listErc20`, 'medium', 500),
  erc1155Balances: get(`${address}/balances:listErc1155`, 'medium', 500),
  erc721Balances: get(`${address}/balances:listErc721`, 'medium', 500),
  collectibleBalances: get(`${address}/balances:listCollectibles`, 'medium', 500),
  rewards: get('/v1/networks/{network}/rewards', 'xl', 100),
  validators: get('/v1/networks/{network}/validators', 'medium', 100),
  icmMessages: get('/v1/icm/messages', 'medium', 100),
  vertices: get(`${blockchain}/vertices`, 'medium', 100),
  verticesByHeight: get(`${blockchain}/vertices:listByHeight`, 'medium', 100),
  evmBlocks: get('/v1/chains/{chainId}/blocks', 'small', 100),
  nodeBlocks: get(`${blockchain}/nodes/{nodeId}/blocks`, 'medium', 100),
  tokenHolders: {
    ...get('/v2/chains/{chainId}/contracts/{address}/balances', 'xl', 5000),
    host: 'metrics',
    gone: 'The current public API no longer has this route: it was listed until 2025-11-18 and gone by 2026-02-25.',
  },
  /**
   * The path is a setting of the profile: `/v1/avg_tps/{chainId}` in the specification, another one today. The cost is that of today's path,
   * `/v2/chains/{chainId}/metrics/{metric}`; the provider lists no cost for the old one.
   */
  averageTps: { ...get('/v1/avg_tps/{chainId}', 'medium', null), host: 'metrics' },
  chainMetric: { ...get('/v2/chains/{chainId}/metrics/{metric}', 'medium', 2160), host: 'metrics' },
} as const satisfies { readonly [name: string]: ServiceRoute }

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
