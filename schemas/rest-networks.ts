import { below, nullable, t } from '../src/define/index.ts'
import { networkColumn, stakingTimeColumns } from './shared/block-columns.ts'
import { exactColumns } from './shared/evm-columns.ts'
import {
  observationColumns,
  observedTable,
  optionalPriceColumns,
  tokenAddressColumns,
  tokenLookColumns,
  tokenNameColumns,
  versionColumns,
} from './shared/service-columns.ts'
import { partlyUnproven, table, unproven } from './shared/table.ts'

export const restSignedMessages = table({
  name: 'rest_signed_messages',
  comment: 'One row per request to the signature aggregator, with the signed message.',
  key: ['network', 'request_hash'],
  sortBy: ['request_hash'],
  columns: {
    ...networkColumn,
    request_hash: t.hex('sha256 of the request: equal for equal requests.'),
    tx_id: t.cb58('Transaction of the requested message (GET).', nullable),
    message: t.hex('Unsigned message in the request (POST).', nullable),
    justification: t.hex('Justification in the request (POST).', nullable),
    signing_subnet_id: t.address('Subnet that signs; null: the subnet of the source chain.', nullable),
    quorum_percentage: t.int64('Percentage of the weight that must sign; null for GET.', nullable),
    quorum_percentage_buffer: t.int64(
      'Additional percentage that the aggregator tries to reach; null for GET.',
      nullable,
    ),
    p_chain_height: t.int64('P-Chain height of the validator set; null: the proposed height.', nullable),
    signed_message: t.hex('The signed message.').at('signedMessage').partlyUnproven(),
    observed_at: t.timestamp('When the request was sent (UTC).').unproven(),
  },
})
const percentOfRequests = (chain: 'P' | 'X' | 'C') =>
  t
    .double(
      `Share of requests about the ${chain}-Chain that other nodes did not send to it because it had been slow.`,
      nullable,
    )
    .at(`benched${chain}ChainRequestsPercent`, 'percent')

