import { type DeclaredColumn, day, identity, month, nullable, t } from '../../src/define/index.ts'

/** First columns of every table of EVM blocks. */
export const evmBlockColumns = {
  network: t.text('Network: mainnet, fuji, local, network-<id> or evm-<chain id>.'),
  chain_id: t.address('EVM chain id in decimal digits, as the node returns it.'),
  block_number: t.int64('Number of the block. The genesis block has number 0.'),
  block_time: t.timestamp(
    'Time of the block (UTC), with milliseconds where the header has them; null after the year 9999. Of a chain that writes milliseconds, microseconds or nanoseconds where others write seconds, the time that these are.',
    nullable,
  ),
}

/** First columns of every table of EVM transactions. */
export const evmTransactionColumns = {
  ...evmBlockColumns,
  transaction_index: t.int64(
    'Position of the transaction in the block, as the node states it: a chain that hides some transactions leaves out numbers.',
  ),
  transaction_hash: t.hex('Hash of the transaction.'),
}

/** The same in rows from a tracer. If the lake has the transaction in `evm_transactions`, `verify` proves them. */
export const tracedColumns = {
  ...evmTransactionColumns,
  block_number: evmTransactionColumns.block_number.partlyUnproven(),
  block_time: evmTransactionColumns.block_time.partlyUnproven(),
  transaction_index: evmTransactionColumns.transaction_index.partlyUnproven(),
  transaction_hash: evmTransactionColumns.transaction_hash.lasting().partlyUnproven(),
}

/** Identifies a log together with the position of its transaction: some chains count logs within the transaction. */
export const logIndexColumn = t.int64(
  'Index of the log as the node states it: on most chains its position among all logs of the block, on some among those of the transaction.',
)

/** Key and partition of a table of EVM blocks; `position` are the columns that distinguish rows of a block. */
export function evmTable<const P extends readonly string[]>(...position: P) {
  return {
    key: ['network', 'chain_id', 'block_number', ...position],
    sortBy: ['block_number', ...position],
    partitionBy: [identity('network'), identity('chain_id'), day('block_time')],
  } as const
}

/** First columns of every table of events. */
export const eventColumns = {
  ...evmTransactionColumns,
  log_index: logIndexColumn,
  contract: t.address('Contract that emitted the log; for a proxy the address of the proxy.'),
}

/** First columns of every table of the state of an EVM chain at blocks. Only `evm_blocks` may hold the block, too. */
export const stateColumns = {
  ...evmBlockColumns,
  block_number: evmBlockColumns.block_number.partlyUnproven(),
  block_time: evmBlockColumns.block_time.partlyUnproven(),
  block_hash: t.hex('Hash of the block. The value is the state after this block.').lasting().partlyUnproven(),
}

/** Key and partition of such a table; `subject` are the columns that say what was read at the block. */
export function stateTable<const S extends readonly string[]>(...subject: S) {
  return {
    key: ['network', 'chain_id', ...subject, 'block_number'],
    sortBy: [...subject, 'block_number'],
    partitionBy: [identity('network'), identity('chain_id'), month('block_time')],
  } as const
}

type Exact<N extends string> = { [K in N]: DeclaredColumn<bigint | null> } & {
  [K in `${N}_raw`]: DeclaredColumn<string>
}

/** An amount of at most 256 bits: a number where it fits, and its exact text. `path`: where an answer has it. */
export function exactColumns<const N extends string>(name: N, comment: string, path?: string): Exact<N> {
  const number = t.decimal38(`${comment}; null when it has more than 38 digits.`, nullable)
  return {
    [name]: path === undefined ? number : number.at(path, 'digits'),
    [`${name}_raw`]: t.text(`${comment}, as text with all digits.`),
  } as unknown as Exact<N>
}

type Wide<N extends string> = { [K in N]: DeclaredColumn<bigint | null> } & {
  [K in `${N}_raw`]: DeclaredColumn<string | null>
}

/** A nullable 256-bit value of the EVM, such as a price: a number where it fits, and its exact text. `path`: where an answer has it. */
export function wideColumns<const N extends string>(name: N, comment: string, path?: string): Wide<N> {
  const number = t.decimal38(`${comment} Null when it has more than 38 digits.`, nullable)
  return {
    [name]: path === undefined ? number : number.at(path, 'digits'),
    [`${name}_raw`]: t.text(`${comment} As text with all digits.`, nullable),
  } as unknown as Wide<N>
}

