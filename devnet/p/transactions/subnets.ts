import { evmVmId, secpFxId } from '../../network/genesis.ts'
import { signersOf } from '../../utxo/coins.ts'
import { produce, takeAt } from '../../utxo/funding.ts'
import { someWallet } from '../../utxo/state.ts'
import { ownerOf } from '../coins.ts'
import { credentialOf, type Funded, fund } from '../funding.ts'
import type { Subnet } from '../registry.ts'
import type { PState } from '../state.ts'
import type { TxKind } from './kind.ts'
import { someDuration } from './stakes.ts'
import { someTimes } from './staking.ts'

/** The maximum number of subnets that stay active. */
const mostSubnets = 64

/** The authorization by the owner of a subnet, and its credential. */
export function authorize(state: PState, funded: Funded, subnet: Subnet) {
  return {
    credentials: [...funded.credentials, credentialOf(state, subnet.owner)],
    subnetAuthorization: { type: 'secp256k1fx.Input' as const, signatureIndices: signersOf(subnet.owner) },
  }
}

/** A subnet that fulfils a condition; null if there is none. */
export function someSubnet(state: PState, suits: (subnet: Subnet) => boolean): Subnet | null {
  const suiting = state.subnets.filter(suits)
  return suiting.length === 0 ? null : state.network.random.pick(suiting)
}

const createSubnetTx: TxKind = {
  type: 'CreateSubnetTx',
  since: 'apricot',
  weight: 2,
  build: (state) => {
    const owner = someWallet(state)
    const funded = fund(state, { wallet: someWallet(state) })
    if (funded === null) return null
    return {
      unsignedTx: { type: 'CreateSubnetTx', ...funded.base, owner: ownerOf(owner) },
      credentials: funded.credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        if (state.subnets.length >= mostSubnets) takeAt(state.subnets, state.network.random.below(mostSubnets))
        state.subnets.push({ id: txId, owner, validators: [], asset: null, chainIds: [], manager: null })
      },
    }
  },
}

const createChainTx: TxKind = {
  type: 'CreateChainTx',
  since: 'apricot',
  weight: 1,
  build: (state) => {
    const subnet = someSubnet(state, ({ manager, chainIds }) => manager === null && chainIds.length < 4)
    const funded = subnet === null ? null : fund(state, { wallet: someWallet(state) })
    if (subnet === null || funded === null) return null
    const chainId = state.network.random.between(1_000, 99_999)
    const name = `chain ${chainId}`
    const genesis = {
      config: { chainId },
      alloc: {},
      gasLimit: '0xe4e1c0',
      timestamp: `0x${state.network.clock.toString(16)}`,
    }
    const { credentials, subnetAuthorization } = authorize(state, funded, subnet)
    return {
      unsignedTx: {
        type: 'CreateChainTx',
        ...funded.base,
        subnetID: subnet.id,
        chainName: name,
        vmID: evmVmId,
        fxIDs: state.network.random.oneIn(3) ? [secpFxId] : [],
        genesisData: new TextEncoder().encode(JSON.stringify(genesis)),
        subnetAuthorization,
      },
      credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        subnet.chainIds.push(txId)
        state.chains.push({ id: txId, name, subnetId: subnet.id, height: state.network.pHeight + 1 })
      },
    }
  },
}

const addSubnetValidatorTx: TxKind = {
  type: 'AddSubnetValidatorTx',
  since: 'apricot',
  weight: 2,
  build: (state) => {
    const subnet = someSubnet(state, ({ manager, asset }) => manager === null && asset === null)
    const validation = state.validators.find(({ end, nodeId }) => {
      const known = subnet?.validators.some((other) => other.nodeId === nodeId) ?? false
      return end > state.chainTime + 600 && !known
    })
    const funded = subnet === null || validation === undefined ? null : fund(state, { wallet: someWallet(state) })
    if (subnet === null || validation === undefined || funded === null) return null
    const { stated } = someTimes(state)
    const end = Math.min(validation.end, state.chainTime + 300 + someDuration(state))
    const { credentials, subnetAuthorization } = authorize(state, funded, subnet)
    const { nodeId } = validation
    const weight = BigInt(state.network.random.between(1, 100))
    const accept = (txId: Uint8Array): void => produce(state, txId, funded.drafts)
    return {
      unsignedTx: {
        type: 'AddSubnetValidatorTx',
        ...funded.base,
        validator: { nodeID: nodeId, start: stated, end: BigInt(end), weight, subnetID: subnet.id },
        subnetAuthorization,
      },
      credentials,
      accept: (txId) => {
        accept(txId)
        const running = subnet.validators.filter((other) => other.end > state.chainTime)
        subnet.validators.splice(0, subnet.validators.length, ...running, { nodeId, end })
      },
      abort: accept,
    }
  },
}

const removeSubnetValidatorTx: TxKind = {
  type: 'RemoveSubnetValidatorTx',
  since: 'banff',
  weight: 1,
  build: (state) => {
    const running = ({ validators }: Subnet): boolean => validators.some(({ end }) => end > state.chainTime)
    const subnet = someSubnet(state, running)
    const funded = subnet === null ? null : fund(state, { wallet: someWallet(state) })
    if (subnet === null || funded === null) return null
    const at = subnet.validators.findIndex(({ end }) => end > state.chainTime)
    const { nodeId } = takeAt(subnet.validators, at)
    const { credentials, subnetAuthorization } = authorize(state, funded, subnet)
    return {
      unsignedTx: {
        type: 'RemoveSubnetValidatorTx',
        ...funded.base,
        nodeID: nodeId,
        subnetID: subnet.id,
        subnetAuthorization,
      },
      credentials,
      accept: (txId) => produce(state, txId, funded.drafts),
    }
  },
}

const transferSubnetOwnershipTx: TxKind = {
  type: 'TransferSubnetOwnershipTx',
  since: 'durango',
  weight: 1,
  build: (state) => {
    const subnet = someSubnet(state, ({ asset }) => asset === null)
    const funded = subnet === null ? null : fund(state, { wallet: someWallet(state) })
    if (subnet === null || funded === null) return null
    const { credentials, subnetAuthorization } = authorize(state, funded, subnet)
    const owner = someWallet(state)
    return {
      unsignedTx: {
        type: 'TransferSubnetOwnershipTx',
        ...funded.base,
        subnetID: subnet.id,
        subnetAuthorization,
        newOwner: ownerOf(owner),
      },
      credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        subnet.owner = owner
      },
    }
  },
}

export const subnetKinds: readonly TxKind[] = [
  createSubnetTx,
  createChainTx,
  addSubnetValidatorTx,
  removeSubnetValidatorTx,
  transferSubnetOwnershipTx,
]
