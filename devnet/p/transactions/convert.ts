import { convertedValidationId } from '../../../codec/ids.ts'
import { produce } from '../../utxo/funding.ts'
import { someWallet } from '../../utxo/state.ts'
import { fund } from '../funding.ts'
import type { TxKind } from './kind.ts'
import { keep, pChainOwner, someBalance, someNodeId } from './l1-validators.ts'
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
    const { credentials, subnetAuthorization } = authorize(state, funded, subnet)
    return {
      unsignedTx: {
        type: 'ConvertSubnetToL1Tx',
        ...funded.base,
        subnetID: subnet.id,
        chainID: manager.chainId,
        address: manager.address,
        validators,
        subnetAuthorization,
      },
      credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        subnet.manager = manager
        validators.forEach(({ balance, weight, deactivationOwner }, position) => {
          const wallet = wallets.find(({ addresses }) => addresses === deactivationOwner.addresses)!
          const validationId = convertedValidationId(subnet.id, position)
          keep(state, { validationId, subnet, balance, weight, nonce: 0n, wallet })
        })
      },
    }
  },
}
