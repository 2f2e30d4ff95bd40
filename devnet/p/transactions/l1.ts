import { sha256 } from '../../../codec/hash.ts'
import { convertedValidationId } from '../../../codec/ids.ts'
import { type L1Message, l1Message, warpMessage, warpPayload } from '../../../codec/warp.ts'
import { encodeNow } from '../../network/container.ts'
import { networkId } from '../../network/genesis.ts'
import { addCoin, plainDraft, signersOf, someWallet, takeAt, type Wallet } from '../../network/wallets.ts'
import { built, fund, signedAlso, type TxKind } from '../funding.ts'
import type { L1Validator, PState, Subnet } from '../state.ts'
import { someSigner } from './staking.ts'
import { authorize, someSubnet } from './subnets.ts'

/** Converts a subnet to an L1 with its first validators. */
export const convertSubnetToL1Tx: TxKind = {
  type: 'ConvertSubnetToL1Tx',
  since: 'etna',
  weight: 1,
  build: (state) => {
    const subnet = someSubnet(state, ({ manager, asset, chainIds }) => {
      return manager === null && asset === null && chainIds.length > 0
    })
    if (subnet === null) return null
    const wallets = Array.from({ length: state.network.random.between(1, 4) }, () => someWallet(state))
    const validators = wallets.map((wallet) => ({
      nodeID: someNodeId(state),
      weight: BigInt(state.network.random.between(1, 1_000)),
      balance: someBalance(state),
      signer: someSigner(state),
      remainingBalanceOwner: pChainOwner(wallet),
      deactivationOwner: pChainOwner(wallet),
    }))
    // A node requires the validators in the order of their node ids.
    validators.sort((a, b) => Buffer.compare(a.nodeID, b.nodeID))
    const spend = validators.reduce((sum, { balance }) => sum + balance, 0n)
    const funded = fund(state, { wallet: someWallet(state), spend })
    if (funded === null) return null
    const manager = { chainId: state.network.random.pick(subnet.chainIds), address: state.network.random.bytes(20) }
    const { authorized, subnetAuthorization } = authorize(state, funded, subnet)
    return built(
      state,
      authorized,
      {
        type: 'ConvertSubnetToL1Tx',
        subnetID: subnet.id,
        chainID: manager.chainId,
        address: manager.address,
        validators,
        subnetAuthorization,
      },
      () => {
        subnet.manager = manager
        validators.forEach(({ balance, weight, deactivationOwner }, position) => {
          const wallet = wallets.find(({ addresses }) => addresses === deactivationOwner.addresses)!
          const validationId = convertedValidationId(subnet.id, position)
          keep(state, { validationId, subnet, balance, weight, nonce: 0n, wallet })
        })
      },
    )
  },
}

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
    return built(state, funded, { type: 'RegisterL1ValidatorTx', balance, proofOfPossession, message }, () => {
      keep(state, { validationId: sha256(payload), subnet, balance, weight, nonce: 0n, wallet })
    })
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
    return built(state, funded, { type: 'SetL1ValidatorWeightTx', message }, (txId) => {
      validator.weight = weight
      validator.nonce += 1n
      if (weight > 0n) return
      forget(state, validator)
      refund(state, txId, funded.drafts.length, validator)
    })
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
    return built(state, funded, { type: 'IncreaseL1ValidatorBalanceTx', validationID: validationId, balance }, () => {
      validator.balance += balance
    })
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
    return built(
      state,
      signedAlso(state, funded, wallet),
      { type: 'DisableL1ValidatorTx', validationID: validationId, disableAuthorization },
      (txId) => {
        forget(state, validator)
        refund(state, txId, funded.drafts.length, validator)
      },
    )
  },
}

export const l1Kinds: readonly TxKind[] = [
  registerL1ValidatorTx,
  setL1ValidatorWeightTx,
  increaseL1ValidatorBalanceTx,
  disableL1ValidatorTx,
]

const mostValidators = 256

/** Node ids of an L1 are bytes of any length. Most are as long as those of the primary network. */
function someNodeId(state: PState): Uint8Array {
  return state.network.random.bytes(state.network.random.oneIn(10) ? 32 : 20)
}

function someBalance(state: PState): bigint {
  return 1_000_000_000n * BigInt(state.network.random.between(1, 20))
}

function pChainOwner({ threshold, addresses }: Wallet) {
  return { threshold, addresses }
}

/** Tracks a validator. If there are too many, another validator is no longer tracked and never ends. */
function keep(state: PState, validator: L1Validator): void {
  if (state.l1Validators.length >= mostValidators)
    takeAt(state.l1Validators, state.network.random.below(mostValidators))
  state.l1Validators.push(validator)
}

/** The bytes of a message that the manager of an L1 sends about its validators. */
function l1MessageBytes(message: L1Message): Uint8Array {
  return encodeNow(l1Message, message)
}

/** A signed warp message of the L1's manager. The signature only has the right length. */
function signedByManager(state: PState, subnet: Subnet, payload: Uint8Array): Uint8Array {
  const manager = subnet.manager
  if (manager === null) throw new RangeError('a subnet without a manager sends no messages')
  const call = encodeNow(warpPayload, { type: 'warp.AddressedCall', sourceAddress: manager.address, payload })
  return encodeNow(warpMessage, {
    networkID: networkId,
    sourceChainID: manager.chainId,
    payload: call,
    signature: { type: 'warp.BitSetSignature', signers: Uint8Array.of(0x1f), signature: state.network.noise(96) },
  })
}
