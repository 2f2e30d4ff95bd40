import { t } from '../../src/define/index.ts'
import { assetAmountFields } from './service-columns.ts'

const nullable = { nullable: true } as const

export const credentialFields = {
  signature_base64: t.text('Signature as the service gives it, base64; null where it leaves it out.', nullable),
  public_key_base64: t.text('Public key of the signer, base64; null where the service leaves it out.', nullable),
}

/**
 * A UTXO. The shapes of P and of X and C have other names for the same facts and few facts of their own: as one shape they can be
 * compared and joined.
 */
export const utxoColumns = {
  utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
  tx_id: t.cb58('Transaction that made it.'),
  output_index: t.int64('Its index in that transaction.'),
  utxo_type: t.text('Kind as the service names it: STAKE, TRANSFER on P; transfer, mint, … on X and C.'),
  asset_id: t.address('Asset.'),
  amount: t.u64('Amount in the least unit of the asset.'),
  asset_name: t.text('Name of the asset; null where the service leaves it out.', nullable),
  asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable),
  asset_denomination: t.int64('Decimal places of the asset; null where the service leaves it out.', nullable),
  asset_type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable),
  addresses: t.list(t.address('Address.'), 'Owners, bech32 without chain prefix.'),
  threshold: t.int64('Signatures needed to spend it; null where the service leaves it out.', nullable),
  locktime: t.u64(
    'Unix seconds before which it cannot be spent (platformLocktime on P); 0: none; null where the service leaves it out.',
    nullable,
  ),
  created_on_chain_id: t.address('Chain that it was made on.'),
  consumed_on_chain_id: t.address('Chain that it is spent on.'),
  block_time: t.timestamp('Time of the block that made it (UTC).'),
  height: t.int64('Height of that block; null where the service leaves it out (X and C).', nullable),
  consuming_tx_id: t.cb58('Transaction that spent it; null while unspent.', nullable),
  consuming_block_time: t.timestamp('Time of the block that spent it (UTC); null while unspent.', nullable),
  consuming_height: t.int64('Height of that block on the chain that it was spent on; null while unspent.', nullable),
  utxo_bytes: t.hex('Bytes of the UTXO with their 4-byte checksum, exactly as the service gives them.', nullable),
  staked: t.boolean('Whether it is locked in a stake (P); null where the service leaves it out.', nullable),
  stakeable_locktime: t.u64('Unix seconds before which it can only be staked (P); null when not locked so.', nullable),
  reward_type: t.text('Of a reward: VALIDATOR, DELEGATOR, VALIDATOR_FEE (P); else null.', nullable),
  start_time: t.timestamp('Time of the block of the staking transaction (UTC, P); null when not staked.', nullable),
  end_time: t.timestamp('End of the staking (UTC, P); null when not staked.', nullable),
  credentials: t.list(
    t.struct(credentialFields, 'Credential.'),
    'Signatures that spent it (X and C); null while unspent and on P.',
    nullable,
  ),
  group_id: t.int64('Group of an NFT output (X); null for others.', nullable),
  payload: t.blob('Payload of an NFT (X); null for others.', nullable),
}

/** UTXOs nested in transactions. */
export const utxoList = (what: string) => t.list(t.struct(utxoColumns, 'UTXO.'), what)
export const maybeUtxoList = (what: string) => t.list(t.struct(utxoColumns, 'UTXO.'), what, nullable)

/** A sum of each asset. A sum can pass the 64 bits of its parts. */
export const assetSumFields = {
  ...assetAmountFields,
  amount: t.decimal38('Amount in the least unit of the asset.'),
}
export const assetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what)
export const maybeAssetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what, nullable)
