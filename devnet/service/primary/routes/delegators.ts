import { rewardOf } from '../../../p/transactions/rewards.ts'
import { choice, commaList, listRoute, nodeId, type ServiceRoute, totalsOf } from '../../plumbing/index.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { Stake } from '../ledger/model.ts'
import { inOrder, sortOrders } from './lists.ts'
import { mostAddresses, primaryAddress } from './readers.ts'

const statuses = ['completed', 'active', 'pending'] as const
type Delegation = { readonly stake: Stake; readonly status: (typeof statuses)[number] }

/** Delegations with their status. Statuses change, so all pages show those of the first page. */
export function delegatorRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v1/networks/{network}/delegators',
    parameters: {
      nodeIds: commaList(nodeId, mostAddresses),
      rewardAddresses: commaList(primaryAddress, mostAddresses),
      delegationStatus: choice(statuses),
      sortOrder: choice(sortOrders),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    totals: async () => ({
      rest_delegators: totalsOf(delegationsOf(await ledger.state()), {
        delegated_amount: ({ stake }) => stake.amount,
        gross_reward: (delegation) => (delegation.status === 'completed' ? rewardsOf(delegation).gross : null),
        estimated_net_reward: (delegation) => (delegation.status === 'completed' ? null : rewardsOf(delegation).net),
      }),
    }),
    handle: async ({ query: { nodeIds, rewardAddresses, delegationStatus, sortOrder } }) => {
      const found = delegationsOf(await ledger.state()).filter(
        ({ stake, status }) =>
          (nodeIds === undefined || nodeIds.includes(stake.nodeId)) &&
          (rewardAddresses === undefined || stake.rewardOwner.addresses.some((one) => rewardAddresses.includes(one))) &&
          (delegationStatus === undefined || status === delegationStatus),
      )
      return { items: 'delegators', rows: inOrder(found, sortOrder, delegatorShape), pinned: true }
    },
  })
}

/** Every delegation that ever existed, in the order of their transactions. */
function delegationsOf({ stakings, times }: PrimaryState): Delegation[] {
  return [...stakings.values()].flatMap((stake): Delegation[] => {
    if (stake.kind !== 'delegator') return []
    return [{ stake, status: stake.ended !== null ? 'completed' : stake.start > times.P ? 'pending' : 'active' }]
  })
}

/** The reward in the least unit of the asset: before and after the validator's part. Paid ones of a completed delegation. */
function rewardsOf({ stake, status }: Delegation): { readonly gross: bigint; readonly net: bigint } {
  const isPaid = stake.rewards.some(({ rewardType }) => rewardType === 'DELEGATOR')
  if (status === 'completed' && !isPaid) return { gross: 0n, net: 0n }
  const gross = rewardOf(stake)
  return { gross, net: gross - (gross * BigInt(stake.validator?.shares ?? 0)) / 1_000_000n }
}

function delegatorShape(delegation: Delegation): object {
  const { stake, status } = delegation
  const { gross, net } = rewardsOf(delegation)
  const [grossReward, netReward] = [gross.toString(), net.toString()]
  return {
    txHash: stake.tx.txId,
    nodeId: stake.nodeId,
    rewardAddresses: stake.rewardOwner.addresses,
    amountDelegated: stake.amount.toString(),
    delegationFee: String((stake.validator?.shares ?? 0) / 10_000),
    startTimestamp: stake.start,
    endTimestamp: stake.end,
    delegationStatus: status,
    ...(status === 'completed'
      ? { grossReward, netReward }
      : { estimatedGrossReward: grossReward, estimatedNetReward: netReward }),
  }
}
