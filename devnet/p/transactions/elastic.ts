import type { Coin } from '../../utxo/coins.ts'
import { plainDraft, produce } from '../../utxo/funding.ts'
import { someWallet } from '../../utxo/state.ts'
import { ownerOf } from '../coins.ts'
import { fund } from '../funding.ts'
import type { Subnet } from '../registry.ts'
import type { PState } from '../state.ts'
import type { TxKind } from './kind.ts'
import { fundForeignStake, returnStake, startStake } from './stakes.ts'
import { someTimes } from './staking.ts'
import { authorize, someSubnet } from './subnets.ts'

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
    const { credentials, subnetAuthorization } = authorize(state, funded, subnet)
    return {
      unsignedTx: {
        type: 'TransformSubnetTx',
        ...funded.base,
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
      credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        subnet.asset = coin.asset
      },
    }
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
