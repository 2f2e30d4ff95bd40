import type { Dialect } from '../../../index/methods.ts'
import { chainTexts, nativeAssetText } from '../../../network/genesis.ts'
import { rewardOf } from '../../../p/transactions/staking.ts'
import { ServiceError } from '../../plumbing/error.ts'
import { listRoute, type ServiceRoute, totalsOf } from '../../plumbing/route.ts'
import { choice, commaList, nodeId } from '../../plumbing/rules.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { Reward, Stake } from '../ledger/model.ts'
import { type Assets, assetAmount } from './assets.ts'
import { inOrder, mostAddresses, primaryAddress, sortOrders } from './lists.ts'

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

const currencies = [
  'usd',
  'eur',
  'aud',
  'cad',
  'chf',
  'clp',
  'cny',
  'czk',
  'dkk',
  'gbp',
  'hkd',
  'huf',
  'jpy',
  'nzd',
] as const
type Currency = (typeof currencies)[number]

/** A paid reward (specification 2.9). Only the native asset has a price. */
function rewardShape(assets: Assets, { utxo, stake, tx }: Reward, currency: Currency, dialect: Dialect): object {
  const amount = assetAmount(assets, utxo)
  const price = priceAt(tx.place.time, currency)
  const historicalPrice = { currencyCode: currency, value: dialect === 'spec' ? String(price) : price }
  return {
    addresses: utxo.owner.addresses,
    txHash: utxo.txId,
    amountStaked: stake.amount.toString(),
    nodeId: stake.nodeId,
    startTimestamp: stake.tx.place.time,
    endTimestamp: stake.end,
    rewardType: utxo.rewardType,
    utxoId: utxo.id,
    outputIndex: utxo.index,
    reward: utxo.asset === nativeAssetText ? { ...amount, historicalPrice } : amount,
    rewardTxHash: tx.txId,
  }
}

/** Hundredths of the currency per US dollar. */
const rates: Readonly<Record<Currency, number>> = {
  usd: 100,
  eur: 92,
  aud: 152,
  cad: 137,
  chf: 88,
  clp: 93_500,
  cny: 718,
  czk: 2_310,
  dkk: 688,
  gbp: 79,
  hkd: 781,
  huf: 36_000,
  jpy: 15_100,
  nzd: 166,
}

/** The price of the day in the currency: 15 to 25 US dollars, converted; `time` in Unix seconds. */
function priceAt(time: number, currency: Currency): number {
  const cents = 1_500 + ((Math.floor(time / 86_400) * 37) % 1_000)
  return Math.round((cents * rates[currency]) / 100) / 100
}

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
        gross_reward: (delegation) => (delegation.status === 'completed' ? delegationRewards(delegation).gross : null),
        estimated_net_reward: (delegation) =>
          delegation.status === 'completed' ? null : delegationRewards(delegation).net,
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
function delegationRewards({ stake, status }: Delegation): { readonly gross: bigint; readonly net: bigint } {
  const isPaid = stake.rewards.some(({ rewardType }) => rewardType === 'DELEGATOR')
  if (status === 'completed' && !isPaid) return { gross: 0n, net: 0n }
  const gross = rewardOf(stake)
  return { gross, net: gross - (gross * BigInt(stake.validator?.shares ?? 0)) / 1_000_000n }
}

function delegatorShape(delegation: Delegation): object {
  const { stake, status } = delegation
  const { gross, net } = delegationRewards(delegation)
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
