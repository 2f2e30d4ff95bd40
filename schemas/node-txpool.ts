import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { unsignedColumns } from './shared/unsigned-columns.ts'

export const nodeTxpool = table({
  name: 'node_txpool',
  comment:
    'Transactions in the pool of a node, which are in no block yet (txpool_content). Pools of other nodes may have others. One row per transaction and observation.',
  key: ['network', 'chain_id', 'pool', 'from_address', 'nonce', 'observation_id'],
  sortBy: ['chain_id', 'pool', 'from_address', 'nonce'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  unproven: {
    never: [
      ...(['transaction_type', 'from_address', 'to_address', 'gas_limit'] as const),
      ...(['input', 'access_list', 'blob_versioned_hashes', 'authorization_list', 'signed_chain_id'] as const),
    ],
    partly: [
      ...(['value', 'value_raw', 'gas_price', 'gas_price_raw', 'max_fee_per_gas', 'max_fee_per_gas_raw'] as const),
      ...(['max_priority_fee_per_gas', 'max_priority_fee_per_gas_raw'] as const),
      ...(['max_fee_per_blob_gas', 'max_fee_per_blob_gas_raw'] as const),
    ],
  },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits (eth_chainId).'),
    ...observationColumns,
    pool: t
      .text('pending: the next block may have it; queued: it waits for an earlier nonce of its sender.')
      .unproven(),
    transaction_hash: t.hex('Hash of the transaction.').unproven(),
    ...unsignedColumns,
    nonce: t.u64('Nonce of the sender.').unproven(),
  },
})
export type NodeTxpool = RowOf<typeof nodeTxpool>