export const restValidators = table({
  name: 'rest_validators',
  comment:
    'Validators of the Primary Network and of subnets that are not L1s, as the REST service lists them: pending, active, completed and removed ones. One row per validation and observation.',
  ...observedTable('subnet_id', 'node_id', 'tx_id'),
  sortBy: ['subnet_id', 'node_id', 'start_time'],
  coverage: { filters: { status: 'validation_status', 'subnet-id': 'subnet_id', 'node-ids': 'node_id' } },
  columns: {
    ...networkColumn,
    ...partlyUnproven({
      subnet_id: t.address('Id of the subnet.').at('subnetId', 'id'),
      node_id: t.address('Node id, NodeID-….').at('nodeId', 'nodeId'),
      tx_id: t.cb58('Transaction that added the validator.').at('txHash'),
    }),
    ...observationColumns,
    validation_status: t
      .text('Status when the service answered: pending, active, completed or removed.')
      .at('validationStatus', 'word')
      .unproven(),
    start_time: stakingTimeColumns.start_time.at('startTimestamp', 'seconds').lasting().unproven(),
    ...partlyUnproven({
      end_time: stakingTimeColumns.end_time.at('endTimestamp', 'seconds'),
      staked_amount: t
        .u64('Own stake without delegations, or weight; on the Primary Network in nAVAX.')
        .at('amountStaked'),
      delegation_fee_percent: t
        .double('Share of delegation rewards that the validator keeps, in percent.', nullable)
        .at('delegationFee', 'percent')
        .lasting(),
      bls_public_key: t
        .hex('BLS public key, 48 bytes; null where the service returns none.', nullable)
        .at('blsCredentials.publicKey')
        .lasting(),
      bls_proof_of_possession: t
        .hex('Proof of possession of the BLS key, 96 bytes.', nullable)
        .at('blsCredentials.proofOfPossession')
        .lasting(),
    }),
    ...unproven({
      stake_percent: t
        .double('Share of the stake of the subnet, in percent; active validators only.', nullable)
        .at('stakePercentage', 'percent'),
      uptime: t
        .double('Uptime that the service observed, in percent; active validators only.', nullable)
        .at('uptimePerformance', 'percent'),
      delegator_count: t
        .int64('Number of delegations; null where the service returns none.', nullable)
        .at('delegatorCount'),
      delegated_amount: t
        .u64('Sum of the delegations, on the Primary Network in nAVAX.', nullable)
        .at('amountDelegated'),
      delegation_capacity: t
        .u64('Amount that can still be delegated to an active validator, on the Primary Network in nAVAX.', nullable)
        .at('delegationCapacity'),
      validation_reward: t
        .u64(
          'Reward for the own stake, on the Primary Network in nAVAX: paid if completed, possible if active.',
          nullable,
        )
        .at('rewards.validationRewardAmount|potentialRewards.validationRewardAmount'),
      delegation_reward: t
        .u64(
          'Share of the validator in rewards of delegations, on the Primary Network in nAVAX: paid if completed, possible if active.',
          nullable,
        )
        .at('rewards.delegationRewardAmount|potentialRewards.delegationRewardAmount'),
      reward_addresses: t
        .list(t.address('Address.'), 'Addresses that receive the reward, bech32 without chain prefix.', nullable)
        .at('rewards.rewardAddresses|potentialRewards.rewardAddresses', 'owner'),
      reward_tx_id: t
        .cb58('Transaction that paid the reward.', nullable)
        .at('rewards.rewardTxHash|potentialRewards.rewardTxHash'),
      remove_tx_id: t
        .cb58('Transaction that removed the validator; removed validators only.', nullable)
        .at('removeTxHash'),
      remove_time: t.timestamp('Time of that transaction (UTC).', nullable).at('removeTimestamp'),
      node_version: t
        .text('Version of the software of the node; active validators only.', nullable)
        .at('avalancheGoVersion'),
      validator_health: t
        .struct(
          {
            reachability_percent: t
              .double('Share of attempts in which the service reached the node, in percent.', nullable)
              .at('reachabilityPercent', 'percent'),
            benched_p_chain_percent: percentOfRequests('P'),
            benched_x_chain_percent: percentOfRequests('X'),
            benched_c_chain_percent: percentOfRequests('C'),
          },
          'How well the service reaches an active validator, in percent.',
          nullable,
        )
        .at('validatorHealth'),
      geolocation: t
        .struct(
          {
            city: t.text('City.', nullable).at('city'),
            country: t.text('Country.', nullable).at('country'),
            country_code: t.text('Code of the country.', nullable).at('countryCode', 'word'),
            latitude: t.double('Latitude in degrees.', nullable).at('latitude', 'latitude'),
            longitude: t.double('Longitude in degrees.', nullable).at('longitude', 'longitude'),
          },
          'Location of the IP address of an active validator.',
          nullable,
        )
        .at('geolocation'),
    }),
  },
})

const whenDelivered = 'null while the message is pending'
const whenIndexed = 'null where the service does not index the source chain'

