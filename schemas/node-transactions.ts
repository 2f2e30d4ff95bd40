import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { encodingColumn } from './shared/encoded-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeTransactions = table({
  name: 'node_transactions',
  comment:
    'One row per transaction that was requested from a node by its id (xvm.getTx and getTxStatus, cx.getAtomicTx and getAtomicTxStatus). Undecided transactions are left out.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['blockchain_id', 'tx_id'],
  partitionBy: [identity('network')],
  rowGroup: 'raw',
  columns: {
    ...chainColumns,
    tx_id: t.cb58('Id of the transaction.'),
    tx_status: t
      .text('Accepted, Rejected or Dropped; null where the node does not return it.', nullable)
      .partlyUnproven(),
    height: t
      .int64('Height of the block, for atomic transactions of the C-Chain; otherwise null.', nullable)
      .partlyUnproven(),
    tx_type: t
      .text('Kind of the transaction, from its bytes; null where JSON was requested.', nullable)
      .partlyUnproven(),
    ...encodingColumn,
    tx_bytes: t.blob(
      'Bytes with codec version and signatures; their sha256 is the id; null where JSON was requested.',
      nullable,
    ),
    tx_json: t
      .text('The transaction as JSON, as the node returns it; null where bytes were requested.', nullable)
      .partlyUnproven(),
  },
})
export type NodeTransaction = RowOf<typeof nodeTransactions>
