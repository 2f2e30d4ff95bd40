import { t } from '../../src/define/index.ts'

const nullable = { nullable: true } as const

/** The spent UTXO and what is taken of it: the same on the P and X chains. */
export const spentColumns = {
  source_tx_id: t.cb58('Transaction that made the spent UTXO.'),
  source_output_index: t.int64('Index of the spent UTXO in that transaction.'),
  asset_id: t.address('Asset.'),
}

/** Owners of an output: the same on the P and X chains. */
export const outputOwnerColumns = {
  addresses: t.list(t.address('Address.'), 'Owners, bech32 without chain prefix.'),
  threshold: t.int64('Signatures needed to spend it.'),
  locktime: t.u64('Unix seconds before which it cannot be spent; 0: none.'),
}

export const stakeableLocktimeColumn = {
  stakeable_locktime: t.u64('Unix seconds before which it can only be staked; null when not locked so.', nullable),
}

export const signatureIndicesColumn = {
  signature_indices: t.list(t.int64('Index.'), 'Which of the owners sign.'),
}
