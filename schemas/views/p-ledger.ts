import { derivedView, t, viewColumn } from '../../src/define/index.ts'
import {
  ledgerAmountColumns,
  ledgerAtomicColumns,
  ledgerOwnerColumns,
  ledgerPlaceColumns,
  ledgerUtxoColumn,
  otherChainColumn,
} from '../shared/ledger-columns.ts'
import { pUtxoSpans } from './p-utxo-spans.ts'

const span = pUtxoSpans.columns

export const pLedger = derivedView({
  name: 'p_ledger',
  comment:
    'What each address of the P-Chain received and spent. One row per entry, address and UTXO; each of several owners has a row with the full amount. UTXOs that are missing in the lake (see p_state_outputs), and imports without their export in the lake, are left out.',
  dependsOn: [
    'p_utxo_spans',
    'p_outputs',
    'p_inputs',
    'p_blocks',
    'p_transactions',
    'p_proposals',
    'x_outputs',
    'c_atomic_outputs',
    'chains',
  ],
  columns: {
    network: span.network,
    ...ledgerPlaceColumns,
    height: {
      ...span.height,
      comment: 'Height from which the entry counts; 0 for the genesis; null where it is missing in the lake.',
    },
    block_time: { ...span.block_time, comment: 'Time of that block (UTC); null for the genesis.' },
    tx_id: {
      ...span.tx_id,
      comment: 'Transaction of the entry; for rewards and released stakes the transaction that ended the staking.',
    },
    entry: {
      type: 'VARCHAR',
      comment:
        'credit, change (a credit in an asset that the address also spends in the same transaction), debit, reward, credit staking set (staked), debit staking set (released: unspent again), credit atomic (exported) or debit atomic (imported).',
    },
    origin: span.origin,
    utxo_id: ledgerUtxoColumn,
    asset_id: span.asset_id,
    ...ledgerAmountColumns,
    staking_amount: viewColumn(
      t.decimal38('Sum.'),
      'Change of the staked balance of the address, in the least unit of the asset (AVAX: nAVAX).',
    ),
    ...ledgerAtomicColumns,
    utxo_amount: { ...span.amount, comment: 'Amount of the UTXO in the least unit of the asset (AVAX: nAVAX).' },
    ...ledgerOwnerColumns,
    stakeable_locktime: span.stakeable_locktime,
    other_chain_id: otherChainColumn,
  },
})
