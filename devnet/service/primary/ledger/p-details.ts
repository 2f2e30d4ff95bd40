import { idText, nodeIdText } from '../../../../codec/ids.ts'
import type { UnsignedPTx } from '../../../../codec/p.ts'
import type { L1Change, PDetails, Stake } from './model.ts'
import { rewardsOwnerOf, type StakingTx, termsOf } from './p-stakes.ts'
import { hex0x, type OwnerTexts } from './texts.ts'

type Surroundings = {
  readonly txId: string
  /** Unix seconds. */
  readonly blockTime: number
  /** The L1 validators that the transaction changes. */
  readonly l1: readonly L1Change[]
  readonly ownerOf: OwnerTexts
}

/** Details of a P-Chain transaction other than its inputs and outputs. Transactions that end a stake have none. */
export function pDetails(tx: UnsignedPTx, { txId, blockTime, l1, ownerOf }: Surroundings): PDetails {
  const changes = { l1Validators: l1 }
  switch (tx.type) {
    case 'AddSubnetValidatorTx': {
      const { nodeID, subnetID, end } = tx.validator
      return { nodeId: nodeIdText(nodeID), subnetId: idText(subnetID), start: blockTime, end: Number(end) }
    }
    case 'RemoveSubnetValidatorTx':
      return { nodeId: nodeIdText(tx.nodeID), subnetId: idText(tx.subnetID) }
    case 'AddValidatorTx':
    case 'AddDelegatorTx':
    case 'AddPermissionlessDelegatorTx':
      return stakeDetails(tx, blockTime, ownerOf)
    case 'AddPermissionlessValidatorTx':
    case 'AddAutoRenewedValidatorTx': {
      const details = stakeDetails(tx, blockTime, ownerOf)
      return tx.signer.type === 'signer.Empty' ? details : { ...details, bls: blsOf(tx.signer) }
    }
    case 'CreateSubnetTx':
      return { subnetId: txId, subnetOwner: ownerOf(tx.owner) }
    case 'TransferSubnetOwnershipTx':
      return { subnetId: idText(tx.subnetID), subnetOwner: ownerOf(tx.newOwner) }
    case 'CreateChainTx': {
      const genesis = Buffer.from(tx.genesisData).toString('utf8')
      const blockchain = { name: tx.chainName, vmId: idText(tx.vmID), genesis }
      return { subnetId: idText(tx.subnetID), blockchain }
    }
    case 'TransformSubnetTx':
      return { subnetId: idText(tx.subnetID) }
    case 'ConvertSubnetToL1Tx': {
      const manager = { blockchainId: idText(tx.chainID), contractAddress: hex0x(tx.address) }
      return { subnetId: idText(tx.subnetID), manager, ...changes }
    }
    case 'RegisterL1ValidatorTx':
    case 'SetL1ValidatorWeightTx':
    case 'IncreaseL1ValidatorBalanceTx':
    case 'DisableL1ValidatorTx':
      return { subnetId: l1[0]!.subnetId, ...changes }
    case 'SetAutoRenewedValidatorConfigTx':
      return { stakingTxId: idText(tx.txID) }
  }
  return {}
}

function stakeDetails(tx: StakingTx, blockTime: number, ownerOf: OwnerTexts): PDetails {
  const { kind, nodeId, subnetId, end, shares } = termsOf(tx, blockTime)
  const fee = kind === 'delegator' ? {} : { shares }
  return { nodeId, subnetId, start: blockTime, end, ...fee, rewardAddresses: ownerOf(rewardsOwnerOf(tx)).addresses }
}

/** Details of a transaction that ends a stake. */
export function endDetails({ tx, nodeId, subnetId, end, rewardOwner }: Stake): PDetails {
  const start = tx.place.time
  return { stakingTxId: tx.txId, nodeId, subnetId, start, end, rewardAddresses: rewardOwner.addresses }
}

function blsOf(signer: { readonly publicKey: Uint8Array; readonly proofOfPossession: Uint8Array }) {
  return { publicKey: hex0x(signer.publicKey), proofOfPossession: hex0x(signer.proofOfPossession) }
}

/** Amount of the native asset (nAVAX) that a transaction adds to balances of L1 validators. */
export function l1BalanceOf(tx: UnsignedPTx): bigint {
  if (tx.type === 'ConvertSubnetToL1Tx') return tx.validators.reduce((sum, { balance }) => sum + balance, 0n)
  return 'balance' in tx ? tx.balance : 0n
}
