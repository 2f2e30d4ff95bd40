import { derivedView, viewColumn } from '../../src/define/index.ts'
import { nodeL1Validators } from '../node-l1-validators.ts'
import { pValidations } from '../p-validations.ts'

const validation = pValidations.columns
const observed = nodeL1Validators.columns

export const l1Validators = derivedView({
  name: 'l1_validators',
  comment:
    'One row per validation of an L1, with what transactions gave it and the balance that a node showed. No transaction states a balance over time: fees reduce it continuously.',
  dependsOn: ['p_validations', 'p_block_times', 'p_state_outputs', 'node_l1_validators_latest'],
  columns: {
    network: viewColumn(validation.network),
    subnet_id: viewColumn(validation.subnet_id, 'Subnet of the L1.'),
    validation_id: viewColumn(validation.validation_id, 'Id of the validation.'),
    node_id: viewColumn(validation.node_id, 'Node id, NodeID-…, of any length.'),
    tx_id: viewColumn(validation.tx_id, 'Transaction that registered the validator.'),
    tx_type: viewColumn(validation.tx_type, 'RegisterL1ValidatorTx or ConvertSubnetToL1Tx.'),
    registered_at: viewColumn(validation.block_time, 'When it was registered (UTC).'),
    weight: viewColumn(
      validation.weight,
      'Weight after the last transaction in the lake, a number without a unit that the L1 chooses; 0: removed.',
    ),
    deposited: { type: 'DECIMAL(38,0)', comment: 'Sum of the balances that transactions gave to it, in nAVAX.' },
    deposited_avax: { type: 'DECIMAL(38,9)', comment: 'The same in AVAX, exact.' },
    deposit_count: { type: 'BIGINT', comment: 'Number of these transactions.' },
    disabled_at: viewColumn(
      validation.block_time,
      'When a transaction first disabled or removed it (UTC); null if none did since its last deposit. A validator that runs out of balance is inactive without a transaction.',
    ),
    end_reason: {
      type: 'VARCHAR',
      comment:
        'disabled or removed, by the last such transaction; null if there is none since the last deposit, which makes a disabled validator active again.',
    },
    refunded: {
      type: 'DECIMAL(38,0)',
      comment:
        'Balance that was paid back, in nAVAX, from p_state_outputs (pipeline utxo-set); null where the lake does not have it.',
    },
    refunded_avax: { type: 'DECIMAL(38,9)', comment: 'The same in AVAX, exact.' },
    observed_balance: viewColumn(
      observed.balance,
      'Balance at the last observation, in nAVAX (pipeline validators); null if none was made.',
    ),
    observed_balance_avax: { type: 'DECIMAL(29,9)', comment: 'The same in AVAX, exact.' },
    observed_at: viewColumn(observed.observed_at),
    balance_owner_addresses: viewColumn(
      validation.remaining_balance_owner_addresses,
      'Owners of the remaining balance, bech32 without chain prefix.',
    ),
  },
})
