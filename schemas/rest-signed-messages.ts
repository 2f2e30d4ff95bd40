import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restSignedMessages = table({
  name: 'rest_signed_messages',
  comment: 'One row per request to the signature aggregator: what was asked for and the signed message.',
  key: ['network', 'request_hash'],
  sortBy: ['request_hash'],
  partitionBy: [identity('network')],
  columns: {
    ...networkColumn,
    request_hash: t.hex('sha256 of what was asked for: equal for equal requests.'),
    tx_id: t.cb58('The transaction whose message was asked for (by GET).', nullable),
    message: t.hex('The unsigned message that was sent (by POST).', nullable),
    justification: t.hex('The justification that was sent (by POST).', nullable),
    signing_subnet_id: t.address('Subnet that was asked to sign; null: that of the source chain.', nullable),
    quorum_percentage: t.int64('Share of the weight that must sign, in percent; null for GET.', nullable),
    quorum_percentage_buffer: t.int64('Further share that was tried for, in percent; null for GET.', nullable),
    p_chain_height: t.int64('P-chain height of the validator set; null: the proposed height.', nullable),
    signed_message: t.hex('The signed message.'),
    observed_at: t.timestamp('When it was asked for (UTC).'),
  },
})
export type RestSignedMessage = RowOf<typeof restSignedMessages>
