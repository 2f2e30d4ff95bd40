import { tables } from '../../schemas/index.ts'
import type { Columns, Table } from '../define/index.ts'
import { sqlName } from '../lib/text.ts'
import { computedColumns, type PlaceColumn } from './lake.ts'

// Where a lake holds the same fact twice, as data: in one row, in two tables of one source, and in tables of two sources. `checks.ts` turns
// each of them into a query. Names separated by spaces are columns that both sides have under that name.

/** A declared table, by its name. */
export function tableNamed(name: string): Table {
  const found = (tables as readonly Table[]).find((table) => table.name === name)
  if (found === undefined) throw new TypeError(`No table ${name} is declared.`)
  return found
}

/** SQL of the same value on two sides. */
type Both = readonly [own: string, other: string]

export const words = (text: string): string[] => text.split(' ')
const pairsOf = (text: string): Both[] => words(text).map((name) => [name, name])
const same = (text: string): Record<string, Both> => Object.fromEntries(words(text).map((name) => [name, [name, name]]))

/** Changes of one kind of value, which follow one another. */
export type Changes = {
  readonly table: Table
  /** The columns of the value before and after a change. */
  readonly before: string
  readonly after: string
  /** An SQL condition that holds only for a change that contradicts the change before it (`previous`, in block `previous_block`). */
  readonly contradicts: string
  /** Whether the rule holds on the C-Chain only. */
  readonly onlyOfCChain: boolean
}

/** Each value before a change is the value after the last change. These rules say where no change can be missing. */
export const changes: readonly Changes[] = [
  // Atomic transfers and rewards are in no diff, but come after the transactions of a block. Other chains can mint in between.
  {
    table: tableNamed('evm_balance_changes'),
    before: 'balance_before_raw',
    after: 'balance_after_raw',
    contradicts: 'block_number = previous_block AND balance_before_raw <> previous',
    onlyOfCChain: true,
  },
  // Atomic exports raise nonces; without a change that shows it, none falls.
  {
    table: tableNamed('evm_nonce_changes'),
    before: 'nonce_before',
    after: 'nonce_after',
    contradicts: 'nonce_before < previous',
    onlyOfCChain: false,
  },
  {
    table: tableNamed('evm_code_changes'),
    before: 'code_hash_before',
    after: 'code_hash_after',
    contradicts: 'code_hash_before <> previous',
    onlyOfCChain: false,
  },
  // A deletion clears slots without a row for each.
  {
    table: tableNamed('evm_storage_changes'),
    before: 'slot_value_before',
    after: 'slot_value_after',
    contradicts: `slot_value_before <> previous AND slot_value_before <> '0x${'0'.repeat(64)}'`,
    onlyOfCChain: false,
  },
]

/** Rows about transactions, from a stream over all blocks of a chain. */
export type OfTransactions = {
  readonly table: Table
  /** Which transactions have such rows: `every`, every one that was `executed`, or `some` of them. */
  readonly have: 'every' | 'executed' | 'some'
}

/**
 * Each transaction changes the nonce of its sender, and reads it. A transaction that the chain does not trace has a row of traces that says so,
 * but no changes. Another chain than the C-Chain may execute transactions without any change.
 */
export const ofTransactions: readonly OfTransactions[] = [
  { table: tableNamed('evm_traces'), have: 'every' },
  { table: tableNamed('evm_nonce_changes'), have: 'executed' },
  { table: tableNamed('evm_state_reads'), have: 'executed' },
  { table: tableNamed('evm_balance_changes'), have: 'some' },
  { table: tableNamed('evm_code_changes'), have: 'some' },
  { table: tableNamed('evm_storage_changes'), have: 'some' },
]

/** A rule that the values of one row must satisfy. */
type RowRule = {
  /** Columns that state the same fact in two ways. */
  readonly columns: readonly string[]
  /** SQL that is true or null for every row that is right. */
  readonly holds: string
  /** Some EVM chains break the rule: only rows of the C-Chain are then wrong, and others are counted in a remark. */
  readonly mayBreak?: true
}

/** All rules of a table. */
export function rulesOf(table: Table): RowRule[] {
  return [
    ...secondsAndNanoseconds(table),
    ...exactTexts(table),
    ...headerTimes(table),
    ...observationTimes(table),
    ...(otherRules[table.name] ?? []),
  ]
}

