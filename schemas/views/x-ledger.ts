import { derivedView } from '../../src/define/index.ts'
import {
  ledgerAmountColumns,
  ledgerAtomicColumns,
  ledgerOwnerColumns,
  ledgerPlaceColumns,
  ledgerUtxoColumn,
  otherChainColumn,
} from '../shared/ledger-columns.ts'
import { xUtxoSpans } from './x-utxo-spans.ts'

const span = xUtxoSpans.columns

export const xLedger = derivedView({
  name: 'x_ledger',
  comment:
    'What each address of the X-Chain received and spent. One row per entry, address and UTXO; each of several owners has a row with the full amount. UTXOs that are missing in the lake (see x_state_outputs), and imports without their export in the lake, are left out.',
  dependsOn: ['x_utxo_spans', 'x_outputs', 'x_inputs', 'x_transactions', 'p_outputs', 'c_atomic_outputs', 'chains'],
  columns: {
    network: span.network,
    blockchain_id: span.blockchain_id,
    ...ledgerPlaceColumns,
    height: {
      ...span.height,
      comment: 'Height from which the entry counts; 0 for the genesis; null in rows of the legacy index.',
    },
    block_time: span.block_time,
    tx_id: { ...span.tx_id, comment: 'Transaction of the entry.' },
    entry: {
      type: 'VARCHAR',
      comment:
        'credit, change (a credit in an asset that the address also spends in the same transaction), debit, credit atomic (exported) or debit atomic (imported).',
    },
    origin: span.origin,
    utxo_id: ledgerUtxoColumn,
    output_type: span.output_type,
    asset_id: span.asset_id,
    ...ledgerAmountColumns,
    ...ledgerAtomicColumns,
    utxo_amount: {
      ...span.amount,
      comment: 'Amount of the UTXO in the least unit of the asset (AVAX: nAVAX); null where it has none.',
    },
    ...ledgerOwnerColumns,
    other_chain_id: otherChainColumn,
  },
})
