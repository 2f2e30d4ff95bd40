import { sha256 } from '../../../codec/hash.ts'
import { signersOf } from '../../utxo/coins.ts'
import { addCoin, plainDraft, produce, takeAt } from '../../utxo/funding.ts'
import { someWallet } from '../../utxo/state.ts'
import { credentialOf, fund } from '../funding.ts'
import type { L1Validator } from '../registry.ts'
import type { PState } from '../state.ts'
import type { TxKind } from './kind.ts'
import { keep, pChainOwner, someBalance, someNodeId } from './l1-validators.ts'
import { someSigner } from './staking.ts'
import { someSubnet } from './subnets.ts'
import { l1MessageBytes, signedByManager } from './warp.ts'

const registerL1ValidatorTx: TxKind = {
  type: 'RegisterL1ValidatorTx',
  since: 'etna',
  weight: 2,
  build: (state) => {
    const subnet = someSubnet(state, ({ manager }) => manager !== null)
    const balance = someBalance(state)
    const funded = subnet === null ? null : fund(state, { wallet: someWallet(state), spend: balance })
    if (subnet === null || funded === null) return null
    const wallet = someWallet(state)
    const weight = BigInt(state.network.random.between(1, 1_000))
    const { publicKey, proofOfPossession } = someSigner(state)
    const payload = l1MessageBytes({
      type: 'warp.RegisterL1Validator',
      subnetID: subnet.id,
      nodeID: someNodeId(state),
      blsPublicKey: publicKey,
      expiry: BigInt(state.chainTime + state.network.random.between(600, 86_400)),
      remainingBalanceOwner: pChainOwner(wallet),
      disableOwner: pChainOwner(wallet),
      weight,
    })
    const message = signedByManager(state, subnet, payload)
    return {
      unsignedTx: { type: 'RegisterL1ValidatorTx', ...funded.base, balance, proofOfPossession, message },
      credentials: funded.credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        keep(state, { validationId: sha256(payload), subnet, balance, weight, nonce: 0n, wallet })
      },
    }
  },
}

/** Sets a new weight. Weight 0 ends the validation and returns the remaining balance. */
const setL1ValidatorWeightTx: TxKind = {
  type: 'SetL1ValidatorWeightTx',
  since: 'etna',
  weight: 2,
  build: (state) => {
    if (state.l1Validators.length === 0) return null
    const at = state.network.random.below(state.l1Validators.length)
    const validator = state.l1Validators[at]!
    const funded = fund(state, { wallet: someWallet(state) })
    if (funded === null) return null
    const weight = state.network.random.oneIn(4) ? 0n : BigInt(state.network.random.between(1, 1_000))
    const { validationId, nonce, subnet } = validator
    const payload = l1MessageBytes({ type: 'warp.L1ValidatorWeight', validationID: validationId, nonce, weight })
    const message = signedByManager(state, subnet, payload)
    return {
      unsignedTx: { type: 'SetL1ValidatorWeightTx', ...funded.base, message },
      credentials: funded.credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        validator.weight = weight
        validator.nonce += 1n
        if (weight > 0n) return
        forget(state, validator)
        refund(state, txId, funded.drafts.length, validator)
      },
    }
  },
}

function forget(state: PState, validator: L1Validator): void {
  const at = state.l1Validators.indexOf(validator)
  if (at >= 0) takeAt(state.l1Validators, at)
}

/** Returns the remaining balance as an output after the ordinary ones. */
function refund(state: PState, txId: Uint8Array, index: number, { wallet, balance }: L1Validator): void {
  addCoin(state, { ...plainDraft(wallet, refundOf(balance, txId)), txId, index })
}

/**
 * The remaining balance: between a tenth and nearly all of it; the rest was paid as fees. The id determines it, so that readers of the
 * chain can compute it.
 */
export function refundOf(balance: bigint, txId: Uint8Array): bigint {
  return (balance * BigInt(100 + (((txId[0]! << 8) | txId[1]!) % 900))) / 1000n
}

const increaseL1ValidatorBalanceTx: TxKind = {
  type: 'IncreaseL1ValidatorBalanceTx',
  since: 'etna',
  weight: 2,
  build: (state) => {
    if (state.l1Validators.length === 0) return null
    const validator = state.network.random.pick(state.l1Validators)
    const balance = someBalance(state)
    const funded = fund(state, { wallet: someWallet(state), spend: balance })
    if (funded === null) return null
    const { validationId } = validator
    return {
      unsignedTx: { type: 'IncreaseL1ValidatorBalanceTx', ...funded.base, validationID: validationId, balance },
      credentials: funded.credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        validator.balance += balance
      },
    }
  },
}

const disableL1ValidatorTx: TxKind = {
  type: 'DisableL1ValidatorTx',
  since: 'etna',
  weight: 1,
  build: (state) => {
    if (state.l1Validators.length === 0) return null
    const validator = state.network.random.pick(state.l1Validators)
    const funded = fund(state, { wallet: someWallet(state) })
    if (funded === null) return null
    const { validationId, wallet } = validator
    const disableAuthorization = { type: 'secp256k1fx.Input' as const, signatureIndices: signersOf(wallet) }
    return {
      unsignedTx: { type: 'DisableL1ValidatorTx', ...funded.base, validationID: validationId, disableAuthorization },
      credentials: [...funded.credentials, credentialOf(state, wallet)],
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        forget(state, validator)
        refund(state, txId, funded.drafts.length, validator)
      },
    }
  },
}

export const l1Kinds: readonly TxKind[] = [
  registerL1ValidatorTx,
  setL1ValidatorWeightTx,
  increaseL1ValidatorBalanceTx,
  disableL1ValidatorTx,
]
