import { decodeCb58 } from '../../../../codec/ids.ts'
import { chainTexts } from '../../../network/genesis.ts'
import { rewardOf } from '../../../p/transactions/staking.ts'
import { listRoute, type ServiceRoute, totalsOf } from '../../plumbing/route.ts'
import { choice, commaList, idForm, matching, nodeId, text } from '../../plumbing/rules.ts'
import type { PrimaryLedger } from '../ledger/ledger.ts'
import type { Stake, Utxo } from '../ledger/model.ts'
import {
  delegatedTo,
  type Staking,
  uptimeOf,
  type Validation,
  validationStatuses,
  validationsOf,
} from '../validators.ts'
import { mostAddresses, sortOrders } from './lists.ts'

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
      subnetId: text(matching(idForm, 'must be the id of a subnet')),
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

/** A validator as the service lists it, with the fields that its status has. `total`: stake of all active validators by subnet. */
function validatorShape(validation: Validation, total: ReadonlyMap<string, bigint>): object {
  const { txId, nodeId, subnetId, amount, start, end, status, removal, staking } = validation
  return {
    txHash: txId,
    nodeId,
    subnetId,
    amountStaked: amount.toString(),
    ...(staking === null ? {} : stakingFields(staking.stake)),
    startTimestamp: start,
    endTimestamp: end,
    ...(status === 'completed' ? { ...delegationFields(staking), rewards: paidRewards(staking) } : {}),
    ...(status === 'active' ? activeFields(validation, total) : {}),
    ...(removal === null ? {} : { removeTxHash: removal.txId, removeTimestamp: removal.time }),
    validationStatus: status,
  }
}

function stakingFields({ shares, tx }: Stake): object {
  const { bls } = tx.details
  return { delegationFee: String(shares / 10_000), ...(bls === undefined ? {} : { blsCredentials: bls }) }
}

function delegationFields(staking: Staking | null): object {
  if (staking === null) return { delegatorCount: 0 }
  return { delegatorCount: staking.delegations.length, amountDelegated: delegatedTo(staking).toString() }
}

function activeFields(
  { txId, nodeId, subnetId, amount, staking }: Validation,
  total: ReadonlyMap<string, bigint>,
): object {
  // Hundredths of a percent are precise enough for a share.
  const share = Number((amount * 10_000n) / total.get(subnetId)!) / 100
  return {
    stakePercentage: share,
    ...delegationFields(staking),
    uptimePerformance: subnetId === chainTexts.P ? uptimeOf(txId) : 100,
    avalancheGoVersion: 'avalanchego/1.14.2',
    ...(staking === null ? {} : { delegationCapacity: capacityOf(amount, staking).toString() }),
    potentialRewards: possibleRewards(staking),
    validatorHealth: {
      reachabilityPercent: uptimeOf(txId),
      benchedPChainRequestsPercent: 0,
      benchedXChainRequestsPercent: 0,
      benchedCChainRequestsPercent: 0,
    },
    geolocation: locationOf(nodeId),
  }
}

/** Delegations of up to four times the stake are accepted. */
function capacityOf(amount: bigint, staking: Staking): bigint {
  const left = 4n * amount - delegatedTo(staking)
  return left > 0n ? left : 0n
}

/** Rewards that were paid, in the least unit of the staked asset. Without a stake there are none. */
function paidAmounts({ stake, delegations }: Staking): {
  readonly validation: bigint
  readonly delegation: bigint
} {
  const fees = [stake, ...delegations].flatMap(({ rewards }) => rewards.filter(ofType('VALIDATOR_FEE')))
  return { validation: sumOf(stake.rewards.filter(ofType('VALIDATOR'))), delegation: sumOf(fees) }
}

/** Rewards that are paid if the stake and its delegations end as planned. */
function possibleAmounts({ stake, delegations }: Staking): {
  readonly validation: bigint
  readonly delegation: bigint
} {
  const parts = delegations.map((each) => (rewardOf(each) * BigInt(stake.shares)) / 1_000_000n)
  return { validation: rewardOf(stake), delegation: parts.reduce((sum, part) => sum + part, stake.accrued) }
}

function paidRewards(staking: Staking | null): object {
  if (staking === null) return { validationRewardAmount: '0', delegationRewardAmount: '0' }
  const { ended, rewardOwner } = staking.stake
  return {
    ...amountFields(paidAmounts(staking)),
    rewardAddresses: rewardOwner.addresses,
    ...(ended === null ? {} : { rewardTxHash: ended.txId }),
  }
}

function possibleRewards(staking: Staking | null): object {
  if (staking === null) return { validationRewardAmount: '0', delegationRewardAmount: '0' }
  return { ...amountFields(possibleAmounts(staking)), rewardAddresses: staking.stake.rewardOwner.addresses }
}

function amountFields(amounts: { readonly validation: bigint; readonly delegation: bigint }): object {
  return {
    validationRewardAmount: amounts.validation.toString(),
    delegationRewardAmount: amounts.delegation.toString(),
  }
}

function ofType(type: Utxo['rewardType']): (utxo: Utxo) => boolean {
  return ({ rewardType }) => rewardType === type
}

function sumOf(utxos: readonly Utxo[]): bigint {
  return utxos.reduce((sum, { amount }) => sum + amount, 0n)
}

const cities = [
  { city: 'Ashburn', country: 'United States', countryCode: 'US', latitude: 39.0469, longitude: -77.4903 },
  { city: 'Frankfurt am Main', country: 'Germany', countryCode: 'DE', latitude: 50.1169, longitude: 8.6837 },
  { city: 'São Paulo', country: 'Brazil', countryCode: 'BR', latitude: -23.5475, longitude: -46.6361 },
] as const

/** The simulated nodes have no IP addresses, so the id of a node determines its city. */
function locationOf(nodeId: string): object {
  return cities[decodeCb58(nodeId.replace('NodeID-', ''))[0]! % cities.length]!
}
