import { derivedView } from '../../src/define/index.ts'
import { amountAvaxColumns } from '../shared/avax-columns.ts'
import { pUtxoSpans } from './p-utxo-spans.ts'

const span = pUtxoSpans.columns

export const pUtxos = derivedView({
  name: 'p_utxos',
  comment:
    'One row per unspent UTXO of the P-Chain: the rows of p_unspent, and the unspent rows of p_state_outputs. This equals what a node lists (platform.getUTXOs) if the lake has all containers and all UTXOs that are in no container.',
  dependsOn: ['p_utxo_spans', 'chains'],
  columns: {
    network: span.network,
    utxo_id: span.utxo_id,
    tx_id: span.tx_id,
    output_index: span.output_index,
    kind: { ...span.kind, comment: 'transfer, stake after its release, or state for UTXOs that are in no container.' },
    origin: span.origin,
    staked_tx_id: span.staked_tx_id,
    height: {
      ...span.height,
      comment: 'Height from which it can be spent; 0 for the genesis; null where it is missing in the lake.',
    },
    block_time: span.block_time,
    asset_id: span.asset_id,
    amount: span.amount,
    ...amountAvaxColumns,
    addresses: span.addresses,
    threshold: span.threshold,
    locktime: span.locktime,
    stakeable_locktime: span.stakeable_locktime,
  },
})
