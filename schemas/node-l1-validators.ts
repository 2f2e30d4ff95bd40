import { identity, t } from '../src/define/index.ts'
import { blsPublicKeyColumn, nodeSubnetColumns } from './shared/node-columns.ts'
import { ownerColumns, ownerNames } from './shared/owner-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const nodeL1Validators = table({
  name: 'node_l1_validators',
  comment:
    'Current validators of an L1 (platform.getCurrentValidators of its subnet). One row per validator and observation.',
  key: ['network', 'validation_id', 'observation_id'],
  sortBy: ['subnet_id', 'validation_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  lasting: [
    ...(['subnet_id', 'bls_public_key'] as const),
    ...ownerNames('remaining_balance_owner'),
    ...ownerNames('deactivation_owner'),
  ],
  coverage: { filters: { 'node-ids': 'node_id' } },
  unproven: {
    never: [...ownerNames('remaining_balance_owner'), ...ownerNames('deactivation_owner')],
    partly: ['bls_public_key'],
  },
  columns: {
    ...nodeSubnetColumns,
    validation_id: t.cb58('Validation id of the L1 validator.').at('validationID').partlyUnproven(),
    ...observationColumns,
    node_id: t.address('Node id, NodeID-…, of any length.').at('nodeID', 'nodeId').lasting().partlyUnproven(),
    start_time: t
      .timestamp('When the validator was registered (UTC).', { nullable: true })
      .at('startTime', 'time')
      .lasting()
      .unproven(),
    weight: t.u64('Weight of the validator, a number without a unit that the L1 chooses.').at('weight').unproven(),
    ...blsPublicKeyColumn,
    min_nonce: t
      .u64('Lowest nonce that the next weight message may have.', { nullable: true })
      .at('minNonce')
      .unproven(),
    balance: t
      .u64('Balance left for fees, in nAVAX; 0: the validator is inactive.', { nullable: true })
      .at('balance')
      .unproven(),
    ...ownerColumns('remaining_balance_owner', 'the owner of the remaining balance', 'remainingBalanceOwner?'),
    ...ownerColumns('deactivation_owner', 'the owner that can disable the validator', 'deactivationOwner?'),
  },
})
