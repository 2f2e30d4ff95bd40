import { t, type ViewColumns, viewColumn } from '../../src/define/index.ts'
import { outputOwnerColumns } from './transfer-columns.ts'
import { utxoPlaceColumns } from './utxo-columns.ts'

const sum = t.decimal38('Sum.')
const { threshold, locktime } = outputOwnerColumns

/** What a row of a ledger says of an address and a UTXO: the same on the P and X chains. */
export const ledgerAmountColumns = {
  amount: viewColumn(
    sum,
    'What the row adds to what the address has unspent, in the least unit of the asset: negative for a debit, 0 where that stays as it is. The sum of the rows up to a height is what is unspent there.',
  ),
} satisfies ViewColumns

export const ledgerAtomicColumns = {
  atomic_amount: viewColumn(
    sum,
    'What the row adds to what the address has on its way between chains: credited by the chain that exports, debited by the one that imports.',
  ),
} satisfies ViewColumns

export const ledgerOwnerColumns = {
  address_count: {
    type: 'BIGINT',
    comment: 'How many addresses own the UTXO; its amounts stand in the row of each.',
  },
  threshold: viewColumn(threshold),
  locktime: viewColumn(locktime),
} satisfies ViewColumns

export const ledgerPlaceColumns = {
  address: { type: 'VARCHAR', comment: 'Who got or gave, bech32 without chain prefix.' },
} satisfies ViewColumns

export const ledgerUtxoColumn = viewColumn(utxoPlaceColumns.utxo_id, 'The UTXO that the address got or gave.')

export const otherChainColumn = {
  type: 'VARCHAR',
  comment: 'Of atomic entries the chain that it goes to or comes from; else null.',
} as const
