import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { encodingColumn } from './shared/encoded-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeTransactions = table({
  name: 'node_transactions',
  comment:
    'Transactions that a node was asked for by their ids (xvm.getTx and getTxStatus, cx.getAtomicTx and getAtomicTxStatus); those that are not decided are not in it.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['blockchain_id', 'tx_id'],
  partitionBy: [identity('network')],
  rowGroup: 'raw',
  columns: {
    ...chainColumns,
    tx_id: t.cb58('Id of the transaction.'),
    tx_status: t.text('Accepted, Rejected or Dropped; null where the node does not say it.', nullable),
    height: t.int64('Height of its block, of an atomic transaction of the C chain; else null.', nullable),
    tx_type: t.text('Kind of the transaction, from its bytes; null without them.', nullable),
    ...encodingColumn,
    tx_bytes: t.blob(
      'Its bytes with codec version and signatures, whose sha256 is its id; null without them.',
      nullable,
    ),
    tx_json: t.text('The transaction as the node writes it in JSON; null where bytes were asked for.', nullable),
  },
})
export type NodeTransaction = RowOf<typeof nodeTransactions>
