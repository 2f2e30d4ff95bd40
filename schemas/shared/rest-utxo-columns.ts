import { t } from '../../src/define/index.ts'
import { assetAmountFields } from './service-columns.ts'

const nullable = { nullable: true } as const

/** What the service says of a UTXO on every chain. */
const everyUtxo = {
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
  consuming_time: t.timestamp('Time of the block that spent it (UTC); null while unspent.', nullable),
  consuming_height: t.int64('Height of that block on the chain that it was spent on; null while unspent.', nullable),
  utxo_bytes: t.hex('Bytes of the UTXO with their 4-byte checksum, exactly as the service gives them.', nullable),
}

/** What it says on the P chain only. */
const pUtxo = {
  staked: t.boolean('Whether it is locked in a stake; null where the service leaves it out.', nullable),
  stakeable_locktime: t.u64('Unix seconds before which it can only be staked; null when not locked so.', nullable),
  reward_type: t.text('Of a reward: VALIDATOR, DELEGATOR, VALIDATOR_FEE; else null.', nullable),
  utxo_start_time: t.timestamp('Time of the block of the staking transaction (UTC); null when not staked.', nullable),
  utxo_end_time: t.timestamp('End of the staking (UTC); null when not staked.', nullable),
}

export const credentialFields = {
  signature: t.text('Signature as the service gives it, base64; null where it leaves it out.', nullable),
  public_key: t.text('Public key of the signer, base64; null where the service leaves it out.', nullable),
}

/** What it says on the X and C chains only. */
const xcUtxo = {
  credentials: t.list(
    t.struct(credentialFields, 'Credential.'),
    'Signatures that spent it; null while unspent.',
    nullable,
  ),
  group_id: t.int64('Group of an NFT output; null for others.', nullable),
  payload: t.blob('Payload of an NFT; null for others.', nullable),
}

export const pUtxoFields = { ...everyUtxo, ...pUtxo }
export const xcUtxoFields = { ...everyUtxo, ...xcUtxo }

/** Both shapes, without the id. */
export const utxoColumns = { ...everyUtxo, ...pUtxo, ...xcUtxo }

/** UTXOs nested in transactions. */
export const pUtxos = (what: string) => t.list(t.struct(pUtxoFields, 'UTXO.'), what)
export const xcUtxos = (what: string) => t.list(t.struct(xcUtxoFields, 'UTXO.'), what, nullable)

/** A sum of each asset. A sum can pass the 64 bits of its parts. */
export const assetSumFields = {
  ...assetAmountFields,
  amount: t.decimal38('Amount in the least unit of the asset.'),
}
export const assetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what)
export const maybeAssetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what, nullable)
