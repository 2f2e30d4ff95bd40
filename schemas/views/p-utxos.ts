import { derivedView } from '../../src/define/index.ts'
import { pUtxoSpans } from './p-utxo-spans.ts'

const span = pUtxoSpans.columns

export const pUtxos = derivedView({
  name: 'p_utxos',
  comment:
    'One row per unspent UTXO of the P chain: those of p_unspent, and of p_state_outputs those that nothing in the lake spends. It is what a node lists (platform.getUTXOs) as far as the lake has all containers and what no container has.',
  dependsOn: ['p_utxo_spans'],
  columns: {
    network: span.network,
    utxo_id: span.utxo_id,
    tx_id: span.tx_id,
    output_index: span.output_index,
    kind: { ...span.kind, comment: 'transfer, stake once it was released, or state where no container has it.' },
    origin: span.origin,
    staked_tx_id: span.staked_tx_id,
    height: {
      ...span.height,
      comment: 'Height from which it is unspent; 0 for the genesis; null where the lake does not say it.',
    },
    block_time: span.block_time,
    asset_id: span.asset_id,
    amount: span.amount,
    addresses: span.addresses,
    threshold: span.threshold,
    locktime: span.locktime,
    stakeable_locktime: span.stakeable_locktime,
  },
})
