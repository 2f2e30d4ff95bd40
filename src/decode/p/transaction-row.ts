import { idText } from '../../../codec/cb58.ts'
import type { PTx, UnsignedPTx } from '../../../codec/p/transactions.ts'
import type { PTransaction } from '../../../schemas/p-transactions.ts'
import { setOwner } from '../owner.ts'
import { timeOf } from '../times.ts'
import type { TransactionSource } from './place.ts'
import type { Transfers } from './transfers.ts'

export function transactionRow(tx: PTx, source: TransactionSource, transfers: Transfers): PTransaction {
  const { unsignedTx } = tx
  const { place, block } = source
  let signatures = 0
  for (const credential of tx.credentials) signatures += credential.signatures.length
  const row: PTransaction = {
    network: place.network,
    height: place.height,
    block_time: place.block_time,
    tx_index: place.tx_index,
    tx_id: place.tx_id,
    block_id: block.block_id,
    tx_type: unsignedTx.type,
    memo: 'memo' in unsignedTx ? unsignedTx.memo : null,
    source_chain_id: null,
    destination_chain_id: null,
    subnet_id: 'subnetID' in unsignedTx ? idText(unsignedTx.subnetID) : null,
    blockchain_name: null,
    vm_id: null,
    fx_ids: null,
    genesis_data: null,
    staked_tx_id: 'txID' in unsignedTx ? idText(unsignedTx.txID) : null,
    chain_time: null,
    chain_time_seconds: null,
    manager_chain_id: null,
    manager_address: null,
    owner_threshold: null,
    owner_locktime: null,
    owner_addresses: null,
    warp_message: null,
    asset_id: null,
    initial_supply: null,
    maximum_supply: null,
    min_consumption_rate: null,
    max_consumption_rate: null,
    min_validator_stake: null,
    max_validator_stake: null,
    min_stake_duration: null,
    max_stake_duration: null,
    min_delegation_fee: null,
    min_delegator_stake: null,
    max_validator_weight_factor: null,
    uptime_requirement: null,
    burned: burned(unsignedTx, source, transfers),
    input_count: transfers.inputCount,
    output_count: transfers.outputCount,
    signature_count: signatures,
    authorization_indices: authorizationIn(unsignedTx),
    reward_timestamp: null,
  }
  setParameters(row, unsignedTx, source.context.hrp)
  return row
}

/** Returns the indices of the owners of a subnet or a validator that sign the transaction. Null if it needs none. */
function authorizationIn(tx: UnsignedPTx): number[] | null {
  if ('subnetAuthorization' in tx) return indicesOf(tx.subnetAuthorization)
  if ('disableAuthorization' in tx) return indicesOf(tx.disableAuthorization)
  return 'auth' in tx ? indicesOf(tx.auth) : null
}

function indicesOf({ signatureIndices }: { readonly signatureIndices: readonly number[] }): number[] {
  return signatureIndices as number[]
}

/** Returns the nAVAX that a transaction takes out of circulation: inputs minus outputs minus balances of L1 validators. */
function burned(tx: UnsignedPTx, source: TransactionSource, transfers: Transfers): bigint | null {
  if (source.context.nativeAssetId === null || transfers.inputCount === 0) return null
  return transfers.nativeLeft - l1Balances(tx)
}

function l1Balances(tx: UnsignedPTx): bigint {
  if (tx.type === 'ConvertSubnetToL1Tx') return tx.validators.reduce((sum, { balance }) => sum + balance, 0n)
  return 'balance' in tx ? tx.balance : 0n
}

/** Fills the columns of one or two kinds of transactions. */
function setParameters(row: PTransaction, tx: UnsignedPTx, hrp: string): void {
  switch (tx.type) {
    case 'AddSubnetValidatorTx':
      row.subnet_id = idText(tx.validator.subnetID)
      return
    case 'ImportTx':
      row.source_chain_id = idText(tx.sourceChain)
      return
    case 'ExportTx':
      row.destination_chain_id = idText(tx.destinationChain)
      return
    case 'AdvanceTimeTx':
      row.chain_time = timeOf(tx.time)
      row.chain_time_seconds = tx.time
      return
    case 'RewardAutoRenewedValidatorTx':
      row.reward_timestamp = tx.timestamp
      return
    case 'CreateSubnetTx':
      row.subnet_id = row.tx_id
      setOwner(row, 'owner', tx.owner, hrp)
      return
    case 'TransferSubnetOwnershipTx':
      setOwner(row, 'owner', tx.newOwner, hrp)
      return
    case 'CreateChainTx':
      row.blockchain_name = tx.chainName
      row.vm_id = idText(tx.vmID)
      row.fx_ids = tx.fxIDs.map(idText)
      row.genesis_data = tx.genesisData
      return
    case 'ConvertSubnetToL1Tx':
      row.manager_chain_id = idText(tx.chainID)
      row.manager_address = tx.address
      return
    case 'RegisterL1ValidatorTx':
    case 'SetL1ValidatorWeightTx':
      row.warp_message = tx.message
      return
    case 'TransformSubnetTx':
      row.asset_id = idText(tx.assetID)
      row.initial_supply = tx.initialSupply
      row.maximum_supply = tx.maximumSupply
      row.min_consumption_rate = tx.minConsumptionRate
      row.max_consumption_rate = tx.maxConsumptionRate
      row.min_validator_stake = tx.minValidatorStake
      row.max_validator_stake = tx.maxValidatorStake
      row.min_stake_duration = tx.minStakeDuration
      row.max_stake_duration = tx.maxStakeDuration
      row.min_delegation_fee = tx.minDelegationFee
      row.min_delegator_stake = tx.minDelegatorStake
      row.max_validator_weight_factor = tx.maxValidatorWeightFactor
      row.uptime_requirement = tx.uptimeRequirement
      return
  }
}