/** What a transaction of an EVM chain says, without its signature. */
export const unsignedColumns = {
  transaction_type: t.int64(
    '0: legacy, 1: access list, 2: dynamic fee, 3: blobs, 4: authorizations; chains define others, such as 126 for deposits.',
  ),
  from_address: t.address('Sender.').at('transaction.from'),
  to_address: t.address('Receiver; null when the transaction creates a contract.', nullable).at('transaction.to'),
  nonce: t
    .u64('Nonce of the sender; of a deposit that of its receipt. Null where the chain states none.', nullable)
    .at('transaction.nonce'),
  value: t
    .decimal38('Amount sent, in wei; null when it has more than 38 digits, and where the chain states none.', nullable)
    .at('transaction.value', 'digits'),
  value_raw: t.text('Amount sent, in wei, as text with all digits; null where the chain states none.', nullable),
  gas_limit: t.u64('Gas limit; null where the chain states none.', nullable).at('transaction.gas'),
  ...wideColumns(
    'gas_price',
    'Gas price in wei per gas, as the RPC returns it for every type; null where it returns none.',
    'transaction.gasPrice',
  ),
  ...wideColumns('max_fee_per_gas', 'Maximum fee in wei per gas (type 2 and later).', 'transaction.maxFeePerGas'),
  ...wideColumns(
    'max_priority_fee_per_gas',
    'Maximum priority fee in wei per gas (type 2 and later).',
    'transaction.maxPriorityFeePerGas',
  ),
  ...wideColumns('max_fee_per_blob_gas', 'Maximum fee in wei per blob gas (type 3).', 'transaction.maxFeePerBlobGas'),
  input: t
    .blob('Input data; null where the chain states none, as for a transaction with a list of calls.', nullable)
    .at('transaction.input'),
  access_list: t
    .list(
      t.struct(
        { address: t.address('Address.'), storage_keys: t.list(t.hex('Key.'), 'Storage keys.') },
        'An address and its storage keys.',
      ),
      'Access list; null for legacy transactions.',
      nullable,
    )
    .at('transaction.accessList'),
  blob_versioned_hashes: t
    .list(t.hex('Hash.'), 'Hashes of the blobs (type 3).', nullable)
    .at('transaction.blobVersionedHashes', 'hash'),
  authorization_list: t
    .list(
      t.struct(
        {
          signed_chain_id: t.decimal38(
            'Chain id for which it is valid; 0: any chain; null when it has more than 38 digits.',
            nullable,
          ),
          address: t.address('Contract that the account delegates to.'),
          nonce: t.u64('Nonce of the account.'),
          y_parity: t.int64('Parity of the signature.', nullable),
          r: t.hex('r of the signature, 0x without leading zeros.', nullable),
          s: t.hex('s of the signature, 0x without leading zeros.', nullable),
        },
        'Authorization.',
      ),
      'Authorizations by which accounts delegate to a contract (type 4).',
      nullable,
    )
    .at('transaction.authorizationList'),
  signed_chain_id: t
    .decimal38(
      'Chain id in the signed data, as the node returns it; null where it returns none, and when it has more than 38 digits.',
      nullable,
    )
    .at('transaction.chainId', 'digits'),
}

/** The header of a C-Chain block, and `block_hash`, which is its keccak256. */
export const cHeaderColumns = {
  block_hash: t.hex('keccak256 of the header.'),
  parent_hash: t.hex('Hash of the parent block.'),
  sha3_uncles: t.address('Hash of the list of uncles, which is always empty.'),
  miner: t.address('Coinbase: the fixed address to which fees are burned.'),
  state_root: t.hex('Root of the state; since Helicon the state after the settled blocks.'),
  transactions_root: t.hex('Root of the transactions.'),
  receipts_root: t.hex('Root of the receipts; since Helicon those of the settled blocks.'),
  logs_bloom: t.blob('Bloom filter of the logs; since Helicon those of the settled blocks.'),
  ...wideColumns('difficulty', 'Difficulty.'),
  gas_limit: t.u64('Gas limit.'),
  gas_used: t.int64('Gas used; since Helicon an upper bound.'),
  timestamp_seconds: t.u64('Unix time in seconds, as in the header.'),
  extra_data: t.blob('Extra data: fee state and results of warp predicates.'),
  mix_hash: t.address('Mix digest: all zero.'),
  nonce: t.u64('Nonce of the header: 0.'),
  ext_data_hash: t.hex('Hash of the extra data with the atomic transactions; zero before Apricot Phase 1.'),
  ...wideColumns('base_fee_per_gas', 'Base fee in wei per gas (since Apricot Phase 3); since Helicon an upper bound.'),
  ...wideColumns('ext_data_gas_used', 'Gas used by atomic transactions (since Apricot Phase 4).'),
  ...wideColumns('block_gas_cost', 'Cost of the block in gas (since Apricot Phase 4).'),
  blob_gas_used: t.u64('Blob gas used (since Etna), always 0.', nullable),
  excess_blob_gas: t.u64('Excess blob gas (since Etna), always 0.', nullable),
  parent_beacon_block_root: t.address('Root of the parent beacon block (since Etna), always zero.', nullable),
  timestamp_milliseconds: t.u64('Unix time in milliseconds (since Granite).', nullable),
  min_delay_excess: t.u64('State of the minimum delay between blocks (since Granite).', nullable),
  target_exponent: t.u64('State of the gas target (since Helicon).', nullable),
  min_price_exponent: t.u64('State of the minimum gas price (since Helicon).', nullable),
  settled_height: t.int64('Number of the last block that this block settles (since Helicon).', nullable),
  settled_gas_unix: t.u64('Gas clock of the settled block, Unix time in seconds (since Helicon).', nullable),
  settled_gas_numerator: t.u64(
    'Gas clock of the settled block, numerator of the fraction of a second (since Helicon).',
    nullable,
  ),
  settled_excess: t.u64('Gas excess of the settled block (since Helicon).', nullable),
}

/** The columns that determine this hash. A text with all digits repeats its number. */
export const headerColumns = [
  ...(Object.keys(cHeaderColumns) as (keyof typeof cHeaderColumns)[]).filter((name) => !name.endsWith('_raw')),
  ...(['block_number', 'block_extra_data'] as const),
]

/** The columns that determine the hash of a transaction. */
export const signedColumns = [
  'transaction_hash',
  'transaction_type',
  'nonce',
  'to_address',
  'value_raw',
  'gas_limit',
  'gas_price',
  'max_fee_per_gas',
  'max_priority_fee_per_gas',
  'input',
  'access_list',
  'signed_chain_id',
  'v',
  'r',
  's',
  'from_address',
  'contract_address',
] as const
