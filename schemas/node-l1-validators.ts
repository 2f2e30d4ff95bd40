import { identity, type RowOf, t } from '../src/define/index.ts'
import { blsPublicKeyColumn, nodeSubnetColumns } from './shared/node-columns.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const nodeL1Validators = table({
  name: 'node_l1_validators',
  comment:
    'One row per current validator of an L1, of each time that a node was asked (platform.getCurrentValidators of its subnet).',
  key: ['network', 'validation_id', 'observation_id'],
  sortBy: ['subnet_id', 'validation_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { 'node-ids': 'node_id' } },
  columns: {
    ...nodeSubnetColumns,
    validation_id: t.cb58('Validation id.'),
    ...observationColumns,
    node_id: t.address('NodeID-…, of any length.'),
    start_time: t.timestamp('When it was registered (UTC).', { nullable: true }),
    weight: t.u64('Weight.'),
    ...blsPublicKeyColumn,
    min_nonce: t.u64('Least nonce that its next weight message may have.', { nullable: true }),
    balance: t.u64('What it has left for fees; 0: it is disabled.', { nullable: true }),
    ...ownerColumns('remaining_balance_owner', 'the owner of what remains of the balance'),
    ...ownerColumns('deactivation_owner', 'the owner that may disable the validator'),
  },
})
export type NodeL1Validator = RowOf<typeof nodeL1Validators>
