import { between, listRoute, type ServiceRoute, totalsOf } from '../../plumbing/route.ts'
import { blockchainReader, choice, integer, required, text } from '../../plumbing/rules.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import type { ProposedBlock, Vertex } from '../ledger/model.ts'
import { chainInfo, inOrder, sortOrders } from './lists.ts'

/** Blocks of the P-Chain and the X-Chain that a node has proposed (specification 4.8). The node has signed their wrappers. */
export function nodeBlockRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks',
    parameters: { startTimestamp: integer({ least: 0 }), endTimestamp: integer({ least: 0 }) },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    totals: async () => ({
      rest_node_blocks: totalsOf((await ledger.state()).proposed, {
        l1_validators_accrued_fees: ({ state }) => state?.l1Fees ?? null,
        current_supply: ({ state }) => state?.supply ?? null,
      }),
    }),
    handle: async ({ parts, query: { startTimestamp, endTimestamp }, settings }) => {
      const { proposed } = await ledger.state()
      const within = between(settings, startTimestamp, endTimestamp)
      const found = proposed.filter(({ chain, proposer, place }) => {
        return chain === parts.blockchainId && proposer.nodeId === parts.nodeId && within(place.time)
      })
      const rows = inOrder(found, 'desc', proposedBlockShape)
      return { items: 'blocks', rows, extra: chainInfo(parts.blockchainId, parts.network) }
    },
  })
}

const xOnly = { blockchainId: text(blockchainReader(['X'])) }
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
      parameters: { vertexHeight: required(integer({ least: 0 })), sortOrder: choice(sortOrders) },
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

/** A block of the primary network with its proposer (specification 2.5). */
function proposedBlockShape({ place, parentId, type, txIds, bytes, state, proposer }: ProposedBlock): object {
  return {
    blockNumber: place.height.toString(),
    blockHash: place.blockId,
    parentHash: parentId,
    blockTimestamp: place.time,
    blockType: type,
    txCount: txIds.length,
    transactions: txIds,
    blockSizeBytes: bytes,
    ...(state === null
      ? {}
      : {
          l1ValidatorsAccruedFees: Number(state.l1Fees),
          activeL1Validators: state.l1Validators,
          currentSupply: state.supply.toString(),
        }),
    proposerDetails: {
      proposerId: proposer.containerId,
      proposerParentId: proposer.parentContainerId,
      proposerNodeId: proposer.nodeId,
      proposerPChainHeight: proposer.pHeight,
      proposerTimestamp: proposer.time,
    },
  }
}

/** A vertex of the X-Chain (specification 2.4). */
function vertexShape({ id, parentIds, height, index, time, txIds, bytes }: Vertex): object {
  return {
    vertexHash: id,
    parentHashes: parentIds,
    vertexHeight: height,
    vertexIndex: index,
    vertexTimestamp: time,
    txCount: txIds.length,
    transactions: txIds,
    vertexSizeBytes: bytes,
  }
}
