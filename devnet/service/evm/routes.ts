import { listRoute, type ServiceRoute, totalsOf } from '../plumbing/route.ts'
import { balanceRoutes, holderRoute } from './balances.ts'
import { icmRoute } from './icm.ts'
import { blockItem } from './items.ts'
import type { EvmLedger } from './state.ts'
import { transferRoutes } from './transfers.ts'

/** Routes for the EVM ledger: blocks, transfers, ICM messages, balances and holders. */
export function evmRoutes(ledger: EvmLedger): ServiceRoute[] {
  return [
    blockRoute(ledger),
    ...transferRoutes(ledger),
    icmRoute(ledger),
    ...balanceRoutes(ledger),
    holderRoute(ledger),
  ]
}

/** Blocks of the chain (specification 000, 4.8), newest first. */
function blockRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v1/chains/{chainId}/blocks',
    parameters: {},
    pageSize: { default: 10, most: 100 },
    cost: 'small',
    totals: async () => ({
      rest_evm_blocks: totalsOf((await ledger.atHead()).blocks, {
        transaction_count: ({ txCount }) => BigInt(txCount),
        gas_used: ({ gasUsed }) => gasUsed,
        gas_limit: ({ gasLimit }) => gasLimit,
        base_fee_per_gas: ({ baseFee }) => baseFee,
        block_gas_cost: ({ gasCost }) => gasCost,
        fees_spent: ({ feesSpent }) => feesSpent,
      }),
    }),
    handle: async ({ settings: { dialect } }) => {
      const { blocks } = await ledger.atHead()
      const count = blocks.length
      return { items: 'blocks', rows: { count, at: (index) => blockItem(blocks[count - 1 - index]!, dialect) } }
    },
  })
}
