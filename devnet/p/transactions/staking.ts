import type { POutputValue } from '../../../codec/p.ts'
import { nativeAsset, since, zeroId } from '../../network/genesis.ts'
import {
  addCoin,
  type Coin,
  type CoinDraft,
  plainDraft,
  produce,
  signersOf,
  someWallet,
  takeAt,
  type Wallet,
} from '../../network/wallets.ts'
import { type BuiltTx, built, type Funded, fund, outputOf, ownerOf, signedAlso, type TxKind } from '../funding.ts'
import type { PState, Stake } from '../state.ts'

/** The part of a staking transaction that locks the stake. */
type FundedStake = {
  readonly funded: Funded
  readonly stake: readonly POutputValue[]
  readonly returned: readonly CoinDraft[]
}

/** Funds a stake of the native asset, sometimes from a coin that is locked for everything except staking. */
function fundStake(state: PState, wallet: Wallet, amount: bigint): FundedStake | null {
  const locked = wallet.locked.findIndex((coin) => coin.amount > amount && coin.stakeableLocktime > state.chainTime)
  if (locked >= 0 && !state.network.random.oneIn(3))
    return stakeLocked(state, wallet, takeAt(wallet.locked, locked), amount)
  const funded = fund(state, { wallet, spend: amount })
  if (funded === null) return null
  const returned = [plainDraft(wallet, amount)]
  return { funded, stake: returned.map(outputOf), returned }
}

function stakeLocked(state: PState, wallet: Wallet, coin: Coin, amount: bigint): FundedStake | null {
  const { stakeableLocktime } = coin
  const rest = [{ ...plainDraft(wallet, coin.amount - amount), stakeableLocktime }]
  const funded = fund(state, { wallet, also: [coin], rest })
  if (funded === null) {
    wallet.locked.push(coin)
    return null
  }
  const returned = [{ ...plainDraft(wallet, amount), stakeableLocktime }]
  return { funded, stake: returned.map(outputOf), returned }
}

/** Funds a stake of another asset, as transformed subnets have it. */
export function fundForeignStake(state: PState, coins: readonly [Coin, ...Coin[]], amount: bigint): FundedStake | null {
  const { wallet, asset } = coins[0]
  const left = coins.reduce((sum, coin) => sum + coin.amount, 0n) - amount
  const rest = left > 0n ? [plainDraft(wallet, left, asset)] : []
  const funded = fund(state, { wallet, also: coins, rest })
  if (funded === null) return null
  const returned = [plainDraft(wallet, amount, asset)]
  return { funded, stake: returned.map(outputOf), returned }
}

/** The duration of a stake in seconds: between two minutes and a day, short ones more often. */
export function someDuration(state: PState): number {
  return Math.floor(120 * 2 ** (state.network.random.below(9_500) / 1000))
}

type StakeTerms = {
  readonly kind: Stake['kind']
  readonly nodeId: Uint8Array
  readonly subnetId?: Uint8Array
  readonly asset?: Uint8Array
  readonly start: number
  readonly end: number
  readonly rewardWallet: Wallet
  readonly delegationWallet?: Wallet
  readonly shares?: number
  readonly validator?: Stake
  readonly period?: number
  readonly authority?: Wallet
}

/** Applies an accepted staking transaction: its outputs become coins, and the stake runs until its end. */
export function startStake(state: PState, txId: Uint8Array, locked: FundedStake, terms: StakeTerms): Stake {
  produce(state, txId, locked.funded.drafts)
  const stake: Stake = {
    txId,
    subnetId: zeroId,
    asset: nativeAsset,
    delegationWallet: terms.rewardWallet,
    authority: terms.rewardWallet,
    shares: 0,
    amount: locked.returned.reduce((sum, { amount }) => sum + amount, 0n),
    returned: locked.returned,
    firstIndex: locked.funded.drafts.length,
    accrued: 0n,
    period: 0,
    ...terms,
    validator: terms.validator ?? null,
  }
  state.stakes.push(stake.end, stake)
  if (stake.kind !== 'delegator') state.validators.push(stake)
  return stake
}

/** Applies an abort: the outputs and the stake are returned at once. */
export function returnStake(state: PState, txId: Uint8Array, locked: FundedStake): void {
  produce(state, txId, [...locked.funded.drafts, ...locked.returned])
}

const minimumStake = 1_000_000_000_000n

/** The stated times of a stake. Since Durango, the start is the time of acceptance, whatever the transaction states. */
export function someTimes(state: PState): { start: number; end: number; stated: bigint } {
  const start = state.chainTime + (since(state.network.era, 'durango') ? 0 : state.network.random.between(1, 20))
  const end = start + someDuration(state)
  return {
    start,
    end,
    stated: since(state.network.era, 'durango') && state.network.random.oneIn(2) ? 0n : BigInt(start),
  }
}

