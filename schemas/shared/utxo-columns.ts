import { t } from '../../src/define/index.ts'
import { spentColumns } from './transfer-columns.ts'

const nullable = { nullable: true } as const

/** Identity of a UTXO: the same in all tables of UTXOs from the state of a node. */
export const utxoPlaceColumns = {
  utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
  tx_id: t.cb58(
    'Transaction that created it; 11111111111111111111111111111111LpoYY for balances of the P-Chain genesis.',
  ),
  output_index: t.int64('Index of the UTXO in that transaction.'),
}

/** Columns of UTXOs of the X-Chain only. */
export const xUtxoColumns = {
  output_type: t.text('transfer, mint, nft_mint, nft_transfer, property_mint or property_owned.'),
  asset_id: spentColumns.asset_id,
  amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX); null where the output has none.', nullable),
}

/** Columns of a UTXO that containers hold, too, if the lake has those that created it. */
export const xUtxoNames = [
  ...(['blockchain_id', 'output_type', 'asset_id', 'amount'] as const),
  ...(['addresses', 'threshold', 'locktime'] as const),
] as const
export const nftNames = ['group_id', 'payload'] as const

export const nftColumns = {
  group_id: t.int64('Group of an NFT output; null for others.', nullable),
  payload: t.blob('Payload of an NFT; null for others.', nullable),
}
