import { evmVmId, secpFxId } from '../../network/genesis.ts'
import { type Coin, plainDraft, signersOf, someWallet, takeAt } from '../../network/wallets.ts'
import { built, type Funded, fund, ownerOf, signedAlso, type TxKind } from '../funding.ts'
import type { PState, Subnet } from '../state.ts'
import { fundForeignStake, returnStake, someDuration, someTimes, startStake } from './staking.ts'

/** The maximum number of subnets that stay active. */
const mostSubnets = 64

/** The authorization by the owner of a subnet, and its credential. */
export function authorize(state: PState, funded: Funded, subnet: Subnet) {
  return {
    authorized: signedAlso(state, funded, subnet.owner),
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
    return built(state, funded, { type: 'CreateSubnetTx', owner: ownerOf(owner) }, (txId) => {
      if (state.subnets.length >= mostSubnets) takeAt(state.subnets, state.network.random.below(mostSubnets))
      state.subnets.push({ id: txId, owner, validators: [], asset: null, chainIds: [], manager: null })
    })
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
    const { authorized, subnetAuthorization } = authorize(state, funded, subnet)
    return built(
      state,
      authorized,
      {
        type: 'CreateChainTx',
        subnetID: subnet.id,
        chainName: name,
        vmID: evmVmId,
        fxIDs: state.network.random.oneIn(3) ? [secpFxId] : [],
        genesisData: new TextEncoder().encode(JSON.stringify(genesis)),
        subnetAuthorization,
      },
      (txId) => {
        subnet.chainIds.push(txId)
        state.chains.push({ id: txId, name, subnetId: subnet.id, height: state.network.pHeight + 1 })
      },
    )
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
    const { authorized, subnetAuthorization } = authorize(state, funded, subnet)
    const { nodeId } = validation
    const weight = BigInt(state.network.random.between(1, 100))
    const validator = { nodeID: nodeId, start: stated, end: BigInt(end), weight, subnetID: subnet.id }
    const own = { type: 'AddSubnetValidatorTx' as const, validator, subnetAuthorization }
    const accepted = built(state, authorized, own, () => {
      const running = subnet.validators.filter((other) => other.end > state.chainTime)
      subnet.validators.splice(0, subnet.validators.length, ...running, { nodeId, end })
    })
    return { ...accepted, abort: built(state, authorized, own).accept }
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
    const { authorized, subnetAuthorization } = authorize(state, funded, subnet)
    return built(state, authorized, {
      type: 'RemoveSubnetValidatorTx',
      nodeID: nodeId,
      subnetID: subnet.id,
      subnetAuthorization,
    })
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
    const { authorized, subnetAuthorization } = authorize(state, funded, subnet)
    const owner = someWallet(state)
    return built(
      state,
      authorized,
      {
        type: 'TransferSubnetOwnershipTx',
        subnetID: subnet.id,
        subnetAuthorization,
        newOwner: ownerOf(owner),
      },
      () => {
        subnet.owner = owner
      },
    )
  },
}

export const subnetKinds: readonly TxKind[] = [
  createSubnetTx,
  createChainTx,
  addSubnetValidatorTx,
  removeSubnetValidatorTx,
  transferSubnetOwnershipTx,
]

/** Makes a subnet permissionless, with its own staking asset. A part of the asset's supply is burned here. */
const transformSubnetTx: TxKind = {
  type: 'TransformSubnetTx',
  since: 'banff',
  until: 'etna',
  weight: 2,
  build: (state) => {
    const wallet = state.wallets.find(({ foreign }) => foreign.length > 0)
    const subnet = someSubnet(state, ({ manager, asset }) => manager === null && asset === null)
    const coin = wallet?.foreign.at(-1)
    if (wallet === undefined || subnet === null || coin === undefined) return null
    const reserve = coin.amount / 4n
    const rest = [plainDraft(wallet, coin.amount - reserve, coin.asset)]
    const funded = fund(state, { wallet, also: [coin], rest })
    if (funded === null) return null
    wallet.foreign.pop()
    const { authorized, subnetAuthorization } = authorize(state, funded, subnet)
    return built(
      state,
      authorized,
      {
        type: 'TransformSubnetTx',
        subnetID: subnet.id,
        assetID: coin.asset,
        initialSupply: coin.amount - reserve,
        maximumSupply: coin.amount,
        minConsumptionRate: 100_000n,
        maxConsumptionRate: 120_000n,
        minValidatorStake: 1n,
        maxValidatorStake: coin.amount,
        minStakeDuration: 60,
        maxStakeDuration: 31_536_000,
        minDelegationFee: 20_000,
        minDelegatorStake: 1n,
        maxValidatorWeightFactor: 5,
        uptimeRequirement: 800_000,
        subnetAuthorization,
      },
      () => {
        subnet.asset = coin.asset
      },
    )
  },
}

/** Stakes the asset of a transformed subnet; such validators have no BLS key. */
const addElasticValidatorTx: TxKind = {
  type: 'AddPermissionlessValidatorTx of a subnet',
  since: 'banff',
  weight: 1,
  build: (state) => {
    const found = findElastic(state)
    if (found === null) return null
    const { subnet, coins } = found
    const [coin] = coins
    const locked = fundForeignStake(state, coins, coin.amount / 20n + 1n)
    if (locked === null) return null
    for (const spent of coins) coin.wallet.foreign.splice(coin.wallet.foreign.indexOf(spent), 1)
    const { start, end, stated } = someTimes(state)
    const rewardWallet = someWallet(state)
    const nodeId = state.network.random.bytes(20)
    const owner = ownerOf(rewardWallet)
    const terms = {
      kind: 'validator' as const,
      nodeId,
      subnetId: subnet.id,
      asset: coin.asset,
      start,
      end,
      rewardWallet,
    }
    return {
      unsignedTx: {
        type: 'AddPermissionlessValidatorTx',
        ...locked.funded.base,
        validator: { nodeID: nodeId, start: stated, end: BigInt(end), weight: locked.returned[0]!.amount },
        subnetID: subnet.id,
        signer: { type: 'signer.Empty' },
        stake: locked.stake,
        validationRewardsOwner: owner,
        delegationRewardsOwner: owner,
        shares: 20_000,
      },
      credentials: locked.funded.credentials,
      accept: (txId) => {
        startStake(state, txId, locked, terms)
      },
      abort: (txId) => returnStake(state, txId, locked),
    }
  },
}

/** A transformed subnet and coins of its asset. Many small coins are merged. */
function findElastic(state: PState): { subnet: Subnet; coins: readonly [Coin, ...Coin[]] } | null {
  for (const subnet of state.subnets) {
    if (subnet.asset === null) continue
    for (const { foreign } of state.wallets) {
      const [first, ...more] = foreign.filter(({ asset, amount }) => asset === subnet.asset && amount > 1_000n)
      if (first !== undefined) return { subnet, coins: [first, ...more.slice(0, 5)] }
    }
  }
  return null
}

export const elasticKinds: readonly TxKind[] = [transformSubnetTx, addElasticValidatorTx]
