import { eras, genesisTime, nativeAsset, since, zeroId } from '../network/genesis.ts'
import { createTimeQueue, type TimeQueue } from '../network/heap.ts'
import type { NetworkState } from '../network/state.ts'
import { type CoinDraft, createWallet, type UtxoState, type Wallet } from '../network/wallets.ts'

/** An active stake. */
export type Stake = {
  readonly txId: Uint8Array
  readonly kind: 'validator' | 'delegator' | 'renewed'
  readonly nodeId: Uint8Array
  /** The validated subnet; the empty id is the primary network. */
  readonly subnetId: Uint8Array
  readonly asset: Uint8Array
  readonly amount: bigint
  /** Outputs that are returned at the end, at the indexes from `firstIndex` on. */
  readonly returned: readonly CoinDraft[]
  readonly firstIndex: number
  readonly start: number
  /** Unix seconds. For an auto-renewed validator, the end of its current period. */
  end: number
  readonly rewardWallet: Wallet
  readonly delegationWallet: Wallet
  /** The validator's part of a delegator's reward, in millionths. */
  readonly shares: number
  /** Rewards from delegations, paid when the validation ends (from Cortina on). */
  accrued: bigint
  /** The validation of a delegation; null for validations. */
  readonly validator: Stake | null
  /** Length of a period of an auto-renewed validator in seconds; 0 ends the stake with the current period. */
  period: number
  /** Who may change the configuration of the validator. */
  readonly authority: Wallet
}

export type Subnet = {
  readonly id: Uint8Array
  owner: Wallet
  /** Validators that the owner has added and their ends in Unix seconds. Some are removed earlier. */
  readonly validators: { readonly nodeId: Uint8Array; readonly end: number }[]
  /** The staked asset, once the subnet is transformed. */
  asset: Uint8Array | null
  readonly chainIds: Uint8Array[]
  /** Chain and contract that send messages about validators, once the subnet is an L1. */
  manager: { readonly chainId: Uint8Array; readonly address: Uint8Array } | null
}

export type L1Validator = {
  readonly validationId: Uint8Array
  readonly subnet: Subnet
  balance: bigint
  weight: bigint
  nonce: bigint
  /** The wallet that gets the remaining balance and may disable the validator. */
  readonly wallet: Wallet
}

/** A blockchain that the P-Chain has created. */
export type CreatedChain = {
  readonly id: Uint8Array
  readonly name: string
  readonly subnetId: Uint8Array
  /** Height of the block that contains the transaction. */
  readonly height: number
}

/** Everything that the next P-Chain block depends on. Since Banff, the chain's time and the wall clock are the same. */
export type PState = UtxoState & {
  /** Stakes by their end time. */
  readonly stakes: TimeQueue<Stake>
  /** Validators that accept delegations, unordered. */
  readonly validators: Stake[]
  readonly subnets: Subnet[]
  readonly l1Validators: L1Validator[]
  /** Auto-renewed validators with a configuration that may change. */
  readonly renewed: Stake[]
  /** Every blockchain that has been created so far. */
  readonly chains: CreatedChain[]
}

const coinsPerWallet = 4
/** One million AVAX, in nAVAX. */
const genesisAmount = 1_000_000_000_000_000n

export function createPState(network: NetworkState): PState {
  const wallets = network.holders.map(createWallet)
  for (const wallet of wallets) giveGenesisCoins(wallet)
  return {
    network,
    wallets,
    maturing: createTimeQueue(),
    chainTime: genesisTime,
    stakes: createTimeQueue(),
    validators: [],
    subnets: [],
    l1Validators: [],
    renewed: [],
    chains: [],
  }
}

/** Gives each wallet plain coins. Every third wallet also gets a stakeable lock that ends within the first days. */
function giveGenesisCoins(wallet: Wallet): void {
  const first = wallet.position * (coinsPerWallet + 1)
  const plain = { txId: zeroId, asset: nativeAsset, amount: genesisAmount, wallet, locktime: 0 }
  for (let k = 0; k < coinsPerWallet; k += 1) wallet.coins.push({ ...plain, index: first + k, stakeableLocktime: 0 })
  if (wallet.position % 3 !== 0) return
  const stakeableLocktime = genesisTime + (wallet.position + 1) * 6 * 3600
  wallet.locked.push({ ...plain, index: first + coinsPerWallet, stakeableLocktime })
}

/**
 * Advances the clock by some seconds. When the next era is due, the clock jumps to its time, unless a stake ends earlier: such stakes are
 * ended first. Since Banff, the chain's time equals the clock, which stops at every end of a stake.
 */
export function moveClock(state: PState): void {
  const { network } = state
  const end = state.stakes.firstTime()
  const next = eras[eras.indexOf(network.era) + 1]
  const due = next !== undefined && network.pHeight >= next.from
  const wanted = due ? next.time : network.clock + network.random.between(1, 40)
  const limit = next === undefined || due ? wanted : Math.min(wanted, next.time - 1)
  if (since(network.era, 'banff')) {
    network.clock = Math.max(network.clock, Math.min(limit, end))
    state.chainTime = network.clock
  } else {
    network.clock = Math.max(network.clock, limit)
  }
  if (due && network.clock >= next.time && caughtUp(state, next.time)) network.era = next
}

/** Whether no stake ends before an era begins. Before Banff, proposals make the chain's time follow the clock. */
function caughtUp({ stakes, network, chainTime }: PState, time: number): boolean {
  return stakes.firstTime() > chainTime && (!since(network.era, 'apricot5') || chainTime >= time)
}
