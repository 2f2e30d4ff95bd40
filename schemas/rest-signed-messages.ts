import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restSignedMessages = table({
  name: 'rest_signed_messages',
  comment: 'One row per request to the signature aggregator, with the signed message.',
  key: ['network', 'request_hash'],
  sortBy: ['request_hash'],
  partitionBy: [identity('network')],
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
export type RestSignedMessage = RowOf<typeof restSignedMessages>
