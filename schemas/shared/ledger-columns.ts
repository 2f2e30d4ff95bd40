import { t, type ViewColumns, viewColumn } from '../../src/define/index.ts'
import { amountAvaxColumns, countedAvaxColumns } from './avax-columns.ts'
import { outputOwnerColumns } from './transfer-columns.ts'
import { utxoPlaceColumns } from './utxo-columns.ts'

const sum = t.decimal38('Sum.')
const { threshold, locktime } = outputOwnerColumns

/** Columns of an address and a UTXO in a ledger: the same on the P- and X-Chain. */
export const ledgerAmountColumns = {
  amount: viewColumn(
    sum,
    'Change of the unspent balance of the address, in the least unit of the asset (AVAX: nAVAX): negative for a debit, 0 for no change. The sum over all rows up to a height is the unspent balance at that height.',
  ),
  ...amountAvaxColumns,
  counted_amount: viewColumn(
    sum,
    'The same amount, in the least unit of the asset (AVAX: nAVAX), in the row of the first owner of a UTXO, and 0 in those of its other owners: sums over several addresses count each UTXO once.',
  ),
  ...countedAvaxColumns,
} satisfies ViewColumns

export const ledgerAtomicColumns = {
  atomic_amount: viewColumn(
    sum,
    'Change of the amount in transit between chains, in the least unit of the asset (AVAX: nAVAX): positive on the exporting chain, negative on the importing chain.',
  ),
} satisfies ViewColumns

export const ledgerOwnerColumns = {
  address_count: {
    type: 'BIGINT',
    comment: 'Number of addresses that own the UTXO; each has a row with the full amount.',
  },
  threshold: viewColumn(threshold),
  locktime: viewColumn(locktime),
} satisfies ViewColumns

export const ledgerPlaceColumns = {
  address: { type: 'VARCHAR', comment: 'Address that received or spent the UTXO, bech32 without chain prefix.' },
} satisfies ViewColumns

export const ledgerUtxoColumn = viewColumn(utxoPlaceColumns.utxo_id, 'UTXO that the address received or spent.')

export const otherChainColumn = {
  type: 'VARCHAR',
  comment: 'Destination or source chain of atomic entries; otherwise null.',
} as const
