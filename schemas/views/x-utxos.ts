import { derivedView } from '../../src/define/index.ts'
import { amountAvaxColumns } from '../shared/avax-columns.ts'
import { xUtxoSpans } from './x-utxo-spans.ts'

const span = xUtxoSpans.columns

export const xUtxos = derivedView({
  name: 'x_utxos',
  comment:
    'One row per unspent UTXO of the X-Chain: the rows of x_unspent, and the unspent rows of x_state_outputs. This equals what a node lists (xvm.getUTXOs) if the lake has all containers and all UTXOs that are in no container.',
  dependsOn: ['x_utxo_spans', 'chains'],
  columns: {
    network: span.network,
    blockchain_id: span.blockchain_id,
    utxo_id: span.utxo_id,
    tx_id: span.tx_id,
    output_index: span.output_index,
    origin: span.origin,
    height: span.height,
    block_time: span.block_time,
    output_type: span.output_type,
    asset_id: span.asset_id,
    amount: span.amount,
    ...amountAvaxColumns,
    addresses: span.addresses,
    threshold: span.threshold,
    locktime: span.locktime,
    group_id: span.group_id,
    payload: span.payload,
  },
})