/** A time in microseconds and the same time in nanoseconds. */
function secondsAndNanoseconds(table: Table): RowRule[] {
  return columnsEnding(table, '_ns').map((name) => {
    const time = name.slice(0, -'_ns'.length)
    return { columns: [time, name], holds: `epoch_us(${sqlName(time)}) = ${sqlName(name)} // 1000` }
  })
}

/** A number of at most 38 digits and the same number as a text, which may be longer. */
function exactTexts(table: Table): RowRule[] {
  return columnsEnding(table, '_raw').map((name) => {
    const number = name.slice(0, -'_raw'.length)
    const text = sqlName(name)
    const holds =
      table.columns[number]?.type.kind === 'double'
        ? `${sqlName(number)} = ${text}::DOUBLE`
        : `NOT regexp_full_match(${text}, '[0-9]+') OR coalesce(${sqlName(number)}::VARCHAR = ${text}, length(${text}) > 38)`
    return { columns: [number, name], holds }
  })
}

function columnsEnding({ columns }: Table, ending: string): string[] {
  return Object.keys(columns as Columns).filter(
    (name) => name.endsWith(ending) && name.slice(0, -ending.length) in columns,
  )
}

/** Headers of a few chains state milliseconds, microseconds or nanoseconds: see `timeOfTimestamp`. */
const microseconds = `CASE WHEN timestamp_seconds <= 253402300799 THEN timestamp_seconds::HUGEINT * 1000000
  WHEN timestamp_seconds < 9223372037000 THEN timestamp_seconds::HUGEINT * 1000
  WHEN timestamp_seconds < 9223372037000000 THEN timestamp_seconds::HUGEINT ELSE timestamp_seconds::HUGEINT // 1000 END`

/** The time of an EVM block and the time in its header. */
function headerTimes(table: Table): RowRule[] {
  if (!('timestamp_seconds' in table.columns)) return []
  const holds = `epoch_us(block_time)::HUGEINT = coalesce(timestamp_milliseconds::HUGEINT * 1000, ${microseconds})
    AND coalesce(timestamp_milliseconds::UBIGINT // 1000 = timestamp_seconds, true)`
  return [{ columns: ['block_time', 'timestamp_seconds', 'timestamp_milliseconds'], holds }]
}

/** The id of an observation begins with its time. */
function observationTimes({ history, columns }: Table): RowRule[] {
  // Points of a series and items of a list do not disappear. They have the id of the run that read them, which compares them page by page.
  const areListed = history === 'versions' && !('present' in columns)
  if (!('observation_id' in columns) || areListed) return []
  const holds = "starts_with(observation_id, strftime(observed_at, '%Y%m%dT%H%M%S%gZ'))"
  return [{ columns: ['observation_id', 'observed_at'], holds }]
}

/** The second part of a subject, such as `subnet/ID?delegators=true`. */
const ofSubject = (column: string): RowRule => ({
  columns: ['subject', column],
  holds: `split_part(split_part(subject, '?', 1), '/', 2) = ${sqlName(column)}`,
})
const ofWallet = (column: string): RowRule => ({
  columns: ['subject', 'chain_id', column],
  holds: `split_part(subject, '?', 1) = chain_id || '/' || ${sqlName(column)}`,
})
const encoded = (bytes: string, json: string): RowRule => ({
  columns: ['encoding', bytes, json],
  holds: `encoding IS NOT DISTINCT FROM CASE WHEN ${bytes} IS NOT NULL THEN 'hex' WHEN ${json} IS NOT NULL THEN 'json' END`,
})
const differ = (columns: readonly [string, string]): RowRule => ({ columns, holds: columns.join(' <> ') })

const allOf = (tables: string, rule: RowRule) => Object.fromEntries(words(tables).map((name) => [name, [rule]]))

