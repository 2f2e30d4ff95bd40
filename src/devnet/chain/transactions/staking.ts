import { ownerOf } from '../coins.ts'
import { since } from '../eras.ts'
import type { BuiltTx } from '../funding.ts'
import { zeroId } from '../genesis.ts'
import type { Stake } from '../registry.ts'
import type { ChainState } from '../state.ts'
import { someWallet, type TxKind } from './kind.ts'
import { type FundedStake, fundStake, returnStake, type StakeTerms, someDuration, startStake } from './stakes.ts'

const minimumStake = 1_000_000_000_000n

/** The stated times of a stake; since Durango the start counts from acceptance, whatever is stated. */
export function someTimes(state: ChainState): { start: number; end: number; stated: bigint } {
  const start = state.chainTime + (since(state.era, 'durango') ? 0 : state.random.between(1, 20))
  const end = start + someDuration(state)
  return { start, end, stated: since(state.era, 'durango') && state.random.oneIn(2) ? 0n : BigInt(start) }
}

function someStake(state: ChainState): bigint {
  return minimumStake * BigInt(state.random.between(2, 40)) + BigInt(state.random.below(1_000_000_000))
}

/** A validation of the primary network that lasts long enough to be delegated to. */
function someValidation(state: ChainState): Stake | null {
  const { validators, random } = state
  for (let tries = 0; tries < 6 && validators.length > 0; tries += 1) {
    const stake = random.pick(validators)
    if (stake.kind === 'validator' && stake.subnetId === zeroId && stake.end - state.chainTime > 400) return stake
  }
  return null
}

type Pieces = { readonly unsignedTx: BuiltTx['unsignedTx']; readonly locked: FundedStake; readonly terms: StakeTerms }

function staking(state: ChainState, { unsignedTx, locked, terms }: Pieces): BuiltTx {
  return {
    unsignedTx,
    credentials: locked.funded.credentials,
    accept: (txId) => {
      startStake(state, txId, locked, terms)
    },
    abort: (txId) => returnStake(state, txId, locked),
  }
}

function buildValidator(state: ChainState, permissionless: boolean): BuiltTx | null {
  const wallet = someWallet(state)
  const locked = fundStake(state, wallet, someStake(state))
  if (locked === null) return null
  const { start, end, stated } = someTimes(state)
  const [rewardWallet, delegationWallet] = [someWallet(state), someWallet(state)]
  const nodeId = state.random.bytes(20)
  const shares = 20_000 + 10_000 * state.random.below(10)
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

function buildDelegator(state: ChainState, permissionless: boolean): BuiltTx | null {
  const validation = someValidation(state)
  if (validation === null) return null
  const wallet = someWallet(state)
  const locked = fundStake(state, wallet, someStake(state) / 8n)
  if (locked === null) return null
  const { start, end: wanted, stated } = someTimes(state)
  // Before its validation does, so that its part of the reward arrives in time.
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

/** A BLS public key with its proof: bytes of the right length, nobody verifies them here. */
export function someSigner(state: ChainState) {
  const proof = { publicKey: state.noise(48), proofOfPossession: state.noise(96) }
  return { type: 'signer.ProofOfPossession' as const, ...proof }
}

export const stakingKinds: readonly TxKind[] = [
  { type: 'AddValidatorTx', since: 'apricot', until: 'durango', weight: 4, build: (s) => buildValidator(s, false) },
  { type: 'AddDelegatorTx', since: 'apricot', until: 'durango', weight: 5, build: (s) => buildDelegator(s, false) },
  { type: 'AddPermissionlessValidatorTx', since: 'banff', weight: 4, build: (s) => buildValidator(s, true) },
  { type: 'AddPermissionlessDelegatorTx', since: 'banff', weight: 7, build: (s) => buildDelegator(s, true) },
]
