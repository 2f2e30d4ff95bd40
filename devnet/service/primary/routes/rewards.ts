import { chainTexts } from '../../../network/genesis.ts'
import { rewardOf } from '../../../p/transactions/rewards.ts'
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
import type { Reward, Stake } from '../ledger/model.ts'
import { assetAmount } from '../shapes/assets.ts'
import { currencies, rewardShape } from '../shapes/reward.ts'
import { inOrder, sortOrders } from './lists.ts'
import { mostAddresses, primaryAddress } from './readers.ts'

/** Rewards: paid ones (specification 4.6), and those of stakes that have not ended. */
export function rewardRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  return [rewardRoute(ledger), pendingRewardRoute(ledger)]
}

function rewardRoute(ledger: PrimaryLedger): ServiceRoute {
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
      mustFilter(addresses, nodeIds)
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

function pendingRewardRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v1/networks/{network}/rewards:listPending',
    parameters: {
      addresses: commaList(primaryAddress, mostAddresses),
      nodeIds: commaList(nodeId, mostAddresses),
      sortOrder: choice(sortOrders),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'xl',
    totals: async () => ({
      rest_pending_rewards: totalsOf(pendingOf(await ledger.state()), {
        staked_amount: ({ amount }) => amount,
        estimated_reward: rewardOf,
      }),
    }),
    handle: async ({ query: { addresses, nodeIds, sortOrder } }) => {
      mustFilter(addresses, nodeIds)
      const state = await ledger.state()
      const found = pendingOf(state).filter(
        ({ rewardOwner, nodeId: node }) =>
          (addresses === undefined || rewardOwner.addresses.some((one) => addresses.includes(one))) &&
          (nodeIds === undefined || nodeIds.includes(node)),
      )
      const shape = (stake: Stake) => pendingRewardShape(state, stake)
      return { items: 'pendingRewards', rows: inOrder(found, sortOrder, shape), pinned: true }
    },
  })
}

/** The service lists the rewards of some owners or nodes only. */
function mustFilter(addresses: unknown, nodeIds: unknown): void {
  if (addresses === undefined && nodeIds === undefined)
    throw ServiceError.of(400, 'At least one of addresses or nodeIds is required')
}

/** Stakes of the Primary Network that have begun and not ended, in the order of their transactions. */
function pendingOf({ stakings, times }: PrimaryState): Stake[] {
  return [...stakings.values()].filter(
    ({ subnetId, ended, start }) => subnetId === chainTexts.P && ended === null && start <= times.P,
  )
}

/** An estimated reward, with the part that the validator of a delegation takes. */
function pendingRewardShape({ book, times }: PrimaryState, stake: Stake): object {
  return {
    addresses: stake.rewardOwner.addresses,
    txHash: stake.tx.txId,
    amountStaked: stake.amount.toString(),
    nodeId: stake.nodeId,
    startTimestamp: stake.start,
    endTimestamp: stake.end,
    rewardType: stake.kind === 'delegator' ? 'DELEGATOR' : 'VALIDATOR',
    progress: Number(((times.P - stake.start) / (stake.end - stake.start)).toFixed(4)),
    estimatedReward: assetAmount(book.assets, { asset: stake.asset, amount: rewardOf(stake) }),
  }
}
