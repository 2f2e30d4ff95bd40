import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { stakingTimeColumns } from './shared/node-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const
const percentOfRequests = (chain: string) =>
  t.double(
    `Share of requests about the ${chain} that other nodes did not send to it because it had been slow.`,
    nullable,
  )

export const restValidators = table({
  name: 'rest_validators',
  comment:
    'Validators of the Primary Network and of subnets that are not L1s, as the REST service lists them: pending, active, completed and removed ones. One row per validation and observation.',
  key: ['network', 'subnet_id', 'node_id', 'tx_id', 'observation_id'],
  sortBy: ['subnet_id', 'node_id', 'start_time'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  lasting: ['start_time', 'delegation_fee_percent', 'bls_public_key', 'bls_proof_of_possession'],
  coverage: { filters: { status: 'validation_status', 'subnet-id': 'subnet_id', 'node-ids': 'node_id' } },
  unproven: {
    never: [
      'validation_status',
      'start_time',
      'stake_percent',
      'uptime',
      'delegator_count',
      'delegated_amount',
      'delegation_capacity',
      'validation_reward',
      'delegation_reward',
      'reward_addresses',
      'reward_tx_id',
      'remove_tx_id',
      'remove_time',
      'node_version',
      'validator_health',
      'geolocation',
    ],
    partly: [
      'delegation_fee_percent',
      'bls_proof_of_possession',
      'subnet_id',
      'node_id',
      'tx_id',
      'end_time',
      'staked_amount',
      'bls_public_key',
    ],
  },
  columns: {
    ...networkColumn,
    subnet_id: t.address('Id of the subnet.'),
    node_id: t.address('Node id, NodeID-….'),
    tx_id: t.cb58('Transaction that added the validator.'),
    ...observationColumns,
    validation_status: t.text('Status when the service answered: pending, active, completed or removed.'),
    ...stakingTimeColumns,
    staked_amount: t.u64('Own stake without delegations, or weight; on the Primary Network in nAVAX.'),
    delegation_fee_percent: t.double('Share of delegation rewards that the validator keeps, in percent.', nullable),
    bls_public_key: t.hex('BLS public key, 48 bytes; null where the service returns none.', nullable),
    bls_proof_of_possession: t.hex('Proof of possession of the BLS key, 96 bytes.', nullable),
    stake_percent: t.double('Share of the stake of the subnet, in percent; active validators only.', nullable),
    uptime: t.double('Uptime that the service observed, in percent; active validators only.', nullable),
    delegator_count: t.int64('Number of delegations; null where the service returns none.', nullable),
    delegated_amount: t.u64('Sum of the delegations, on the Primary Network in nAVAX.', nullable),
    delegation_capacity: t.u64(
      'Amount that can still be delegated to an active validator, on the Primary Network in nAVAX.',
      nullable,
    ),
    validation_reward: t.u64(
      'Reward for the own stake, on the Primary Network in nAVAX: paid if completed, possible if active.',
      nullable,
    ),
    delegation_reward: t.u64(
      'Share of the validator in rewards of delegations, on the Primary Network in nAVAX: paid if completed, possible if active.',
      nullable,
    ),
    reward_addresses: t.list(
      t.address('Address.'),
      'Addresses that receive the reward, bech32 without chain prefix.',
      nullable,
    ),
    reward_tx_id: t.cb58('Transaction that paid the reward.', nullable),
    remove_tx_id: t.cb58('Transaction that removed the validator; removed validators only.', nullable),
    remove_time: t.timestamp('Time of that transaction (UTC).', nullable),
    node_version: t.text('Version of the software of the node; active validators only.', nullable),
    validator_health: t.struct(
      {
        reachability_percent: t.double(
          'Share of attempts in which the service reached the node, in percent.',
          nullable,
        ),
        benched_p_chain_percent: percentOfRequests('P-Chain'),
        benched_x_chain_percent: percentOfRequests('X-Chain'),
        benched_c_chain_percent: percentOfRequests('C-Chain'),
      },
      'How well the service reaches an active validator, in percent.',
      nullable,
    ),
    geolocation: t.struct(
      {
        city: t.text('City.', nullable),
        country: t.text('Country.', nullable),
        country_code: t.text('Code of the country.', nullable),
        latitude: t.double('Latitude in degrees.', nullable),
        longitude: t.double('Longitude in degrees.', nullable),
      },
      'Location of the IP address of an active validator.',
      nullable,
    ),
  },
})
export type RestValidator = RowOf<typeof restValidators>
