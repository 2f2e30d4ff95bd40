import { zeroId } from '../../network/genesis.ts'
import { signersOf } from '../../utxo/coins.ts'
import { produce } from '../../utxo/funding.ts'
import { someWallet } from '../../utxo/state.ts'
import { ownerOf } from '../coins.ts'
import { credentialOf, fund } from '../funding.ts'
import type { TxKind } from './kind.ts'
import { fundStake, someDuration, startStake } from './stakes.ts'
import { someSigner } from './staking.ts'

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
    return {
      unsignedTx: {
        type: 'SetAutoRenewedValidatorConfigTx',
        ...funded.base,
        txID: stake.txId,
        auth: { type: 'secp256k1fx.Input', signatureIndices: signersOf(stake.authority) },
        autoCompoundRewardShares: whole,
        period: BigInt(period),
      },
      credentials: [...funded.credentials, credentialOf(state, stake.authority)],
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        stake.period = period
      },
    }
  },
}

export const renewedKinds: readonly TxKind[] = [addAutoRenewedValidatorTx, setAutoRenewedValidatorConfigTx]
