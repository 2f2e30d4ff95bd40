import { below, identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { versionColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import {
  optionalPriceColumns,
  tokenAddressColumns,
  tokenLookColumns,
  tokenNameColumns,
} from './shared/token-columns.ts'

const nullable = { nullable: true } as const
const whenDelivered = 'null while the message is pending'
const whenIndexed = 'null where the service does not index the source chain'

export const restIcmMessages = table({
  name: 'rest_icm_messages',
  comment:
    'One row per version of an ICM (Avalanche Interchain Messaging) message, as the REST service lists it. A message that changed, such as from pending to delivered, gets a new row.',
  key: ['network', 'message_id', 'observed_at'],
  sortBy: ['source_time', 'message_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'versions',
  notCompared: ['token_name', 'token_symbol', 'token_logo_uri', 'price_currency', 'price'],
  streamValues: [
    { column: 'source_blockchain_id', parameter: 'source-blockchain-id' },
    { column: 'destination_blockchain_id', parameter: 'destination-blockchain-id' },
    { column: 'from_address', parameter: 'from-address' },
    { column: 'to_address', parameter: 'to-address' },
  ],
  unproven: {
    never: ['observation_id', 'observed_at', 'token_name', 'token_symbol', 'token_logo_uri', 'price_currency', 'price'],
  },
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
    message_nonce: t
      .decimal38('Nonce of the message; null when it has more than 38 digits.', nullable)
      .at('messageNonce', 'digits'),
    message_nonce_raw: t.text('Nonce of the message, as text with all digits.').lasting(),
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
    reward_amount: t
      .decimal38(
        'Reward for the relayer, in the least unit of the token; null when it has more than 38 digits.',
        nullable,
      )
      .at('rewardDetails.value', 'digits'),
    reward_amount_raw: t.text('Reward for the relayer, in the least unit of the token, as text with all digits.'),
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
export type RestIcmMessage = RowOf<typeof restIcmMessages>
