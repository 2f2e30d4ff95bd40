import { choice, commaList, listRoute, nodeId, type ServiceRoute, text, totalsOf } from '../../plumbing/index.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import { capacityOf, paidAmounts, possibleAmounts, validatorShape } from '../shapes/validator.ts'
import { uptimeOf } from '../uptime.ts'
import { delegatedTo, type Staking, type Validation, validationStatuses, validationsOf } from '../validations.ts'
import { sortOrders } from './lists.ts'
import { mostAddresses } from './readers.ts'

const sortings = ['blockIndex', 'delegationCapacity', 'timeRemaining', 'delegationFee', 'uptimePerformance'] as const

/** Validators with their status. Statuses change, so all pages show those of the first page. */
export function validatorRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v1/networks/{network}/validators',
    parameters: {
      nodeIds: commaList(nodeId, mostAddresses),
      sortBy: choice(sortings),
      sortOrder: choice(sortOrders),
      validationStatus: choice(validationStatuses),
      subnetId: text({
        read: (given) => (/^[1-9A-HJ-NP-Za-km-z]{32,60}$/.test(given) ? given : null),
        says: 'must be the id of a subnet',
      }),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    totals: async () => ({
      rest_validators: totalsOf(validationsOf(await ledger.state()), {
        staked_amount: ({ amount }) => amount,
        delegated_amount: (validation) => ofDelegations(validation, delegatedTo),
        validation_reward: (validation) => rewardsOf(validation)?.validation ?? null,
        delegation_reward: (validation) => rewardsOf(validation)?.delegation ?? null,
      }),
    }),
    handle: async ({ query: { nodeIds, sortBy = 'blockIndex', sortOrder, validationStatus, subnetId } }) => {
      const all = validationsOf(await ledger.state())
      const nodes = nodeIds && new Set(nodeIds)
      const found = all.filter(
        (each) =>
          (nodes === undefined || nodes.has(each.nodeId)) &&
          (validationStatus === undefined || each.status === validationStatus) &&
          (subnetId === undefined || each.subnetId === subnetId),
      )
      const sorted = found
        .map((validation, order) => ({ validation, value: sortValue(validation, sortBy) ?? order }))
        .sort((a, b) => a.value - b.value)
      const total = stakeOfSubnets(all)
      const rows = sorted.map(({ validation }) => validatorShape(validation, total))
      return { items: 'validators', rows: sortOrder === 'asc' ? rows : rows.reverse(), pinned: true }
    },
  })
}

function ofDelegations({ status, staking }: Validation, use: (staking: Staking) => bigint): bigint | null {
  return staking === null || status === 'pending' ? null : use(staking)
}

function rewardsOf({ status, staking }: Validation) {
  if (staking === null) return null
  if (status === 'completed') return paidAmounts(staking)
  return status === 'active' ? possibleAmounts(staking) : null
}

/** What a list is sorted by; null for the order of the transactions. */
function sortValue({ txId, amount, end, staking }: Validation, sortBy: (typeof sortings)[number]): number | null {
  if (sortBy === 'timeRemaining') return end
  if (sortBy === 'uptimePerformance') return uptimeOf(txId)
  if (sortBy === 'delegationFee') return staking?.stake.shares ?? 0
  if (sortBy === 'delegationCapacity') return staking === null ? 0 : Number(capacityOf(amount, staking))
  return null
}

/** The stake of all active validators, by subnet. */
function stakeOfSubnets(all: readonly Validation[]): Map<string, bigint> {
  const total = new Map<string, bigint>()
  for (const { status, subnetId, amount } of all)
    if (status === 'active') total.set(subnetId, (total.get(subnetId) ?? 0n) + amount)
  return total
}
