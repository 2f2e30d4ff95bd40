import { t } from '../../src/define/index.ts'

/** Of tables whose rows are read anew with every observation. */
export const observationColumns = {
  subject: t.address('What was observed whole, such as a wallet on a chain; see the table observations.'),
  observation_id: t.address('The observation that the row belongs to; it holds all rows of its subject.'),
  observed_at: t.timestamp('When the observation was opened (UTC).'),
}

/** Of tables that get a new row only when something about it changed. */
export const versionColumns = {
  observation_id: t.address('The observation that found this version of the row.'),
  observed_at: t.timestamp('When that observation was opened (UTC).'),
  version_hash: t.hex('Hash of the content: equal for equal versions.'),
}

/** Of versioned tables whose rows can go away. */
export const presentColumn = {
  present: t.boolean('False when a complete observation no longer had the row; its other columns are those of before.'),
}

/** Of rows of a chain of the primary network: what the answer calls it. */
export const chainNameColumn = {
  chain_name: t.text(
    'What the service calls the chain (chainInfo.chainName), such as p-chain; null where it leaves that out.',
    { nullable: true },
  ),
}

/** An amount of an asset, as the service shows it. */
export const assetAmountFields = {
  asset_id: t.address('Id of the asset.'),
  asset_name: t.text('Name of the asset; null where the service leaves it out.', { nullable: true }),
  asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', { nullable: true }),
  asset_denomination: t.int64('Decimal places of the asset; null where the service leaves it out.', { nullable: true }),
  asset_type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', { nullable: true }),
  amount: t.u64('Amount in the least unit of the asset.'),
}