const otherRules: Readonly<Record<string, readonly RowRule[]>> = {
  ...Object.fromEntries(changes.map(({ table, before, after }) => [table.name, [differ([before, after])]])),
  evm_state_reads: [
    {
      columns: ['slot', 'slot_value', 'balance_raw', 'nonce', 'code_hash'],
      holds: `CASE WHEN slot IS NULL THEN slot_value IS NULL AND balance_raw IS NOT NULL AND nonce IS NOT NULL AND code_hash IS NOT NULL
        ELSE slot_value IS NOT NULL AND coalesce(balance_raw, nonce::VARCHAR, code_hash) IS NULL END`,
    },
  ],
  ...allOf('node_validators node_delegators node_l1_validators node_supply', ofSubject('subnet_id')),
  ...allOf('node_fees node_p_fees node_validator_fees node_vm_config', ofSubject('blockchain_id')),
  node_balances: [ofSubject('address')],
  rest_signed_messages: [
    { columns: ['message', 'signed_message'], holds: 'message IS NULL OR starts_with(signed_message, message)' },
  ],
  rest_icm_messages: [
    {
      columns: ['message_status', 'source_transaction_hash'],
      holds: "message_status NOT IN ('pending', 'delivered') OR source_transaction_hash IS NOT NULL",
    },
    {
      columns: ['message_status', 'destination_transaction_hash'],
      holds: "message_status NOT LIKE 'delivered%' OR destination_transaction_hash IS NOT NULL",
    },
  ],
  node_evm_state: [{ columns: ['subject', 'chain_id'], holds: 'subject = chain_id' }],
  node_utxos: [
    {
      columns: ['subject', 'source_chain_id'],
      holds: "coalesce(source_chain_id, '') = split_part(subject, '?source=', 2)",
    },
  ],
  rest_native_balances: [ofWallet('address')],
  ...allOf(
    'rest_erc20_balances rest_erc721_balances rest_erc1155_balances rest_collectible_balances',
    ofWallet('owner'),
  ),
  metrics_token_holders: [
    ofWallet('token_address'),
    {
      columns: ['subject', 'balance_threshold'],
      holds: "balance_threshold = split_part(split_part(subject, 'threshold=', 2), '&', 1)",
    },
  ],
  evm_transactions: [{ columns: ['y_parity', 'v'], holds: 'y_parity = v', mayBreak: true }],
  node_transactions: [encoded('tx_bytes', 'tx_json')],
  node_blocks: [encoded('block_bytes', 'block_json')],
  p_transactions: [{ columns: ['chain_time', 'chain_time_seconds'], holds: 'epoch(chain_time) = chain_time_seconds' }],
  p_validations: [{ columns: ['end_time', 'stated_end'], holds: 'epoch(end_time) = stated_end' }],
}

/** How many rows of one table belong to each row of another. */
export type Count = {
  readonly of: Table
  /** The column of `of` (or SQL) that holds the number. Null if there is none: then each row of `rows` only needs a row of `of`. */
  readonly number: string | null
  readonly rows: Table
  /** Columns that both tables have, besides the height or block number. */
  readonly by: readonly string[]
  /** The column that both tables are partitioned by; null if the rows of the two tables are not at the same heights. */
  readonly place: PlaceColumn | null
  /** A pair of columns that match under different names. */
  readonly as?: { readonly of: string; readonly rows: string }
  /** Set if rows may be read without the rows that they belong to, such as logs by filter. */
  readonly alone?: true
}

const count = (
  [of, number]: readonly [string, string | null],
  rows: string,
  by: string,
  place: PlaceColumn | null,
  more: Pick<Count, 'as' | 'alone'> = {},
): Count => ({ of: tableNamed(of), number, rows: tableNamed(rows), by: words(by), place, ...more })

const xTransaction = 'network blockchain_id tx_id'
const atomicTransaction = 'network blockchain_id tx_index'

