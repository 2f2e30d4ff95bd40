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
    'What each address of the P chain got and gave, one row per entry, address and UTXO; of several owners each has a row with the whole amount. UTXOs that the lake does not know (see p_state_outputs), and imports whose export it does not have, are not in it.',
  dependsOn: [
    'p_utxo_spans',
    'p_outputs',
    'p_inputs',
    'p_blocks',
    'p_transactions',
    'p_proposals',
    'x_outputs',
    'c_atomic_outputs',
  ],
  columns: {
    network: span.network,
    ...ledgerPlaceColumns,
    height: {
      ...span.height,
      comment: 'Height from which the entry counts; 0 for the genesis; null where the lake does not say it.',
    },
    block_time: { ...span.block_time, comment: 'Time of that block (UTC); null for the genesis.' },
    tx_id: {
      ...span.tx_id,
      comment: 'Transaction that did it: of rewards and released stakes the one that ended the staking.',
    },
    entry: {
      type: 'VARCHAR',
      comment:
        'credit, change (a credit of an asset that the address gives in the same transaction), debit, reward, credit staking set (staked), debit staking set (released: unspent again), credit atomic (exported) or debit atomic (imported).',
    },
    origin: span.origin,
    utxo_id: ledgerUtxoColumn,
    asset_id: span.asset_id,
    ...ledgerAmountColumns,
    staking_amount: viewColumn(t.decimal38('Sum.'), 'What the row adds to what the address has staked.'),
    ...ledgerAtomicColumns,
    utxo_amount: { ...span.amount, comment: 'Amount of the UTXO.' },
    ...ledgerOwnerColumns,
    stakeable_locktime: span.stakeable_locktime,
    other_chain_id: otherChainColumn,
  },
})