function someStake(state: PState): bigint {
  return minimumStake * BigInt(state.network.random.between(2, 40)) + BigInt(state.network.random.below(1_000_000_000))
}

/** A validation of the primary network that lasts long enough for a delegation. */
function someValidation(state: PState): Stake | null {
  const { validators } = state
  const { random } = state.network
  for (let tries = 0; tries < 6 && validators.length > 0; tries += 1) {
    const stake = random.pick(validators)
    if (stake.kind === 'validator' && stake.subnetId === zeroId && stake.end - state.chainTime > 400) return stake
  }
  return null
}

type Pieces = { readonly unsignedTx: BuiltTx['unsignedTx']; readonly locked: FundedStake; readonly terms: StakeTerms }

function staking(state: PState, { unsignedTx, locked, terms }: Pieces): BuiltTx {
  return {
    unsignedTx,
    credentials: locked.funded.credentials,
    accept: (txId) => {
      startStake(state, txId, locked, terms)
    },
    abort: (txId) => returnStake(state, txId, locked),
  }
}

function buildValidator(state: PState, permissionless: boolean): BuiltTx | null {
  const wallet = someWallet(state)
  const locked = fundStake(state, wallet, someStake(state))
  if (locked === null) return null
  const { start, end, stated } = someTimes(state)
  const [rewardWallet, delegationWallet] = [someWallet(state), someWallet(state)]
  const nodeId = state.network.random.bytes(20)
  const shares = 20_000 + 10_000 * state.network.random.below(10)
  const weight = locked.returned[0]!.amount
  const validator = { nodeID: nodeId, start: stated, end: BigInt(end), weight }
  const common = { ...locked.funded.base, validator, stake: locked.stake, shares }
  const terms = { kind: 'validator' as const, nodeId, start, end, rewardWallet, shares }
  if (!permissionless) {
    const unsignedTx = { type: 'AddValidatorTx' as const, ...common, rewardsOwner: ownerOf(rewardWallet) }
    return staking(state, { unsignedTx, locked, terms })
  }
  const unsignedTx = {
    type: 'AddPermissionlessValidatorTx' as const,
    ...common,
    subnetID: zeroId,
    signer: someSigner(state),
    validationRewardsOwner: ownerOf(rewardWallet),
    delegationRewardsOwner: ownerOf(delegationWallet),
  }
  return staking(state, { unsignedTx, locked, terms: { ...terms, delegationWallet } })
}

function buildDelegator(state: PState, permissionless: boolean): BuiltTx | null {
  const validation = someValidation(state)
  if (validation === null) return null
  const wallet = someWallet(state)
  const locked = fundStake(state, wallet, someStake(state) / 8n)
  if (locked === null) return null
  const { start, end: wanted, stated } = someTimes(state)
  // The delegation ends before its validation, so that its part of the reward arrives in time.
  const end = Math.min(wanted, validation.end - 1)
  const rewardWallet = someWallet(state)
  const { nodeId } = validation
  const validator = { nodeID: nodeId, start: stated, end: BigInt(end), weight: locked.returned[0]!.amount }
  const common = { ...locked.funded.base, validator, stake: locked.stake, rewardsOwner: ownerOf(rewardWallet) }
  const unsignedTx = permissionless
    ? { type: 'AddPermissionlessDelegatorTx' as const, ...common, subnetID: zeroId }
    : { type: 'AddDelegatorTx' as const, ...common }
  const terms = { kind: 'delegator' as const, nodeId, start, end, rewardWallet, validator: validation }
  return staking(state, { unsignedTx, locked, terms })
}

/** A BLS public key with its proof: random bytes of the right length, which the simulated network does not verify. */
export function someSigner(state: PState) {
  const proof = { publicKey: state.network.noise(48), proofOfPossession: state.network.noise(96) }
  return { type: 'signer.ProofOfPossession' as const, ...proof }
}

export const stakingKinds: readonly TxKind[] = [
  { type: 'AddValidatorTx', since: 'apricot', until: 'durango', weight: 4, build: (s) => buildValidator(s, false) },
  { type: 'AddDelegatorTx', since: 'apricot', until: 'durango', weight: 5, build: (s) => buildDelegator(s, false) },
  { type: 'AddPermissionlessValidatorTx', since: 'banff', weight: 4, build: (s) => buildValidator(s, true) },
  { type: 'AddPermissionlessDelegatorTx', since: 'banff', weight: 7, build: (s) => buildDelegator(s, true) },
]

const whole = 1_000_000
const mostRenewed = 48