/** All numbers in a table that count rows of another table. */
export const counts: readonly Count[] = [
  count(['p_blocks', 'tx_count'], 'p_transactions', 'network', 'height'),
  count(['p_transactions', 'input_count'], 'p_inputs', 'network tx_index', 'height'),
  count(['p_transactions', 'output_count'], 'p_outputs', 'network tx_index', 'height'),
  count(['p_transactions', 'signature_count'], 'p_credentials', 'network tx_index', 'height'),
  count(['p_transactions', null], 'p_validations', 'network tx_index', 'height'),
  count(['x_blocks', 'tx_count'], 'x_transactions', 'network blockchain_id', 'height'),
  count(['x_transactions', 'input_count'], 'x_inputs', xTransaction, null),
  count(['x_transactions', 'output_count'], 'x_outputs', xTransaction, null),
  count(['x_transactions', 'operation_count'], 'x_operations', xTransaction, null),
  count(['x_transactions', 'signature_count'], 'x_credentials', xTransaction, null),
  count(
    ['x_transactions', "CASE WHEN tx_type = 'CreateAssetTx' THEN 1 ELSE 0 END"],
    'x_assets',
    'network blockchain_id',
    null,
    { as: { of: 'tx_id', rows: 'asset_id' } },
  ),
  count(['c_blocks', 'transaction_count'], 'c_transactions', 'network blockchain_id', 'block_number'),
  count(['c_blocks', 'atomic_transaction_count'], 'c_atomic_transactions', 'network blockchain_id', 'block_number'),
  count(['c_transactions', '1'], 'c_senders', 'network blockchain_id transaction_index', 'block_number'),
  count(['c_atomic_transactions', 'input_count'], 'c_atomic_inputs', atomicTransaction, 'block_number'),
  count(['c_atomic_transactions', 'output_count'], 'c_atomic_outputs', atomicTransaction, 'block_number'),
  count(['c_atomic_transactions', 'signature_count'], 'c_credentials', atomicTransaction, 'block_number'),
  count(['evm_blocks', 'transaction_count'], 'evm_transactions', 'network chain_id', 'block_number'),
  count(['evm_blocks', 'log_count'], 'evm_logs', 'network chain_id', 'block_number', { alone: true }),
  count(['evm_transactions', 'log_count'], 'evm_logs', 'network chain_id transaction_index', 'block_number', {
    alone: true,
  }),
  count(['node_health_reports', 'check_count'], 'node_health', 'network endpoint transport tags observation_id', null),
  count(['node_validator_sets', 'validator_count'], 'node_validators_at', 'network subnet_id height', null),
  count(['evm_logs', null], 'evm_token_transfers', 'network chain_id transaction_index log_index', 'block_number'),
]

/** Values that a row repeats from a row of another table, such as its block, transaction, log or observation. */
export type Copy = {
  readonly table: Table
  readonly of: Table
  /** SQL values of each side that identify the row of `of`, in the same order. */
  readonly by: readonly Both[]
  /** Columns of the table, or SQL, and SQL of the same values in `of`. */
  readonly values: readonly Both[]
  /** SQL conditions on the rows of `table` and of `of`. */
  readonly where: Both
  /** Some EVM chains state them differently: only rows of the C-Chain are then wrong, and others are counted in a remark. */
  readonly mayBreak?: true
}

const copy = (
  table: string,
  of: string,
  by: string | readonly Both[],
  values: string | readonly Both[],
  where: Both = ['true', 'true'],
): Copy => ({
  table: tableNamed(table),
  of: tableNamed(of),
  by: typeof by === 'string' ? pairsOf(by) : by,
  values: typeof values === 'string' ? pairsOf(values) : values,
  where,
})

const evmBlock = 'network chain_id block_number'
const evmTransaction = `${evmBlock} transaction_index`
/** The first calls of transactions. */
const firstCalls: Both = ["trace_index = 0 AND call_type <> 'UNTRACED'", 'true']
const stateDiffs = words('evm_balance_changes evm_nonce_changes evm_code_changes evm_storage_changes evm_state_reads')
const evmCells = words('node_evm_proofs evm_balances evm_nonces evm_codes evm_storage evm_calls evm_tokens')

/** Containers and the rows that repeat when they were accepted. */
const accepted = (of: string, where: string, id: string): Copy =>
  copy(
    'containers',
    of,
    [
      ['network', 'network'],
      ['container_id', id],
    ],
    'accepted_at accepted_at_ns',
    [where, `${id} IS NOT NULL`],
  )

