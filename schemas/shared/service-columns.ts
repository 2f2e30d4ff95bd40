import { below, nullable, t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'
import { exactColumns } from './evm-columns.ts'
import { partlyUnproven, unproven } from './table.ts'

/** Columns of tables that get all rows again with every observation. */
export const observationColumns = {
  subject: t.address('What was observed completely, such as a wallet on a chain; see the table observations.'),
  observation_id: t.address('Id of the observation of this row. It has all rows of its subject.'),
  observed_at: t.timestamp('When the observation started (UTC).'),
}

/** Key and order of such a table; `row` are the columns that tell the rows of an observation apart. */
export function observedTable<const R extends readonly string[]>(...row: R) {
  return { key: ['network', ...row, 'observation_id'], sortBy: row, history: 'observations' } as const
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
  chain_name: t
    .text(
      'Name of the chain in the service (chainInfo.chainName), such as p-chain; null where the service leaves it out.',
      nullable,
    )
    .unproven(),
}

/** What only the service says of an asset. */
export const assetLookFields = {
  asset_name: t.text('Name of the asset; null where the service leaves it out.', nullable).at('name'),
  asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable).at('symbol'),
  asset_denomination: t
    .int64('Decimal places of the asset; null where the service leaves it out.', nullable)
    .at('denomination', 'u8'),
  asset_type: t
    .text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable)
    .at('type', 'word'),
}

/** An amount of an asset, as the service returns it. */
export const assetAmountFields = {
  asset_id: t.address('Id of the asset.').at('assetId', 'id'),
  ...assetLookFields,
  amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).').at('amount'),
}

/** First columns of tables of EVM chains. */
export const evmChainColumns = {
  ...networkColumn,
  chain_id: t.address('EVM chain id or blockchain id, as in the job.'),
}

/** First columns of every table of token transfers. */
export const transferPlaceColumns = {
  ...evmChainColumns,
  ...partlyUnproven({
    block_number: t.int64('Number of the block.').at('blockNumber'),
    log_index: t
      .int64('Position of the event among all events of the block; null where the service leaves it out.', nullable)
      .at('logIndex'),
    transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash').lasting(),
  }),
}

/** Time and hash of the block of a row. */
export const servedBlockColumns = partlyUnproven({
  block_time: t
    .timestamp('Time of the block (UTC), with milliseconds where the answer has them.')
    .at('blockTimestamp')
    .lasting(),
  block_hash: t.hex('Hash of the block.').at('blockHash', 'hash').lasting(),
})

/** Time, sender and receiver of a transfer. */
export const transferPartyColumns = {
  ...servedBlockColumns,
  ...partyColumns('from', 'Sender; the zero address for minted tokens.'),
  ...partyColumns('to', 'Receiver; the zero address for burned tokens.'),
}

/** A sender or receiver, and what only the service knows of it. */
export function partyColumns<const P extends string>(party: P, comment: string) {
  const columns = {
    address: t.address(comment).at('address').lasting().partlyUnproven(),
    name: t.text('Name of the address in the service.', nullable).at('name').unproven(),
    symbol: t.text('Symbol of the token at the address.', nullable).at('symbol').unproven(),
    decimals: t.int64('Decimal places of the token at the address.', nullable).at('decimals').unproven(),
    logo_uri: t.text('URL of the logo of the address.', nullable).at('logoUri').unproven(),
  }
  return prefixed(party, below(party, columns))
}

type Prefixed<P extends string, C> = { [K in keyof C & string as `${P}_${K}`]: C[K] }

function prefixed<const P extends string, C extends object>(prefix: P, columns: C): Prefixed<P, C> {
  const renamed = Object.entries(columns).map(([name, column]) => [`${prefix}_${name}`, column])
  return Object.fromEntries(renamed) as Prefixed<P, C>
}

/** Amounts of tokens, which have up to 256 bits. */
export const tokenAmountColumns = exactColumns('amount', 'Amount in the least unit of the token', 'value')

export const tokenAddressColumns = {
  token_address: t.address('Contract of the token.').at('address'),
  standard: t.text('Standard of the token: erc20, erc721 or erc1155.'),
}

export const tokenNameColumns = unproven({
  token_name: t.text('Name of the token.', nullable).at('name'),
  token_symbol: t.text('Symbol of the token.', nullable).at('symbol'),
})

