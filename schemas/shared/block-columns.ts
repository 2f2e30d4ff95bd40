import { below, type DeclaredColumn, nullable, t } from '../../src/define/index.ts'

/** The first column of every table. */
export const networkColumn = {
  network: t.text('Network: mainnet, fuji, local or network-<id>.'),
}

/** Time of the block of a row of the P-Chain. */
export const pBlockTimeColumn = {
  block_time: t.timestamp(
    'Time of the block (UTC). Since Banff the block contains it; before Banff it is that of an AdvanceTimeTx in the block, otherwise that of the proposervm wrapper, otherwise null.',
    nullable,
  ),
}

/** What the node of an index says of a container. */
export const acceptedColumns = {
  accepted_at: t.timestamp(
    'When the indexing node accepted the container (UTC, microseconds). This is not the block time.',
    nullable,
  ),
  accepted_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable),
}

/** Fields of the proposervm wrapper and of the index; the same in every table of blocks. Null when the blocks were read by RPC. */
export const wrapperColumns = {
  container_id: t.cb58(
    'Id of the container in the index: that of the proposervm block if there is one. Null when the block was read by RPC.',
    nullable,
  ),
  container_index: t.int64(
    'Position of the container in a complete index of the chain, which is height − 1, also when the index of the node starts at a later block. Null when the block was read by RPC.',
    nullable,
  ),
  ...acceptedColumns,
  wrapper: t.text(
    'Kind of the proposervm wrapper: none, block, option or granite. Null when the block was read by RPC.',
    nullable,
  ),
  wrapper_parent_id: t.cb58('Id of the parent container in the wrapper; null without a wrapper.', nullable),
  wrapper_time: t.timestamp('Time in the wrapper (UTC); null for options and without a wrapper.', nullable),
  wrapper_p_height: t.int64('P-Chain height in the wrapper; null for options and without a wrapper.', nullable),
  proposer_node_id: t.address(
    'Node that signed the wrapper, derived from its certificate; null when unsigned.',
    nullable,
  ),
  epoch_number: t.int64('Number of the epoch; null without a Granite wrapper.', nullable),
  epoch_start: t.timestamp('Start of the epoch (UTC); null without a Granite wrapper.', nullable),
  epoch_p_height: t.int64('P-Chain height of the epoch; null without a Granite wrapper.', nullable),
  byte_length: t.int64('Length of the container in bytes. Null when the block was read by RPC.', nullable),
}

/** First columns of every table of the X-Chain and of the C-Chain. */
export const chainColumns = {
  ...networkColumn,
  blockchain_id: t.address('Id of the chain.'),
}

/** First columns of every table of C-Chain blocks. */
export const cBlockColumns = {
  ...chainColumns,
  block_number: t.int64('Number of the block. The genesis block has number 0 and is in no index.'),
  block_time: t.timestamp('Time of the block (UTC), with milliseconds where the header has them.', nullable),
}

/** First columns of every table of atomic transactions of the C-Chain. */
export const cAtomicColumns = {
  ...cBlockColumns,
  tx_index: t.int64('Position among the atomic transactions of the block.'),
  tx_id: t.cb58('Id of the atomic transaction. Not unique: a few early blocks of mainnet repeat some.'),
}

/** First columns of every table of X-Chain transactions; the block is null in rows of the legacy index. */
export const xTransactionColumns = {
  ...chainColumns,
  height: t.int64('Height of the block; null in rows of the legacy index.', nullable),
  block_time: t.timestamp('Time of the block (UTC); null in rows of the legacy index.', nullable),
  tx_index: t.int64('Position of the transaction in its block; null in rows of the legacy index.', nullable),
  tx_id: t.cb58('Id of the transaction.'),
}

/** First columns of every table of P-Chain transactions. */
export const pTransactionColumns = {
  ...networkColumn,
  height: t.int64('Height of the block.'),
  ...pBlockTimeColumn,
  tx_index: t.int64(
    'Position of the transaction in its block; the proposed transaction of a proposal block is the last.',
  ),
  tx_id: t.cb58('Id of the transaction. Not unique: an aborted AdvanceTimeTx can be proposed again.'),
}

/** One signature of a transaction: its position and its signer. */
export const credentialColumns = {
  credential_index: t.int64(
    'Position among the credentials of the transaction: those of ordinary inputs, then of imported ones, then of operations, then authorizations.',
  ),
  signature_index: t.int64(
    'Position in the credential; signature_indices of the input has the index of the owner at the same position.',
  ),
  fx_id: t.address('Id of the feature extension that checks the credential.'),
  signature: t.blob('Signature, 65 bytes: r, s and the recovery id. It signs the sha256 of the unsigned transaction.'),
  public_key: t.hex(
    'Public key of the signer, compressed, 33 bytes; null without --signers, and when the signature yields no key.',
    nullable,
  ),
  address: t.address('Address of the public key, bech32 without chain prefix; null when public_key is null.', nullable),
}

export const encodingColumn = {
  encoding: t.text('Requested encoding: hex or json; null where the content was not requested.', nullable),
}

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

type OwnerColumns<P extends string> = {
  [K in `${P}_threshold`]: DeclaredColumn<number | bigint | null>
} & { [K in `${P}_locktime`]: DeclaredColumn<bigint | null> } & {
  [K in `${P}_addresses`]: DeclaredColumn<string[] | null>
}

/**
 * The three columns of an owner: threshold, locktime as Unix time in seconds, bech32 addresses without chain prefix. `path` is that of the
 * owner in an item of an answer; with `?` an owner always has a threshold and addresses.
 */
export function ownerColumns<const P extends string>(prefix: P, owner: string, path = ''): OwnerColumns<P> {
  const columns = {
    [`${prefix}_threshold`]: t
      .int64(`Threshold of ${owner}: number of signatures needed; null without one.`, nullable)
      .at('threshold', 'u32'),
    [`${prefix}_locktime`]: t
      .u64(`Locktime of ${owner}, Unix time in seconds; null without one.`, nullable)
      .at(path.endsWith('?') ? 'locktime?' : 'locktime'),
    [`${prefix}_addresses`]: t
      .list(t.address('Address.'), `Addresses of ${owner}, bech32 without chain prefix.`, nullable)
      .at('addresses', 'owner'),
  }
  return below(path, columns) as unknown as OwnerColumns<P>
}

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

export const nftColumns = {
  group_id: t.int64('Group of an NFT output; null for others.', nullable),
  payload: t.blob('Payload of an NFT; null for others.', nullable),
}

export const stakingTimeColumns = {
  start_time: t.timestamp('Start of the staking (UTC).').at('startTime', 'time'),
  end_time: t.timestamp('End of the staking (UTC).').at('endTime', 'time'),
}
