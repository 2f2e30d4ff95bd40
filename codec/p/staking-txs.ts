import { bytes, id, list, shortId, struct, u8, u32, u64, type ValueOf } from '../linear/index.ts'
import { authorization, base, owner, pTransferableOutput, signer } from './parts.ts'

/** `start` and `end` are in Unix seconds. The node ignores `start` since Durango. */
const validatorFields = { nodeID: shortId, start: u64, end: u64, weight: u64 }
export const validator = struct('Validator', validatorFields)
const stake = list(pTransferableOutput)

export const addValidatorTx = struct('AddValidatorTx', { ...base, validator, stake, rewardsOwner: owner, shares: u32 })

export const addSubnetValidatorTx = struct('AddSubnetValidatorTx', {
  ...base,
  validator: struct('SubnetValidator', { ...validatorFields, subnetID: id }),
  subnetAuthorization: authorization,
})

export const addDelegatorTx = struct('AddDelegatorTx', { ...base, validator, stake, rewardsOwner: owner })

export const removeSubnetValidatorTx = struct('RemoveSubnetValidatorTx', {
  ...base,
  nodeID: shortId,
  subnetID: id,
  subnetAuthorization: authorization,
})

export const addPermissionlessValidatorTx = struct('AddPermissionlessValidatorTx', {
  ...base,
  validator,
  subnetID: id,
  signer,
  stake,
  validationRewardsOwner: owner,
  delegationRewardsOwner: owner,
  shares: u32,
})

export const addPermissionlessDelegatorTx = struct('AddPermissionlessDelegatorTx', {
  ...base,
  validator,
  subnetID: id,
  stake,
  rewardsOwner: owner,
})

/** Proposes the end of a staking transaction. A commit block pays the reward, an abort block does not. */
export const rewardValidatorTx = struct('RewardValidatorTx', { txID: id })

/** `period` is in seconds. Shares are parts of 1,000,000. */
export const addAutoRenewedValidatorTx = struct('AddAutoRenewedValidatorTx', {
  ...base,
  nodeID: bytes,
  signer,
  stake,
  validationRewardsOwner: owner,
  delegationRewardsOwner: owner,
  validatorAuthority: owner,
  delegationShares: u32,
  autoCompoundRewardShares: u32,
  period: u64,
})

export const setAutoRenewedValidatorConfigTx = struct('SetAutoRenewedValidatorConfigTx', {
  ...base,
  txID: id,
  auth: authorization,
  autoCompoundRewardShares: u32,
  period: u64,
})

export const rewardAutoRenewedValidatorTx = struct('RewardAutoRenewedValidatorTx', { txID: id, timestamp: u64 })

/** Amounts are in the least unit of the subnet's asset, durations in seconds. Rates and shares are parts of 1,000,000. */
export const transformSubnetTx = struct('TransformSubnetTx', {
  ...base,
  subnetID: id,
  assetID: id,
  initialSupply: u64,
  maximumSupply: u64,
  minConsumptionRate: u64,
  maxConsumptionRate: u64,
  minValidatorStake: u64,
  maxValidatorStake: u64,
  minStakeDuration: u32,
  maxStakeDuration: u32,
  minDelegationFee: u32,
  minDelegatorStake: u64,
  maxValidatorWeightFactor: u8,
  uptimeRequirement: u32,
  subnetAuthorization: authorization,
})

export type Validator = ValueOf<typeof validator>
