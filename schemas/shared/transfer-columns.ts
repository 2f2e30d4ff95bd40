import { t } from '../../src/define/index.ts'

const nullable = { nullable: true } as const

/** The spent UTXO: the same on the P- and X-Chain. */
export const spentColumns = {
  source_tx_id: t.cb58('Transaction that created the spent UTXO.'),
  source_output_index: t.int64('Index of the spent UTXO in that transaction.'),
  asset_id: t.address('Id of the asset.'),
}

/** Owners of an output: the same on the P- and X-Chain. */
export const outputOwnerColumns = {
  addresses: t.list(t.address('Address.'), 'Owners, bech32 without chain prefix.'),
  threshold: t.int64('Number of signatures needed to spend it.'),
  locktime: t.u64('Unix time in seconds before which it cannot be spent; 0: none.'),
}

export const stakeableLocktimeColumn = {
  stakeable_locktime: t.u64(
    'Unix time in seconds before which it can only be staked; null without such a lock.',
    nullable,
  ),
}

export const signatureIndicesColumn = {
  signature_indices: t.list(t.int64('Index.'), 'Indices of the owners that sign.'),
}
