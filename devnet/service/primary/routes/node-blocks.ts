import { between, integer, listRoute, type ServiceRoute, totalsOf } from '../../plumbing/index.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import { proposedBlockShape } from '../shapes/block.ts'
import { chainInfo, inOrder } from './lists.ts'

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