export const restIcmMessages = table({
  name: 'rest_icm_messages',
  comment:
    'One row per version of an ICM (Avalanche Interchain Messaging) message, as the REST service lists it. A message that changed, such as from pending to delivered, gets a new row.',
  key: ['network', 'message_id', 'observed_at'],
  sortBy: ['source_time', 'message_id'],
  history: 'versions',
  notCompared: ['token_name', 'token_symbol', 'token_logo_uri', 'price_currency', 'price'],
  streamValues: [
    { column: 'source_blockchain_id', parameter: 'source-blockchain-id' },
    { column: 'destination_blockchain_id', parameter: 'destination-blockchain-id' },
    { column: 'from_address', parameter: 'from-address' },
    { column: 'to_address', parameter: 'to-address' },
  ],
  unproven: { never: ['observation_id', 'observed_at'] },
  lasting: ['message_nonce_raw'],
  columns: {
    ...networkColumn,
    message_id: t.cb58('Id of the message.').at('messageId', 'id'),
    ...versionColumns,
    message_status: t
      .text('pending, delivered, or delivered_source_not_indexed where the service does not index the source chain.')
      .at('status', 'word'),
    icm_contract_address: t.address('Contract of ICM that sent or received the message.').at('icmContractAddress'),
    source_blockchain_id: t.address('Blockchain that the message comes from.').at('sourceBlockchainId', 'id').lasting(),
    source_evm_chain_id: t
      .address('EVM chain id of that blockchain, in decimal digits.')
      .at('sourceEvmChainId', 'digits'),
    destination_blockchain_id: t
      .address('Blockchain that the message goes to.')
      .at('destinationBlockchainId', 'id')
      .lasting(),
    destination_evm_chain_id: t
      .address('EVM chain id of that blockchain, in decimal digits.')
      .at('destinationEvmChainId', 'digits'),
    ...exactColumns('message_nonce', 'Nonce of the message', 'messageNonce'),
    from_address: t.address('Sender on the source blockchain.').at('from').lasting(),
    to_address: t.address('Receiver on the destination blockchain.').at('to').lasting(),
    message_data: t.hex('Data of the message; null where the service leaves it out.', nullable).at('data'),
    message_executed: t.boolean('Whether the receiver executed the message.').at('messageExecuted'),
    receipts: t
      .list(
        t.struct(
          {
            received_message_nonce: t
              .text('Nonce of the message that was received, in decimal digits.')
              .at('receivedMessageNonce', 'digits'),
            relayer_reward_address: t
              .address('Address that gets the reward for its delivery.')
              .at('relayerRewardAddress'),
          },
          'A receipt.',
        ),
        'Receipts of earlier messages in the other direction, which this message delivers.',
      )
      .at('receipts'),
    receipt_delivered: t
      .boolean('Whether the source blockchain got the receipt of this message, when the run read this version.')
      .at('receiptDelivered'),
    ...below('rewardDetails', {
      ...tokenAddressColumns,
      ...tokenNameColumns,
      ...tokenLookColumns,
      ...optionalPriceColumns,
    }),
    ...exactColumns('reward_amount', 'Reward for the relayer, in the least unit of the token', 'rewardDetails.value'),
    source_transaction_hash: t
      .hex(`Transaction that sent the message; ${whenIndexed}.`, nullable)
      .at('sourceTransaction?.txHash', 'hash'),
    source_time: t
      .timestamp(`Time of that transaction (UTC); ${whenIndexed}.`, nullable)
      .at('sourceTransaction?.timestamp'),
    source_gas_spent: t
      .decimal38('Gas that it spent; null when it has more than 38 digits.', nullable)
      .at('sourceTransaction?.gasSpent', 'digits'),
    source_gas_spent_raw: t.text(`Gas that it spent, as text with all digits; ${whenIndexed}.`, nullable),
    destination_transaction_hash: t
      .hex(`Transaction that delivered the message; ${whenDelivered}.`, nullable)
      .at('destinationTransaction?.txHash', 'hash'),
    destination_time: t
      .timestamp(`Time of that transaction (UTC); ${whenDelivered}.`, nullable)
      .at('destinationTransaction?.timestamp'),
    destination_gas_spent: t
      .decimal38('Gas that it spent; null when it has more than 38 digits.', nullable)
      .at('destinationTransaction?.gasSpent', 'digits'),
    destination_gas_spent_raw: t.text(`Gas that it spent, as text with all digits; ${whenDelivered}.`, nullable),
    reward_redeemer: t
      .address(`Address that may redeem the reward; ${whenDelivered}.`, nullable)
      .at('destinationTransaction?.rewardRedeemer'),
    deliverer_address: t
      .address(`Address that delivered the message; ${whenDelivered}.`, nullable)
      .at('destinationTransaction?.delivererAddress'),
  },
})