/** How a token is shown. */
export const tokenLookColumns = {
  token_decimals: t.int64('Decimal places of the token.', nullable).at('decimals'),
  token_logo_uri: t.text('URL of the token logo.', nullable).at('logoUri').unproven(),
}

/** The value of a balance, which an answer may leave out. */
export const balanceValueColumns = unproven({
  balance_value_currency: t
    .text('Currency of balance_value, such as usd.', nullable)
    .at('balanceValue.currencyCode', 'word'),
  balance_value: t
    .double('Value of the balance in that currency when the service answered.', nullable)
    .at('balanceValue.value'),
})

/** A price, which an answer may leave out. */
export const optionalPriceColumns = unproven({
  price_currency: t.text('Currency of the price, such as usd.', nullable).at('price.currencyCode', 'word'),
  price: t.double('Price of one whole token in that currency when the service answered.', nullable).at('price.value'),
})

export const collectibleColumns = {
  token_id: t.text('Id of the token in its contract, in decimal digits.').at('tokenId', 'tokenId'),
  token_uri: t.text('URI of the metadata of the token.', nullable).at('tokenUri').unproven(),
  metadata: t
    .struct(
      {
        index_status: t
          .text('Status of the metadata in the service, as it spells it: INDEXED, UNINDEXED, …', nullable)
          .at('indexStatus', 'word'),
        metadata_updated_at: t
          .timestamp('When the service last read the metadata (UTC).', nullable)
          .at('metadataLastUpdatedTimestamp'),
        name: t.text('Name of the token.', nullable).at('name'),
        symbol: t.text('Symbol of the token.', nullable).at('symbol'),
        image_uri: t.text('URL of the image.', nullable).at('imageUri'),
        description: t.text('Description.', nullable).at('description'),
        animation_uri: t.text('URL of the animation.', nullable).at('animationUri'),
        external_url: t.text('URL of a page about the token.', nullable).at('externalUrl'),
        background: t.text('Background colour.', nullable).at('background'),
        attributes: t.text('Attributes as the service returns them (ERC-721).', nullable).at('attributes'),
        decimals: t.int64('Decimal places (ERC-1155).', nullable).at('decimals'),
        properties: t.text('Properties as the service returns them (ERC-1155).', nullable).at('properties'),
      },
      'Metadata that the service read from the URI of the token; null where the service leaves it out.',
      nullable,
    )
    .at('metadata')
    .unproven(),
}

export const tokenBalanceColumns = partlyUnproven(
  exactColumns('balance', 'Balance in the least unit of the token', 'balance'),
)

/** Parameters that select the balances of a wallet, with the column that holds the selected values. */
export const walletCoverage = { lists: null, 'contract-address': 'token_address', 'block-number': null } as const

/** Key, partition and coverage of tables of the tokens of a wallet. */
export const tokenBalance = {
  ...observedTable('chain_id', 'owner', 'token_address', 'token_id'),
  sortBy: ['chain_id', 'owner', 'token_address'],
  coverage: { filters: walletCoverage },
} as const

/** First columns of these tables. */
export const heldTokenColumns = {
  ...evmChainColumns,
  owner: t.address('Address of the wallet that holds the token.'),
  ...observationColumns,
  token_address: tokenAddressColumns.token_address.unproven(),
  standard: tokenAddressColumns.standard.lasting().unproven(),
}

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
  ...below('asset', assetLookFields),
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
const assetSumFields = {
  ...assetAmountFields,
  amount: t.decimal38('Amount in the least unit of the asset (AVAX: nAVAX).').at('amount'),
}
export const assetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what)
const maybeAssetSums = (what: string) => t.list(t.struct(assetSumFields, 'Asset.'), what, nullable)

/** The sums of a transaction of the X-Chain, or of an atomic one of the C-Chain. */
export const transactionSums = unproven({
  amount_unlocked: maybeAssetSums('Amounts unlocked, by asset.').at('amountUnlocked'),
  amount_created: maybeAssetSums('Amounts created, by asset.').at('amountCreated'),
  amounts: maybeAssetSums('Value of the transaction by asset; null where the service leaves it out.').at('value'),
  amount_burned: maybeAssetSums('Amounts burned, by asset; null where the service leaves them out.').at('amountBurned'),
})

/** Whether `verify` can check a memo depends on the chain: the table marks it. */
export const memo = t
  .blob(
    'Memo: decoded when the service returns 0x hex, otherwise the UTF-8 bytes; null where the service leaves it out.',
    nullable,
  )
  .at('memo', 'memo')
