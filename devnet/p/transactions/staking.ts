import { since } from '../../network/eras.ts'
import { zeroId } from '../../network/genesis.ts'
import { someWallet } from '../../utxo/state.ts'
import { ownerOf } from '../coins.ts'
import type { BuiltTx } from '../funding.ts'
import type { Stake } from '../registry.ts'
import type { PState } from '../state.ts'
import type { TxKind } from './kind.ts'
import { type FundedStake, fundStake, returnStake, type StakeTerms, someDuration, startStake } from './stakes.ts'

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