/** All values that two tables of the same source hold. */
export const copies: readonly Copy[] = [
  copy('p_transactions', 'p_blocks', 'network height', 'block_time block_id'),
  ...words('p_inputs p_outputs p_credentials').map((table) =>
    copy(table, 'p_transactions', 'network height tx_index', 'block_time tx_id'),
  ),
  copy('p_validations', 'p_transactions', 'network height tx_index', 'block_time tx_id tx_type'),
  copy('x_transactions', 'x_blocks', 'network blockchain_id height', 'block_time block_id accepted_at container_index'),
  ...words('x_inputs x_outputs x_operations x_credentials').map((table) =>
    copy(table, 'x_transactions', xTransaction, 'height block_time tx_index'),
  ),
  copy('x_assets', 'x_transactions', [...pairsOf('network blockchain_id'), ['asset_id', 'tx_id']], 'block_time'),
  ...words('c_transactions c_senders c_atomic_transactions').map((table) =>
    copy(table, 'c_blocks', 'network blockchain_id block_number', 'block_time'),
  ),
  copy('c_senders', 'c_transactions', 'network blockchain_id block_number transaction_index', 'transaction_hash'),
  ...words('c_atomic_inputs c_atomic_outputs c_credentials').map((table) =>
    copy(table, 'c_atomic_transactions', 'network blockchain_id block_number tx_index', 'block_time tx_id'),
  ),
  ...['evm_transactions', 'evm_logs', 'evm_traces', ...stateDiffs].map((table) =>
    copy(table, 'evm_blocks', evmBlock, 'block_time'),
  ),
  ...['evm_logs', 'evm_traces', ...stateDiffs].map((table) =>
    copy(table, 'evm_transactions', evmTransaction, 'transaction_hash'),
  ),
  // The first call of a transaction is the transaction itself. A failed creation has no address in the traces.
  copy(
    'evm_traces',
    'evm_transactions',
    evmTransaction,
    [
      ...pairsOf('from_address value_raw input'),
      ['to_address IS NULL AND NOT reverted', 'false'],
      ['to_address', 'coalesce(to_address, contract_address)'],
      ["call_type = 'CREATE'", 'to_address IS NULL'],
      ['reverted', 'status = 0'],
    ],
    firstCalls,
  ),
  // Some clients leave out the gas that a transaction costs before its first call (Fantom, Moonbeam, older ones of Ethereum).
  {
    ...copy(
      'evm_traces',
      'evm_transactions',
      evmTransaction,
      [['gas', 'gas_limit'], ...pairsOf('gas_used')],
      firstCalls,
    ),
    mayBreak: true,
  },
  // Each transaction raises the nonce of its sender.
  copy(
    'evm_nonce_changes',
    'evm_transactions',
    [...pairsOf(evmTransaction), ['address', 'from_address']],
    [
      ['nonce_before', 'nonce'],
      ['nonce_after <= nonce_before', 'false'],
    ],
  ),
  // Changed values, and what the same transaction read before.
  ...(
    [
      ['evm_balance_changes', 'balance_before_raw', 'balance_raw'],
      ['evm_nonce_changes', 'nonce_before', 'nonce'],
      ['evm_code_changes', 'code_hash_before', 'code_hash'],
    ] as const
  ).map(([table, before, read]) =>
    copy(table, 'evm_state_reads', `${evmTransaction} address`, [[before, read]], ['true', 'slot IS NULL']),
  ),
  copy('evm_storage_changes', 'evm_state_reads', `${evmTransaction} address slot`, [
    ['slot_value_before', 'slot_value'],
  ]),
  copy('evm_token_transfers', 'evm_logs', `${evmTransaction} log_index`, [
    ...pairsOf('block_time transaction_hash'),
    ['token_address', 'address'],
  ]),
  ...words('rest_erc20_transfers rest_erc721_transfers rest_erc1155_transfers').map((table) =>
    copy(table, 'evm_blocks', evmBlock, 'block_hash'),
  ),
  ...evmCells.map((table) => copy(table, 'evm_blocks', evmBlock, 'block_hash block_time')),
  copy('p_state_outputs', 'node_reward_utxos', 'network tx_id', 'staked_tx_id', ["origin = 'reward'", 'true']),
  accepted('p_blocks', "chain = 'P'", 'container_id'),
  accepted('c_blocks', "chain = 'C'", 'container_id'),
  accepted('x_blocks', "chain NOT IN ('P', 'C') AND chain NOT LIKE '%/%'", 'container_id'),
  accepted('x_vertices', "chain LIKE '%/vtx'", 'vertex_id'),
  ...tables
    .filter(({ history, name }) => history === 'observations' && name !== 'observations')
    .map(({ name }) => copy(name, 'observations', 'network subject observation_id', 'observed_at')),
]

/** A table of a pair: its rows, and how they are matched with the other table. */
type Side = {
  readonly table: Table
  /** SQL values that identify a row, in the same order on both sides. */
  readonly key: readonly string[]
  /** An SQL condition. `$chain` is replaced by a condition that selects the C-Chain. */
  readonly where: string
}

