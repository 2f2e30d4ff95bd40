import { idText } from '../../../codec/cb58.ts'
import { nodeIdText } from '../../../codec/node-id.ts'
import type { Signer } from '../../../codec/p/parts.ts'
import type { Validator } from '../../../codec/p/staking-txs.ts'
import type { UnsignedPTx } from '../../../codec/p/transactions.ts'
import type { PValidation } from '../../../schemas/p-validations.ts'
import { setOwner } from '../owner.ts'
import { hexText } from '../texts.ts'
import { timeOf } from '../times.ts'
import type { TransactionSource } from './place.ts'
import { validationRow } from './validation-row.ts'

/** The subnet of transactions that always apply to the primary network. */
const primaryNetworkId = idText(new Uint8Array(32))

type Tx<T extends UnsignedPTx['type']> = Extract<UnsignedPTx, { readonly type: T }>
export type StakingTx = Tx<
  | 'AddValidatorTx'
  | 'AddSubnetValidatorTx'
  | 'AddDelegatorTx'
  | 'AddPermissionlessValidatorTx'
  | 'AddPermissionlessDelegatorTx'
>

/** Returns the row of a validator or delegator with a stated start, end and weight. */
export function stakingRow(tx: StakingTx, source: TransactionSource): PValidation {
  const delegates = tx.type === 'AddDelegatorTx' || tx.type === 'AddPermissionlessDelegatorTx'
  const row = validationRow(source, tx.type, delegates ? 'delegate' : 'add')
  const { hrp } = source.context
  setTerm(row, tx.validator, source)
  switch (tx.type) {
    case 'AddValidatorTx':
      row.subnet_id = primaryNetworkId
      row.delegation_shares = tx.shares
      // These transactions have one owner for both rewards. Only permissionless validators have two.
      setOwner(row, 'validation_reward_owner', tx.rewardsOwner, hrp)
      setOwner(row, 'delegation_reward_owner', tx.rewardsOwner, hrp)
      return row
    case 'AddDelegatorTx':
      row.subnet_id = primaryNetworkId
      setOwner(row, 'validation_reward_owner', tx.rewardsOwner, hrp)
      return row
    case 'AddPermissionlessDelegatorTx':
      row.subnet_id = idText(tx.subnetID)
      setOwner(row, 'validation_reward_owner', tx.rewardsOwner, hrp)
      return row
    case 'AddSubnetValidatorTx':
      row.subnet_id = idText(tx.validator.subnetID)
      return row
    case 'AddPermissionlessValidatorTx':
      row.subnet_id = idText(tx.subnetID)
      row.delegation_shares = tx.shares
      setSigner(row, tx.signer)
      setOwner(row, 'validation_reward_owner', tx.validationRewardsOwner, hrp)
      setOwner(row, 'delegation_reward_owner', tx.delegationRewardsOwner, hrp)
      return row
  }
}

function setTerm(row: PValidation, validator: Validator, { place, context }: TransactionSource): void {
  row.node_id = nodeIdText(validator.nodeID)
  row.stated_start = validator.start
  row.start_time = sinceDurango(place.block_time, context.durangoTime) ? place.block_time : timeOf(validator.start)
  row.stated_end = validator.end
  row.end_time = timeOf(validator.end)
  row.weight = validator.weight
}

/** Returns whether a staking begins at the time of its block. It does since Durango, and its stated start is ignored. */
function sinceDurango(blockTime: bigint | null, durangoTime: number | null): boolean {
  return blockTime !== null && durangoTime !== null && blockTime >= BigInt(durangoTime) * 1_000_000n
}

function setSigner(row: PValidation, signer: Signer): void {
  if (signer.type !== 'signer.ProofOfPossession') return
  row.bls_public_key = hexText(signer.publicKey)
  row.proof_of_possession = signer.proofOfPossession
}

export function autoRenewedRow(tx: Tx<'AddAutoRenewedValidatorTx'>, source: TransactionSource): PValidation {
  const row = validationRow(source, tx.type, 'add')
  const { hrp } = source.context
  row.subnet_id = primaryNetworkId
  row.node_id = nodeIdText(tx.nodeID)
  row.start_time = source.place.block_time
  row.weight = tx.stake.reduce((sum, { output }) => sum + ('output' in output ? output.output : output).amount, 0n)
  row.delegation_shares = tx.delegationShares
  setSigner(row, tx.signer)
  row.period = tx.period
  row.auto_compound_reward_shares = tx.autoCompoundRewardShares
  setOwner(row, 'validation_reward_owner', tx.validationRewardsOwner, hrp)
  setOwner(row, 'delegation_reward_owner', tx.delegationRewardsOwner, hrp)
  setOwner(row, 'validator_authority', tx.validatorAuthority, hrp)
  return row
}

export function configurationRow(tx: Tx<'SetAutoRenewedValidatorConfigTx'>, source: TransactionSource): PValidation {
  const row = validationRow(source, tx.type, 'configure')
  row.staked_tx_id = idText(tx.txID)
  row.period = tx.period
  row.auto_compound_reward_shares = tx.autoCompoundRewardShares
  return row
}

export function removalRow(tx: Tx<'RemoveSubnetValidatorTx'>, source: TransactionSource): PValidation {
  const row = validationRow(source, tx.type, 'remove')
  row.subnet_id = idText(tx.subnetID)
  row.node_id = nodeIdText(tx.nodeID)
  return row
}
