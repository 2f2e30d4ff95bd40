import { t } from '../../src/define/index.ts'
import { spentColumns } from './transfer-columns.ts'

const nullable = { nullable: true } as const

/** What names a UTXO: the same in the tables of the node's state. */
export const utxoPlaceColumns = {
  utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
  tx_id: t.cb58('Transaction that made it; 11111111111111111111111111111111LpoYY for balances of the P-chain genesis.'),
  output_index: t.int64('Index of the UTXO in that transaction.'),
}

/** What only UTXOs of the X chain have. */
export const xUtxoColumns = {
  output_type: t.text('transfer, mint, nft_mint, nft_transfer, property_mint or property_owned.'),
  asset_id: spentColumns.asset_id,
  amount: t.u64('Amount in the least unit of the asset; null where the output has none.', nullable),
}

export const nftColumns = {
  group_id: t.int64('Group of an NFT output; null for others.', nullable),
  payload: t.blob('Payload of an NFT; null for others.', nullable),
}
