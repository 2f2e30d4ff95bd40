import {
  choice,
  commaList,
  listRoute,
  nodeId,
  ServiceError,
  type ServiceRoute,
  totalsOf,
} from '../../plumbing/index.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { Reward } from '../ledger/model.ts'
import { currencies, rewardShape } from '../shapes/reward.ts'
import { inOrder, sortOrders } from './lists.ts'
import { mostAddresses, primaryAddress } from './readers.ts'

/** Paid rewards (specification 4.6). */
export function rewardRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v1/networks/{network}/rewards',
    parameters: {
      addresses: commaList(primaryAddress, mostAddresses),
      nodeIds: commaList(nodeId, mostAddresses),
      sortOrder: choice(sortOrders),
      currency: choice(currencies),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'xl',
    totals: async () => ({
      rest_rewards: totalsOf((await ledger.state()).rewards, {
        amount: ({ utxo }) => utxo.amount,
        staked_amount: ({ stake }) => stake.amount,
      }),
    }),
    handle: async ({ query: { addresses, nodeIds, sortOrder, currency = 'usd' }, settings }) => {
      if (addresses === undefined && nodeIds === undefined)
        throw ServiceError.of(400, 'At least one of addresses or nodeIds is required')
      const state = await ledger.state()
      const { assets } = state.book
      const list = rewardsOf(state, addresses, nodeIds)
      const shape = (reward: Reward) => rewardShape(assets, reward, currency, settings.dialect)
      return { items: 'historicalRewards', rows: inOrder(list, sortOrder, shape) }
    },
  })
}

/** Rewards of these addresses and these nodes; if both are given, a reward must match both. Oldest first. */
function rewardsOf(
  { rewards }: PrimaryState,
  addresses: readonly string[] | undefined,
  nodeIds: readonly string[] | undefined,
): readonly Reward[] {
  const owners = addresses && new Set(addresses)
  const nodes = nodeIds && new Set(nodeIds)
  return rewards.filter(({ utxo, stake }) => {
    const owned = owners === undefined || utxo.owner.addresses.some((address) => owners.has(address))
    return owned && (nodes === undefined || nodes.has(stake.nodeId))
  })
}
