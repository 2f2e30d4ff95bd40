import {
  blockchainReader,
  choice,
  integer,
  listRoute,
  type ServiceRoute,
  text,
  totalsOf,
} from '../../plumbing/index.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import { vertexShape } from '../shapes/block.ts'
import { chainInfo, inOrder, sortOrders } from './lists.ts'

const xOnly = { blockchainId: text(blockchainReader(['X']), { required: true }) }
const pageSize = { default: 10, most: 100 }

/** Vertices of the X-Chain (specification 4.7). A chain that was always linear has none. */
export function vertexRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  return [
    listRoute({
      path: '/v1/networks/{network}/blockchains/{blockchainId}/vertices',
      parts: xOnly,
      parameters: {},
      pageSize,
      cost: 'medium',
      totals: async () => ({ rest_x_vertices: totalsOf((await ledger.state()).vertices) }),
      handle: async ({ parts }) => {
        const { vertices } = await ledger.state()
        const rows = inOrder(vertices, 'desc', vertexShape)
        return { items: 'vertices', rows, extra: chainInfo('X', parts.network) }
      },
    }),
    listRoute({
      path: '/v1/networks/{network}/blockchains/{blockchainId}/vertices:listByHeight',
      parts: xOnly,
      parameters: { vertexHeight: integer({ least: 0, required: true }), sortOrder: choice(sortOrders) },
      pageSize,
      cost: 'medium',
      handle: async ({ parts, query: { vertexHeight, sortOrder } }) => {
        const { vertices } = await ledger.state()
        const found = vertices.filter(({ height }) => height === vertexHeight)
        const rows = inOrder(found, sortOrder, vertexShape)
        return { items: 'vertices', rows, extra: chainInfo('X', parts.network) }
      },
    }),
  ]
}
