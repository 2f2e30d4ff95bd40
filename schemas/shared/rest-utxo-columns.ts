import { t } from '../../src/define/index.ts'
import { assetAmountFields } from './service-columns.ts'

const nullable = { nullable: true } as const

export const credentialFields = {
  signature_base64: t
    .text('Signature in base64, as the service returns it; null where the service leaves it out.', nullable)
    .at('signature', 'encoded'),
  public_key_base64: t
    .text('Public key of the signer in base64; null where the service leaves it out.', nullable)
    .at('publicKey', 'encoded'),
}

/**
 * A UTXO. The API returns one shape for the P-Chain and one for the X- and C-Chain, mostly with other names for the same facts. One shape here can be
 * compared and joined.
 */
export const utxoColumns = {
  utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.').at('utxoId'),
  tx_id: t.cb58('Transaction that created the UTXO.').at('txHash|creationTxHash'),
  output_index: t.int64('Index of the UTXO in that transaction.').at('outputIndex', 'u32'),
  utxo_type: t
    .text(
      'Kind of the UTXO, as the service names it: STAKE or TRANSFER on the P-Chain; transfer, mint, … on the X- and C-Chain.',
    )
    .at('utxoType', 'word'),
  asset_id: t.address('Id of the asset.').at('assetId|asset?.assetId', 'id'),
  amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).').at('amount|asset?.amount'),
  asset_name: t.text('Name of the asset; null where the service leaves it out.', nullable).at('asset.name'),
  asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable).at('asset.symbol'),
  asset_denomination: t
    .int64('Decimal places of the asset; null where the service leaves it out.', nullable)
    .at('asset.denomination', 'u8'),
  asset_type: t
    .text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable)
    .at('asset.type', 'word'),
  addresses: t.list(t.address('Address.'), 'Owners, bech32 without chain prefix.').at('addresses', 'owner'),
  threshold: t
    .int64('Number of signatures needed to spend it; null where the service leaves it out.', nullable)
    .at('threshold', 'u32'),
  locktime: t
    .u64(
      'Unix time in seconds before which it cannot be spent (platformLocktime on the P-Chain); 0: none; null where the service leaves it out.',
      nullable,
    )
    .at('platformLocktime|locktime'),
  created_on_chain_id: t.address('Id of the chain on which it was created.').at('createdOnChainId', 'chainId'),
  consumed_on_chain_id: t.address('Id of the chain on which it is spent.').at('consumedOnChainId', 'chainId'),
  block_time: t.timestamp('Time of the block that created it (UTC).').at('blockTimestamp|timestamp'),
  height: t
    .int64('Height of that block; null where the service leaves it out (X- and C-Chain).', nullable)
    .at('blockNumber|blockHeight'),
  consuming_tx_id: t.cb58('Transaction that spent it; null while unspent.', nullable).at('consumingTxHash'),
  consuming_block_time: t
    .timestamp('Time of the block that spent it (UTC); null while unspent.', nullable)
    .at('consumingBlockTimestamp|consumingTxTimestamp'),
  consuming_height: t
    .int64('Height of that block, on the chain on which it was spent; null while unspent.', nullable)
    .at('consumingBlockNumber'),
  utxo_bytes: t
    .hex('Bytes of the UTXO with their 4-byte checksum, exactly as the service returns them.', nullable)
    .at('utxoBytes'),
  staked: t.boolean('Whether it is staked (P-Chain); null where the service leaves it out.', nullable).at('staked'),
  stakeable_locktime: t
    .u64('Unix time in seconds before which it can only be staked (P-Chain); null without such a lock.', nullable)
    .at('stakeableLocktime'),
  reward_type: t
    .text('Kind of reward: VALIDATOR, DELEGATOR or VALIDATOR_FEE (P-Chain); null for other UTXOs.', nullable)
    .at('rewardType', 'word'),
  start_time: t
    .timestamp('Time of the block of the staking transaction (UTC, P-Chain); null when not staked.', nullable)
    .at('utxoStartTimestamp'),
  end_time: t.timestamp('End of the staking (UTC, P-Chain); null when not staked.', nullable).at('utxoEndTimestamp'),
  credentials: t
    .list(
      t.struct(credentialFields, 'Credential.'),
      'Signatures that spent it (X- and C-Chain); null while unspent, and on the P-Chain.',
      nullable,
    )
    .at('credentials'),
  group_id: t.int64('Group of an NFT output (X-Chain); null for others.', nullable).at('groupId', 'u32'),
  payload: t.blob('Payload of an NFT (X-Chain); null for others.', nullable).at('payload'),
}

/** UTXOs nested in transactions. */
export const utxoList = (what: string) => t.list(t.struct(utxoColumns, 'UTXO.'), what)
export const maybeUtxoList = (what: string) => t.list(t.struct(utxoColumns, 'UTXO.'), what, nullable)

/** A sum per asset. It can exceed the 64 bits of its parts. */
export const assetSumFields = {
  ...assetAmountFields,
  amount: t.decimal38('Amount in the least unit of the asset (AVAX: nAVAX).').at('amount'),
}
export const assetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what)
const maybeAssetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what, nullable)

/** The sums of a transaction of the X-Chain, or of an atomic one of the C-Chain. */
export const transactionSums = {
  amount_unlocked: maybeAssetSums('Amounts unlocked, by asset.').at('amountUnlocked').unproven(),
  amount_created: maybeAssetSums('Amounts created, by asset.').at('amountCreated').unproven(),
  amounts: maybeAssetSums('Value of the transaction by asset; null where the service leaves it out.')
    .at('value')
    .unproven(),
  amount_burned: maybeAssetSums('Amounts burned, by asset; null where the service leaves them out.')
    .at('amountBurned')
    .unproven(),
}

/** Whether `verify` can check a memo depends on the chain: the table marks it. */
export const memo = t
  .blob(
    'Memo: decoded when the service returns 0x hex, otherwise the UTF-8 bytes; null where the service leaves it out.',
    nullable,
  )
  .at('memo', 'memo')