/** Two tables that hold the same facts from two sources. */
export type SourcePair = {
  /** Rows that were decoded from the chain, or read from its node. */
  readonly own: Side
  /** Rows from another interface. */
  readonly other: Side
  /** The values to compare, by name, as SQL of each side. A null on one side is not a difference. */
  readonly values: Readonly<Record<string, Both>>
  /** The height column of the other table. If `own` covers that height, it must have the row. Absent if `other` has no height. */
  readonly place?: PlaceColumn
  /** Whether both tables are covered by height, so that rows of `own` must be in `other` too. */
  readonly bothCovered?: true
}

const side = (table: string, key: string, where = 'true'): Side => ({
  table: tableNamed(table),
  key: words(key),
  where,
})
const pair = (
  own: Side,
  other: Side,
  values: SourcePair['values'],
  more: Pick<SourcePair, 'place' | 'bothCovered'> = {},
): SourcePair => ({ own, other, values, ...more })

const pairOf = (sql: string): Both => [sql, sql]
/** The columns that two tables share by name, except keys and values that a node computes. */
const shared = (a: Table, b: Table): Record<string, Both> => {
  const others = [...a.key, ...b.key, ...computedColumns(b)]
  return same(
    Object.keys(a.columns)
      .filter((name) => name in b.columns && !others.includes(name))
      .join(' '),
  )
}
/** Whole seconds of a time. A cast of `epoch()` to an integer would round half a second up. */
const secondsOf = (time: string): string => `epoch_us(${time}) // 1000000`
/** Services cut off the milliseconds that a block has. */
export const seconds: Record<string, Both> = { block_time: pairOf(secondsOf('block_time')) }
/** The two sides may order lists of owners or parents differently. */
const sorted = (column: string): string => `list_sort(${column})`
const utxo = same('asset_id amount output_index')
const owned = { ...utxo, ...same('tx_id threshold locktime'), addresses: pairOf(sorted('addresses')) }
/** Before Banff, the time of a P-Chain block may come from its wrapper. */
const ownTime = `CASE WHEN block_type LIKE 'Banff%' THEN ${secondsOf('block_time')} END`
const stakes = "action IN ('add', 'delegate') AND tx_type NOT IN ('RegisterL1ValidatorTx', 'ConvertSubnetToL1Tx')"
const pChain = "'11111111111111111111111111111111LpoYY'"
/** Transactions that stake. */
const staked = side('p_validations', 'network tx_id', stakes)
const pBlock = side('p_blocks', 'network height')

const transfer = {
  ...same('from_address to_address'),
  ...seconds,
  token: ['token_address', 'lower(token_address)'] as const,
}
/** The service states no position of the transaction, which the key of a log has. Its hash takes that place. */
const transferKey = 'network block_number log_index transaction_hash'

const restTransfer = (standard: string, [own, other]: Both, values: SourcePair['values']): SourcePair =>
  pair(
    side('evm_token_transfers', `${transferKey} ${own}`, `$chain AND standard = '${standard}'`),
    side(`rest_${standard}_transfers`, `${transferKey} ${other}`, '$chain AND log_index IS NOT NULL'),
    { ...transfer, ...values },
    { place: 'block_number' },
  )

const nodeBlock = {
  ...same('block_id parent_id tx_count proposer_node_id container_id wrapper_parent_id wrapper_p_height'),
  wrapper_time: pairOf(secondsOf('wrapper_time')),
}

/** What a service says of the validator or delegator that a transaction adds. */
const restStake = {
  ...same('node_id subnet_id bls_public_key'),
  end_time: pairOf(secondsOf('end_time')),
  delegation_fee_percent: ['delegation_shares', 'round(delegation_fee_percent * 10000)::BIGINT'] as const,
  bls_proof_of_possession: ["'0x' || lower(hex(proof_of_possession))", 'lower(bls_proof_of_possession)'] as const,
}

const restBlock = {
  ...same(
    'block_hash parent_hash transaction_count gas_limit gas_used base_fee_per_gas block_gas_cost min_delay_excess',
  ),
  ...seconds,
}

/** The first four bytes of the input of a call. */
const calledFunction =
  "CASE WHEN to_address IS NOT NULL AND octet_length(input) >= 4 THEN '0x' || lower(substr(hex(input), 1, 8)) END"

