import type { PValidation } from '../../../schemas/p-validations.ts'
import type { TransactionSource } from './place.ts'

type ValidationAction = 'add' | 'delegate' | 'remove' | 'set_weight' | 'add_balance' | 'disable' | 'configure'

/** Returns a row with the transaction and its action only. The caller fills the other columns. */
export function validationRow(
  { place }: TransactionSource,
  txType: string,
  action: ValidationAction,
  position = 0,
): PValidation {
  return {
    network: place.network,
    height: place.height,
    block_time: place.block_time,
    tx_index: place.tx_index,
    tx_id: place.tx_id,
    position,
    tx_type: txType,
    action,
    subnet_id: null,
    node_id: null,
    validation_id: null,
    staked_tx_id: null,
    stated_start: null,
    start_time: null,
    stated_end: null,
    end_time: null,
    weight: null,
    delegation_shares: null,
    bls_public_key: null,
    proof_of_possession: null,
    balance: null,
    nonce: null,
    expiry: null,
    period: null,
    auto_compound_reward_shares: null,
    validation_reward_owner_threshold: null,
    validation_reward_owner_locktime: null,
    validation_reward_owner_addresses: null,
    delegation_reward_owner_threshold: null,
    delegation_reward_owner_locktime: null,
    delegation_reward_owner_addresses: null,
    remaining_balance_owner_threshold: null,
    remaining_balance_owner_locktime: null,
    remaining_balance_owner_addresses: null,
    deactivation_owner_threshold: null,
    deactivation_owner_locktime: null,
    deactivation_owner_addresses: null,
    validator_authority_threshold: null,
    validator_authority_locktime: null,
    validator_authority_addresses: null,
  }
}
