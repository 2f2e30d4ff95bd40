import { t } from '../../src/define/index.ts'

/** Columns of tables that get all rows again with every observation. */
export const observationColumns = {
  subject: t.address('What was observed completely, such as a wallet on a chain; see the table observations.'),
  observation_id: t.address('Id of the observation of this row. It has all rows of its subject.'),
  observed_at: t.timestamp('When the observation started (UTC).'),
}

/** Columns of tables that get a new row only when its content changed. */
export const versionColumns = {
  observation_id: t.address('Id of the observation that found this version of the row.'),
  observed_at: t.timestamp('When that observation started (UTC).'),
  version_hash: t.hex('Hash of the content: equal for equal versions.'),
}

/** Column of versioned tables with rows that can disappear. */
export const presentColumn = {
  present: t.boolean(
    'False when a complete observation no longer had the row; the other columns repeat its last version.',
  ),
}

/** Name of a Primary Network chain in the answer. */
export const chainNameColumn = {
  chain_name: t.text(
    'Name of the chain in the service (chainInfo.chainName), such as p-chain; null where the service leaves it out.',
    { nullable: true },
  ),
}

/** An amount of an asset, as the service returns it. */
export const assetAmountFields = {
  asset_id: t.address('Id of the asset.').at('assetId', 'id'),
  asset_name: t.text('Name of the asset; null where the service leaves it out.', { nullable: true }).at('name'),
  asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', { nullable: true }).at('symbol'),
  asset_denomination: t
    .int64('Decimal places of the asset; null where the service leaves it out.', { nullable: true })
    .at('denomination', 'u8'),
  asset_type: t
    .text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', { nullable: true })
    .at('type', 'word'),
  amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).').at('amount'),
}