/** A transaction with an ICM message. Hashes differ between chains, so the lake may have transactions of any chain. */
const icmTransaction = (end: 'source' | 'destination'): SourcePair =>
  pair(
    side('evm_transactions', 'network transaction_hash'),
    side('rest_icm_messages', `network ${end}_transaction_hash`, `${end}_transaction_hash IS NOT NULL`),
    { block_time: [secondsOf('block_time'), secondsOf(`${end}_time`)] },
  )

const listedByNode = (table: string, values: string, where?: string): SourcePair =>
  pair(side(table, 'network utxo_id', where), side('node_utxos', 'network utxo_id'), {
    ...owned,
    ...(values === '' ? {} : same(values)),
  })

const blockKey = 'network block_number'
const txKey = 'network block_number transaction_index'
const idKey = 'network blockchain_id tx_id'

/** All facts that the lake may have from two sources. Services omit UTXOs of genesis and of addresses that were not requested. */
export const sourcePairs: readonly SourcePair[] = [
  pair(
    side('c_blocks', blockKey),
    side('evm_blocks', blockKey, '$chain'),
    {
      ...shared(tableNamed('c_blocks'), tableNamed('evm_blocks')),
      ext_data_length: ['ext_data_length', 'octet_length(block_extra_data)'],
    },
    { place: 'block_number', bothCovered: true },
  ),
  pair(
    side('c_transactions', txKey),
    side('evm_transactions', txKey, '$chain'),
    shared(tableNamed('c_transactions'), tableNamed('evm_transactions')),
    { place: 'block_number', bothCovered: true },
  ),
  pair(
    side('c_senders', txKey),
    side('evm_transactions', txKey, '$chain'),
    same('transaction_hash from_address block_time'),
    { bothCovered: true },
  ),
  pair(side('c_blocks', blockKey), side('rest_evm_blocks', blockKey, '$chain'), restBlock, { place: 'block_number' }),
  pair(side('evm_blocks', blockKey, '$chain'), side('rest_evm_blocks', blockKey, '$chain'), restBlock, {
    place: 'block_number',
  }),
  // An aborted AdvanceTimeTx can be repeated: several rows have its id, and the service shows one of them.
  pair(
    side('p_transactions', 'network tx_id', "tx_type <> 'AdvanceTimeTx'"),
    side('rest_p_transactions', 'network tx_id', "tx_type <> 'AdvanceTimeTx'"),
    same(
      'height block_id tx_type source_chain_id destination_chain_id staked_tx_id vm_id blockchain_name manager_chain_id manager_address memo',
    ),
    { place: 'height' },
  ),
  pair(staked, side('rest_p_transactions', 'network tx_id'), restStake),
  pair(pBlock, side('rest_p_transactions', 'network height'), {
    block_time: [ownTime, secondsOf('block_time')],
  }),
  pair(
    side('x_transactions', idKey),
    side('rest_x_transactions', idKey),
    { ...same('height block_id tx_type memo'), ...seconds },
    { place: 'height' },
  ),
  pair(
    side('c_atomic_transactions', idKey),
    side('rest_c_atomic_transactions', idKey),
    { ...same('tx_type block_number source_chain_id destination_chain_id'), ...seconds },
    { place: 'block_number' },
  ),
  ...words('c_blocks evm_blocks').map((table) =>
    pair(side(table, blockKey, '$chain'), side('rest_c_atomic_transactions', blockKey), {
      ...same('block_hash'),
      ...seconds,
    }),
  ),
  pair(
    side('evm_transactions', 'network block_number transaction_hash', '$chain'),
    side('rest_native_transactions', 'network block_number transaction_hash', '$chain'),
    {
      ...same('transaction_index transaction_type from_address to_address nonce gas_limit gas_used status'),
      ...seconds,
      amount_raw: ['value_raw', 'amount_raw'],
      method_hash: [calledFunction, 'method_hash'],
    },
    { place: 'block_number' },
  ),
  icmTransaction('source'),
  icmTransaction('destination'),
  restTransfer('erc20', ['0', '0'], same('amount_raw')),
  restTransfer('erc721', ['0', '0'], same('token_id')),
  // The service lists the transfers of a batch in a different order.
  restTransfer('erc1155', ['token_id amount_raw', 'token_id amount_raw'], {}),
  pair(
    pBlock,
    side('rest_node_blocks', 'network height', `blockchain_id = ${pChain}`),
    { ...nodeBlock, block_time: [ownTime, secondsOf('block_time')] },
    { place: 'height' },
  ),
  pair(
    side('x_blocks', 'network blockchain_id height'),
    side('rest_node_blocks', 'network blockchain_id height', `blockchain_id <> ${pChain}`),
    { ...nodeBlock, ...seconds },
  ),
  pair(
    side('x_vertices', 'network blockchain_id vertex_id'),
    side('rest_x_vertices', 'network blockchain_id vertex_hash'),
    {
      ...same('height byte_length'),
      parents: [sorted('parent_ids'), sorted('parent_hashes')],
      transactions: [sorted('tx_ids'), sorted('tx_ids')],
      tx_count: ['len(tx_ids)', 'tx_count'],
    },
  ),
  pair(side('p_outputs', 'network utxo_id'), side('rest_utxos', 'network utxo_id'), owned),
  pair(side('x_outputs', 'network utxo_id', "output_type = 'transfer'"), side('rest_utxos', 'network utxo_id'), owned),
  ...words('p_state_outputs x_state_outputs').map((table) =>
    pair(side(table, 'network utxo_id'), side('rest_utxos', 'network utxo_id'), owned),
  ),
  pair(
    side('p_inputs', 'network source_tx_id source_output_index', "kind <> 'import'"),
    side('rest_utxos', 'network tx_id output_index', 'consumed_on_chain_id = blockchain_id'),
    { consuming_tx_id: ['tx_id', 'consuming_tx_id'], consuming_height: ['height', 'consuming_height'] },
  ),
  pair(side('p_state_outputs', 'network utxo_id'), side('rest_rewards', 'network utxo_id'), {
    ...utxo,
    tx_id: ['staked_tx_id', 'tx_id'],
    addresses: pairOf(sorted('addresses')),
  }),
  pair(staked, side('rest_rewards', 'network tx_id'), {
    ...same('node_id'),
    weight: ['weight', 'staked_amount'],
    end_time: pairOf(secondsOf('end_time')),
  }),
  pair(staked, side('rest_validators', 'network tx_id'), {
    ...restStake,
    weight: ['weight', 'staked_amount'],
  }),
  // Answers of nodes, each paired with the rows that were decoded from blocks.
  pair(
    staked,
    side('node_validators', 'network tx_id'),
    same('node_id subnet_id weight end_time delegation_shares bls_public_key'),
  ),
  pair(staked, side('node_delegators', 'network tx_id'), same('node_id subnet_id weight end_time')),
  pair(
    side('p_validations', 'network validation_id', "action = 'add' AND validation_id IS NOT NULL"),
    side('node_l1_validators', 'network validation_id'),
    same('node_id subnet_id bls_public_key'),
  ),
  pair(
    side('p_transactions', 'network tx_id', "tx_type = 'CreateChainTx'"),
    side('node_blockchains', 'network blockchain_id'),
    same('subnet_id vm_id blockchain_name'),
  ),
  pair(
    side('x_assets', 'network blockchain_id asset_id'),
    side('node_assets', 'network blockchain_id asset_id'),
    same('name symbol denomination'),
  ),
  pair(side('p_blocks', 'network block_id'), side('node_blocks', 'network block_id'), {
    ...same('height parent_id block_type tx_count'),
    blockchain_id: [pChain, 'blockchain_id'],
    block_time: [ownTime, secondsOf('block_time')],
  }),
  pair(
    side('x_blocks', 'network block_id'),
    side('node_blocks', 'network block_id'),
    same('blockchain_id height parent_id block_time tx_count'),
  ),
  pair(side('x_transactions', idKey), side('node_transactions', idKey), {
    ...same('tx_type'),
    tx_status: ["'Accepted'", 'tx_status'],
  }),
  pair(side('c_atomic_transactions', idKey), side('node_transactions', idKey), {
    ...same('tx_type'),
    tx_status: ["'Accepted'", 'tx_status'],
    height: ['block_number', 'height'],
  }),
  ...words('p_outputs p_state_outputs').map((table) => listedByNode(table, 'stakeable_locktime')),
  ...words('x_outputs x_state_outputs').map((table) => listedByNode(table, 'output_type group_id payload')),
  listedByNode('c_atomic_outputs', '', "kind = 'export'"),
]
