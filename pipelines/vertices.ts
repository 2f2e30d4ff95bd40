import { restXVertices } from '../schemas/rest-transactions.ts'
import { count } from '../src/decode/json/fields.ts'
import { type ListWalk, p, pipeline, serviceStream, type ValuesOf } from '../src/define/index.ts'
import { blockchainPath, requestOf, serviceRoute } from '../src/sources/service-routes.ts'
import { blockchain, mustBeRange, network, pageSize, parameterError, trailingSeconds } from './shared/parameters.ts'
import {
  chainList,
  checkTransactions,
  defaultTrailing,
  type JobChain,
  jobChain,
  type ListedChain,
  listOf,
  newestOf,
} from './shared/service.ts'

export const verticesRoute = serviceRoute(`${blockchainPath}/vertices`, 'medium', 100)
export const verticesByHeightRoute = serviceRoute(`${blockchainPath}/vertices:listByHeight`, 'medium', 100)

/** Vertices of the X-Chain (specification 2.4 and 4.7). */
export const verticesList = chainList({
  tables: { vertices: restXVertices },
  items: 'vertices',
  complete: checkTransactions,
  key: ['vertex_hash'],
  time: 'block_time',
})

/** The height of the newest vertex of a page; null if there is none. */
export function newestVertexHeight(chain: ListedChain) {
  return newestOf('vertices', chain, (at) => count(at, 'vertexHeight'))
}

const parameters = {
  network,
  blockchain,
  'from-height': p.whole(
    'First height, read height by height; without it and to-height the list is read from the newest.',
  ),
  'to-height': p.whole('Last height, exclusive (default: up to the newest height).'),
  'page-size': pageSize(verticesRoute.mostItems),
  'sort-order': p.text('Order of the vertices of a height; the list without heights is read in desc only.', {
    choices: ['asc', 'desc'],
  }),
  'trailing-seconds': trailingSeconds,
}
type Values = ValuesOf<typeof parameters>

export const verticesPipeline = pipeline({
  name: 'vertices',
  comment: 'Vertices of the X-Chain from before it became linear, with their true times: newest first, or by height.',
  parameters,
  tables: { vertices: restXVertices },
  reads: 'service',
  walks: ['pageChain', 'heightRange'],
  streams(values, { service: settings }) {
    mustBeRange(['from-height', values['from-height']], ['to-height', values['to-height']])
    checkOrder(values)
    const chain = jobChain(values, settings)
    if (chain.alias !== 'X')
      throw parameterError('blockchain must be x-chain: only the X-Chain has vertices.', 'Set blockchain to x-chain.')
    const walk = byHeight(values) ? heightWalk(values, chain) : latestWalk(values, chain)
    const latest = serviceStream(chain.network, 'vertices', {}, chain.alias)
    return [{ stream: byHeight(values) ? { ...latest, path: `${latest.path}/height` } : latest, walk }]
  },
})

/** The route of the latest vertices accepts no order. */
function checkOrder(values: Values): void {
  if (values['sort-order'] !== 'asc' || byHeight(values)) return
  throw parameterError(
    'sort-order must be desc here: the service lists vertices without heights with the newest first only.',
    'Leave sort-order out, or give from-height: heights are read from the lowest on.',
  )
}

function byHeight(values: Values): boolean {
  return values['from-height'] !== undefined || values['to-height'] !== undefined
}

function latestWalk(values: Values, chain: JobChain): ListWalk {
  const query = { pageSize: values['page-size'] }
  const list = listOf(verticesRoute, chain.parts, query, verticesList(chain))
  return { kind: 'pageChain', list, trailing: values['trailing-seconds'] ?? defaultTrailing }
}

function heightWalk(values: Values, chain: JobChain): ListWalk {
  return {
    kind: 'heightRange',
    from: values['from-height'] ?? 0,
    to: values['to-height'] ?? null,
    head: {
      request: requestOf(verticesRoute, chain.parts, { pageSize: 1 }),
      decode: newestVertexHeight(chain),
    },
    list: (heights) =>
      listOf(
        verticesByHeightRoute,
        chain.parts,
        { vertexHeight: heights.from, pageSize: values['page-size'], sortOrder: values['sort-order'] },
        verticesList(chain),
        { range: { column: 'height', holds: 'numbers', slice: heights, margin: { before: 0, after: 0 } } },
      ),
    trailing: 0,
    ahead: 0,
    first: heightsAtOnce,
  }
}

/** One request per height. */
const heightsAtOnce = 100