/** Adds a validator with a stake that is renewed at the end of every period. */
const addAutoRenewedValidatorTx: TxKind = {
  type: 'AddAutoRenewedValidatorTx',
  since: 'helicon',
  weight: 1,
  build: (state) => {
    if (state.renewed.length >= mostRenewed) return null
    const wallet = someWallet(state)
    const locked = fundStake(state, wallet, 2_000_000_000_000n * BigInt(state.network.random.between(1, 20)))
    if (locked === null) return null
    const [rewardWallet, delegationWallet, authority] = [someWallet(state), someWallet(state), someWallet(state)]
    const nodeId = state.network.random.bytes(20)
    const period = someDuration(state)
    const start = state.chainTime
    const shares = 20_000 + 10_000 * state.network.random.below(10)
    const terms = {
      kind: 'renewed' as const,
      nodeId,
      start,
      end: start + period,
      rewardWallet,
      delegationWallet,
      shares,
    }
    return {
      unsignedTx: {
        type: 'AddAutoRenewedValidatorTx',
        ...locked.funded.base,
        nodeID: nodeId,
        signer: someSigner(state),
        stake: locked.stake,
        validationRewardsOwner: ownerOf(rewardWallet),
        delegationRewardsOwner: ownerOf(delegationWallet),
        validatorAuthority: ownerOf(authority),
        delegationShares: shares,
        autoCompoundRewardShares: whole,
        period: BigInt(period),
      },
      credentials: locked.funded.credentials,
      accept: (txId) => {
        const stake = startStake(state, txId, locked, { ...terms, subnetId: zeroId, period, authority })
        state.renewed.push(stake)
      },
    }
  },
}

/** Sets the length of the next periods. With 0, the current period is the last one. */
const setAutoRenewedValidatorConfigTx: TxKind = {
  type: 'SetAutoRenewedValidatorConfigTx',
  since: 'helicon',
  weight: 2,
  build: (state) => {
    const running = state.renewed.filter(({ period }) => period > 0)
    const funded = running.length === 0 ? null : fund(state, { wallet: someWallet(state) })
    if (funded === null) return null
    const stake = state.network.random.pick(running)
    const period = state.network.random.oneIn(2) ? 0 : someDuration(state)
    return built(
      state,
      signedAlso(state, funded, stake.authority),
      {
        type: 'SetAutoRenewedValidatorConfigTx',
        txID: stake.txId,
        auth: { type: 'secp256k1fx.Input', signatureIndices: signersOf(stake.authority) },
        autoCompoundRewardShares: whole,
        period: BigInt(period),
      },
      () => {
        stake.period = period
      },
    )
  },
}

export const renewedKinds: readonly TxKind[] = [addAutoRenewedValidatorTx, setAutoRenewedValidatorConfigTx]

/** The proposal that ends a stake, or a period of an auto-renewed stake. */
export function rewardTx(state: PState, stake: Stake): BuiltTx {
  if (stake.kind === 'renewed') {
    return {
      unsignedTx: { type: 'RewardAutoRenewedValidatorTx', txID: stake.txId, timestamp: BigInt(stake.end) },
      credentials: [],
      accept: () => renew(state, stake),
      abort: () => endStake(state, stake, 0n),
    }
  }
  return {
    unsignedTx: { type: 'RewardValidatorTx', txID: stake.txId },
    credentials: [],
    accept: () => endStake(state, stake, rewardOf(stake)),
    abort: () => endStake(state, stake, 0n),
  }
}

/** A tenth of the stake per year, plus 1 smallest unit of the staked asset. Times are in Unix seconds. */
export function rewardOf({ amount, start, end }: Pick<Stake, 'amount' | 'start' | 'end'>): bigint {
  return (amount * BigInt(end - start)) / 315_360_000n + 1n
}

/** The reward stays in the stake: nothing is paid while the stake continues. */
function renew(state: PState, stake: Stake): void {
  if (stake.period === 0) {
    endStake(state, stake, rewardOf(stake))
    return
  }
  stake.end += stake.period
  state.stakes.push(stake.end, stake)
}

/**
 * Returns the stake at the indexes after the outputs of its transaction, then pays the reward (wire-format.md 1.7). A validator gets its
 * part of a delegation's reward immediately before Cortina, and at the end of the validation since then. An abort also pays that accrued
 * part, in the position of the reward.
 */
function endStake(state: PState, stake: Stake, reward: bigint): void {
  produce(state, stake.txId, stake.returned, stake.firstIndex)
  let index = stake.firstIndex + stake.returned.length
  const pay = (draft: CoinDraft): void => {
    if (draft.amount > 0n) addCoin(state, { ...draft, txId: stake.txId, index: index++ })
  }
  const { validator, asset } = stake
  const part = validator === null ? 0n : (reward * BigInt(validator.shares)) / 1_000_000n
  pay(plainDraft(stake.rewardWallet, reward - part, asset))
  if (validator !== null && since(state.network.era, 'cortina')) validator.accrued += part
  else if (validator !== null) pay(plainDraft(validator.delegationWallet, part, asset))
  else pay(plainDraft(stake.delegationWallet, stake.accrued, asset))
  forget(state.validators, stake)
  forget(state.renewed, stake)
}

function forget(stakes: Stake[], stake: Stake): void {
  const at = stakes.indexOf(stake)
  if (at >= 0) takeAt(stakes, at)
}
