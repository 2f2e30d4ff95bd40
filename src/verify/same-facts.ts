import { tables } from '../../schemas/index.ts'
import type { Inventory, InventoryFile } from '../catalog/catalog.ts'
import type { Columns, Table } from '../define/index.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import type { Stream } from '../model.ts'
import { type Both, bothOf, type Check, joining, shown, tableNamed, text, textList, words } from './checks.ts'
import { chainId, type LakeRows, mostFindings, ofCChains, placeAmong } from './lake.ts'
import { waitingCondition, waitingFor } from './streams.ts'

// Where a lake holds the same fact twice: in one row, and in two tables of one source. `source-pairs.ts` has those of two sources. Names
// separated by spaces are columns that both sides have under that name.

/** A rule that the values of one row must satisfy. */
type RowRule = {
  /** Columns that state the same fact in two ways. */
  readonly columns: readonly string[]
  /** SQL that is true or null for every row that is right. */
  readonly holds: string
  /** Some EVM chains break the rule: only rows of the C-Chain are then wrong, and others are counted in a remark. */
  readonly mayBreak?: true
}

/** Headers of a few chains state milliseconds, microseconds or nanoseconds: see `timeOfTimestamp`. */
const microseconds = `CASE WHEN timestamp_seconds <= 253402300799 THEN timestamp_seconds::HUGEINT * 1000000
  WHEN timestamp_seconds < 9223372037000 THEN timestamp_seconds::HUGEINT * 1000
  WHEN timestamp_seconds < 9223372037000000 THEN timestamp_seconds::HUGEINT ELSE timestamp_seconds::HUGEINT // 1000 END`

function rulesOf({ name: table, columns, history }: Table): RowRule[] {
  const rules = tableRules
    .filter(([names]) => words(names).includes(table))
    .map(([, columns, holds]): RowRule => ({ columns: words(columns), holds }))
  for (const name of Object.keys(columns as Columns)) {
    const [, number = '', ending] = /^(.*)(_ns|_raw)$/.exec(name) ?? []
    const [own, other] = [sqlName(number), sqlName(name)]
    if (!(number in columns)) continue
    // A time in microseconds and the same time in nanoseconds.
    if (ending === '_ns') rules.push({ columns: [number, name], holds: `epoch_us(${own}) = ${other} // 1000` })
    // A number of at most 38 digits and the same number as a text, which may be longer.
    else if (columns[number]?.type.kind !== 'double') {
      const holds = `NOT regexp_full_match(${other}, '[0-9]+') OR coalesce(${own}::VARCHAR = ${other}, length(${other}) > 38)`
      rules.push({ columns: [number, name], holds })
    } else rules.push({ columns: [number, name], holds: `${own} = ${other}::DOUBLE` })
  }
  // The time of an EVM block and the time in its header.
  if ('timestamp_seconds' in columns) {
    const holds = `epoch_us(block_time)::HUGEINT = coalesce(timestamp_milliseconds::HUGEINT * 1000, ${microseconds})
    AND coalesce(timestamp_milliseconds::UBIGINT // 1000 = timestamp_seconds, true)`
    rules.push({ columns: words('block_time timestamp_seconds timestamp_milliseconds'), holds })
  }
  // The id of an observation begins with its time. Points of a series and items of a list do not disappear. They have the id of the run that
  // read them, which compares them page by page.
  if ('observation_id' in columns && (history !== 'versions' || 'present' in columns)) {
    const holds = "starts_with(observation_id, strftime(observed_at, '%Y%m%dT%H%M%S%gZ'))"
    rules.push({ columns: words('observation_id observed_at'), holds })
  }
  return table === 'evm_transactions'
    ? [...rules, { columns: ['y_parity', 'v'], holds: 'y_parity = v', mayBreak: true }]
    : rules
}

type TableRule = readonly [tables: string, columns: string, holds: string]

/** The second part of a subject, such as `subnet/ID?delegators=true`. */
const ofSubject = (tables: string, column: string): TableRule => [
  tables,
  `subject ${column}`,
  `split_part(split_part(subject, '?', 1), '/', 2) = ${sqlName(column)}`,
]
const ofWallet = (tables: string, column: string): TableRule => [
  tables,
  `subject chain_id ${column}`,
  `split_part(subject, '?', 1) = chain_id || '/' || ${sqlName(column)}`,
]
const encoded = (table: string, bytes: string, json: string): TableRule => [
  table,
  `encoding ${bytes} ${json}`,
  `encoding IS NOT DISTINCT FROM CASE WHEN ${bytes} IS NOT NULL THEN 'hex' WHEN ${json} IS NOT NULL THEN 'json' END`,
]

const tableRules: readonly TableRule[] = [
  ['evm_balance_changes', 'balance_before_raw balance_after_raw', 'balance_before_raw <> balance_after_raw'],
  ['evm_nonce_changes', 'nonce_before nonce_after', 'nonce_before <> nonce_after'],
  ['evm_code_changes', 'code_hash_before code_hash_after', 'code_hash_before <> code_hash_after'],
  ['evm_storage_changes', 'slot_value_before slot_value_after', 'slot_value_before <> slot_value_after'],
  [
    'evm_state_reads',
    'slot slot_value balance_raw nonce code_hash',
    `CASE WHEN slot IS NULL THEN slot_value IS NULL AND balance_raw IS NOT NULL AND nonce IS NOT NULL AND code_hash IS NOT NULL
      ELSE slot_value IS NOT NULL AND coalesce(balance_raw, nonce::VARCHAR, code_hash) IS NULL END`,
  ],
  ofSubject('node_validators node_delegators node_l1_validators node_supply', 'subnet_id'),
  ofSubject('node_fees node_p_fees node_validator_fees node_vm_config', 'blockchain_id'),
  ofSubject('node_balances', 'address'),
  ['rest_signed_messages', 'message signed_message', 'message IS NULL OR starts_with(signed_message, message)'],
  [
    'rest_icm_messages',
    'message_status source_transaction_hash',
    "message_status NOT IN ('pending', 'delivered') OR source_transaction_hash IS NOT NULL",
  ],
  [
    'rest_icm_messages',
    'message_status destination_transaction_hash',
    "message_status NOT LIKE 'delivered%' OR destination_transaction_hash IS NOT NULL",
  ],
  ['node_evm_state', 'subject chain_id', 'subject = chain_id'],
  ['node_utxos', 'subject source_chain_id', "coalesce(source_chain_id, '') = split_part(subject, '?source=', 2)"],
  ofWallet('rest_native_balances', 'address'),
  ofWallet('rest_erc20_balances rest_erc721_balances rest_erc1155_balances rest_collectible_balances', 'owner'),
  ofWallet('metrics_token_holders', 'token_address'),
  [
    'metrics_token_holders',
    'subject balance_threshold',
    "balance_threshold = split_part(split_part(subject, 'threshold=', 2), '&', 1)",
  ],
  encoded('node_transactions', 'tx_bytes', 'tx_json'),
  encoded('node_blocks', 'block_bytes', 'block_json'),
  ['p_transactions', 'chain_time chain_time_seconds', 'epoch(chain_time) = chain_time_seconds'],
  ['p_validations', 'end_time stated_end', 'epoch(end_time) = stated_end'],
]

/** Checks that values of a row agree with each other, and with the streams that the catalog lists for its file. */
export function valueCheck({ inventory, filesOf }: LakeRows, table: Table): Check | null {
  const rules = rulesOf(table)
  const certain = `(${ofCChains(inventory)})`
  const wrong = (isWrong: string, message: string, columns: readonly string[], expected: string, found: string) => ({
    isWrong,
    answer: `CASE WHEN ${isWrong} THEN {message: ${sqlText(message)}, columns: ${textList(columns)}, expected: ${expected}, found: ${found}} END`,
  })
  const all = [
    ...rules.map(({ columns, holds, mayBreak }) =>
      wrong(
        `(NOT (${holds})${mayBreak ? ` AND ${certain}` : ''})`,
        `Columns of a row of ${table.name} contradict each other.`,
        columns,
        'NULL::VARCHAR',
        columns
          .map((name) => `${sqlText(`${name} `)} || coalesce(${text(sqlName(name))}, 'null')`)
          .join(` || ', ' || `),
      ),
    ),
    ...factsOf(table).flatMap((fact) => {
      const values = allowedIn(inventory, fact, filesOf(table))
      return values === null
        ? []
        : [
            wrong(
              `NOT list_contains(${values}, ${sqlName(fact.column)})`,
              `${fact.column} of a row of ${table.name} differs from the stream that its file was read from.`,
              [fact.column],
              `array_to_string(${values}, ', ')`,
              text(sqlName(fact.column)),
            ),
          ]
    }),
  ]
  const broken = rules.filter(({ mayBreak }) => mayBreak)
  const others = broken.map(
    ({
      columns,
      holds,
    }) => `UNION ALL BY NAME SELECT ${sqlText(`${columns.join(' and ')} `)} || network || '/' || chain_id AS what, count(*) AS n
      FROM ${sqlName(table.name)} WHERE NOT (${holds}) AND NOT ${certain} GROUP BY what`,
  )
  if (all.length === 0) return null
  return {
    what: `values of ${table.name}`,
    tables: [table],
    sql: `SELECT * FROM (SELECT * FROM (SELECT * EXCLUDE (wrong), unnest(wrong) FROM (
        SELECT ${shown(table)}, file_index::INTEGER AS file_index,
          unnest(list_filter([${all.map(({ answer }) => answer).join(', ')}], lambda each : each IS NOT NULL)) AS wrong
        FROM ${sqlName(table.name)} WHERE ${all.map(({ isWrong }) => isWrong).join(' OR ')})
        ) QUALIFY row_number() OVER (PARTITION BY message, columns) <= ${mostFindings}) ${others.join(' ')}`,
    says: { 'rows.value': '' },
    remarks: (counts) =>
      [...counts].map(([what, count]) => {
        const [, columns, chain] = /^(.*) (\S+)$/.exec(what) ?? []
        return {
          table: table.name,
          message: `${columns} of ${countText(count)} rows of ${table.name} of chain ${chain} differ. Some chains state them differently.`,
        }
      }),
  }
}

/** A fact about streams: the value of a column in all rows of a stream; undefined if the stream does not have one. */
type StreamFact = {
  readonly column: string
  readonly valueIn: (stream: Stream, idOf: IdOf) => string | undefined
}

/** The id of a chain, by its alias or id; undefined for an alias that the lake does not know because it was read from services only. */
type IdOf = (network: string, name: string) => string | undefined

const isEvmId = (chain: string) => /^\d+$/.test(chain)

/** The facts that streams hold in columns of their own. Their parameters hold what a table declares (`streamValues`). */
const columnFacts: readonly StreamFact[] = [
  { column: 'network', valueIn: ({ network }) => network },
  { column: 'chain_id', valueIn: ({ chain }) => (chain !== undefined && isEvmId(chain) ? chain : undefined) },
  {
    column: 'blockchain_id',
    valueIn: ({ network, chain }, idOf) => (chain === undefined || isEvmId(chain) ? undefined : idOf(network, chain)),
  },
]

export function factsOf({ name, columns, streamValues }: Table): StreamFact[] {
  return [
    // The blockchain ids of tables of the P-Chain are those of other chains.
    ...columnFacts.filter(({ column }) => column in columns && !(column === 'blockchain_id' && name.startsWith('p_'))),
    ...streamValues.map(({ column, parameter }) => ({
      column,
      valueIn: ({ parameters }: Stream) => parameters[parameter]?.toString(),
    })),
  ]
}

/** The values that a column may have in the rows of a file; null if the streams of the file do not say it. */
export function allowedValues(
  { streams }: Pick<Inventory, 'streams'>,
  { sources, network }: InventoryFile,
  { column, valueIn }: StreamFact,
  idOf: IdOf,
): string[] | null {
  if (column === 'network' && network !== null) return [network]
  if (sources.length === 0) return null
  const values = sources.map(({ stream: id }) => {
    const stream = streams.get(id)
    return stream === undefined ? undefined : valueIn(stream, idOf)
  })
  return values.some((value) => value === undefined) ? null : [...new Set(values as string[])]
}

/** SQL of the values that a column may have in a row, by the index of its file; null if no file says it. Most files say the same. */
function allowedIn(inventory: Inventory, fact: StreamFact, files: readonly InventoryFile[]): string | null {
  const idOf = (network: string, name: string) => {
    const id = chainId(inventory, network, name)
    return ['P', 'X', 'C'].includes(id) ? undefined : id
  }
  const lists = files.map((file) => {
    const values = allowedValues(inventory, file, fact, idOf)
    return values === null ? 'NULL' : textList(values)
  })
  const each = [...new Set(lists)]
  if (each.every((list) => list === 'NULL')) return null
  if (each.length === 1) return each[0] ?? null
  return `([${each.join(', ')}])[([${lists.map((list) => each.indexOf(list) + 1).join(', ')}])[file_index::BIGINT + 1]]`
}

/** How many rows of one table belong to each row of another. */
type Count = {
  readonly of: Table
  /** The column of `of` (or SQL) that holds the number. Null if there is none: then each row of `rows` only needs a row of `of`. */
  readonly number: string | null
  readonly rows: Table
  /** Columns of both tables that match: of `of`, and of `rows`. */
  readonly by: readonly Both[]
  /** The last of these if both tables are partitioned by it; null if the rows of the two tables are not at the same heights. */
  readonly place: 'height' | 'block_number' | null
  /** Set if rows may be read without the rows that they belong to, such as logs by filter. */
  readonly alone?: true
}

const count = (
  of: string,
  number: string | null,
  rows: string,
  columns: string,
  more: Partial<Pick<Count, 'alone' | 'place'>> = {},
): Count => {
  const by = bothOf(columns)
  const place = (['height', 'block_number'] as const).find((name) => name === by.at(-1)?.[0]) ?? null
  return { of: tableNamed(of), number, rows: tableNamed(rows), by, place, ...more }
}

const pTransaction = 'network tx_index height'
const xTransaction = 'network blockchain_id tx_id'
const atomicTransaction = 'network blockchain_id tx_index block_number'
const cBlock = 'network blockchain_id block_number'
const isCreated = "CASE WHEN tx_type = 'CreateAssetTx' THEN 1 ELSE 0 END"
const alone = true

/** All numbers in a table that count rows of another table. */
export const counts: readonly Count[] = [
  count('p_blocks', 'tx_count', 'p_transactions', 'network height'),
  count('p_transactions', 'input_count', 'p_inputs', pTransaction),
  count('p_transactions', 'output_count', 'p_outputs', pTransaction),
  count('p_transactions', 'signature_count', 'p_credentials', pTransaction),
  count('p_transactions', null, 'p_validations', pTransaction),
  count('x_blocks', 'tx_count', 'x_transactions', 'network blockchain_id height'),
  count('x_transactions', 'input_count', 'x_inputs', xTransaction),
  count('x_transactions', 'output_count', 'x_outputs', xTransaction),
  count('x_transactions', 'operation_count', 'x_operations', xTransaction),
  count('x_transactions', 'signature_count', 'x_credentials', xTransaction),
  count('x_transactions', isCreated, 'x_assets', 'network blockchain_id tx_id=asset_id'),
  count('c_blocks', 'transaction_count', 'c_transactions', cBlock),
  count('c_blocks', 'atomic_transaction_count', 'c_atomic_transactions', cBlock),
  count('c_transactions', '1', 'c_senders', 'network blockchain_id transaction_index block_number'),
  count('c_atomic_transactions', 'input_count', 'c_atomic_inputs', atomicTransaction),
  count('c_atomic_transactions', 'output_count', 'c_atomic_outputs', atomicTransaction),
  count('c_atomic_transactions', 'signature_count', 'c_credentials', atomicTransaction),
  count('evm_blocks', 'transaction_count', 'evm_transactions', 'network chain_id block_number'),
  count('evm_blocks', 'log_count', 'evm_logs', 'network chain_id block_number', { alone }),
  count('evm_transactions', 'log_count', 'evm_logs', 'network chain_id transaction_index block_number', { alone }),
  count('node_health_reports', 'check_count', 'node_health', 'network endpoint transport tags observation_id'),
  count('node_validator_sets', 'validator_count', 'node_validators_at', 'network subnet_id height', { place: null }),
  count('evm_logs', null, 'evm_token_transfers', 'network chain_id transaction_index log_index block_number'),
]

/**
 * Checks that numbers in rows of `of` equal the numbers of rows of `rows`, and that each row of `rows` belongs to a row of `of`. An optional
 * table, such as senders, may cover less, and the next run reads again what a repair removed: such rows are marked as waiting. Rows that another
 * stream wrote without the rows they belong to, such as logs by filter, are not orphans. They are counted if the lake has the rows they belong to.
 */
export function countCheck({ inventory }: LakeRows, { of, number, rows: counted, by, place, alone }: Count): Check {
  const isPlaced = 'height' in counted.columns || 'block_number' in counted.columns
  const uncounted = waitingCondition(inventory, of, waitingFor(inventory, counted, of))
  const waiting = waitingFor(inventory, of, counted)
  const unclaimed = isPlaced ? waitingCondition(inventory, counted, waiting) : 'false'
  const matched = place === null ? by : [...by.slice(-1), ...by.slice(0, -1)]
  const names = matched.map(([name]) => name)
  const key = names.map(sqlName).join(', ')
  const isThere = place === null ? '' : ` WHERE ${sqlName(place)} IS NOT NULL`
  const each = (table: Table, side: 0 | 1, more: string) =>
    `SELECT ${matched.map((both) => `${sqlName(both[side])} AS ${sqlName(both[0])}`).join(', ')}, ${more} FROM ${sqlName(table.name)}${isThere}`
  const both = `${each(of, 0, `${number ?? '0'} AS said, 0 AS there, true AS is_of, ${uncounted} IS TRUE AS waits`)}
    UNION ALL ${each(counted, 1, `0, 1, false, ${unclaimed} IS TRUE`)}`
  const isOther = '(max(is_of) AND NOT bool_or(is_of AND waits) AND sum(said) <> sum(there))'
  // It is unknown which rows without a height the next run reads again, so none of them is called an orphan.
  const mayBeAlone = alone === true || (!isPlaced && waiting.length > 0)
  const isOrphan = '(NOT max(is_of) AND NOT bool_or(waits))'
  const isWrong = `${number === null ? 'false' : isOther} OR ${mayBeAlone ? 'false' : isOrphan}`
  const rowsText = (sum: string) => `CASE WHEN max(is_of) THEN sum(${sum})::BIGINT || ' rows' END`
  return {
    what: `rows of ${counted.name}`,
    tables: [counted, of],
    files: [of],
    isWhole: true,
    parts: { place, keys: ([1, 0] as const).map((side) => matched.slice(-1).map((last) => sqlName(last[side]))) },
    suspects: `SELECT h, min(place) AS place FROM (SELECT hash(${key}) AS h, ${place === null ? '0' : sqlName(place)} AS place, * FROM (${both}))
      GROUP BY h HAVING ${isWrong}`,
    sql: `SELECT ${key}, CASE WHEN max(is_of) THEN 'rows.count' ELSE 'rows.orphan' END AS kind, ${rowsText('said')} AS expected,
        ${rowsText('there')} AS found, CASE WHEN NOT max(is_of) THEN sum(there)::BIGINT END AS n
      FROM (${both}) WHERE hash(${key}) IN $suspects GROUP BY ${key} HAVING ${isWrong} ORDER BY ALL`,
    says: {
      'rows.count': `The number of rows of ${counted.name} differs from the number that ${of.name} states.`,
      'rows.orphan': `Rows of ${counted.name} belong to no row of ${of.name}.`,
    },
    key: names,
    more: (more) => `${more} rows of ${of.name} state a wrong number of rows of ${counted.name}.`,
  }
}

/**
 * Checks that values that rows repeat from rows of another table, such as their block, transaction, log or observation, are equal there. Rows
 * without a matching row are left to other checks. `names`: the tables with such rows. `identity` and `repeated`: columns (see `bothOf`) or SQL
 * values that identify the row of `other`, and that it has too. `where`: SQL conditions on the rows of each. `certain`: an SQL condition on the
 * rows of the table; the others may state the values differently, and a remark counts those that do.
 */
function copy(
  names: string,
  other: string,
  identity: string | readonly Both[],
  repeated: string | readonly Both[],
  where: Both = ['true', 'true'],
  certain?: string,
): Check[] {
  const of = tableNamed(other)
  const [by, values] = [identity, repeated].map((pairs) => (typeof pairs === 'string' ? bothOf(pairs) : pairs)) as [
    readonly Both[],
    readonly Both[],
  ]
  const { columns, on, isDifferent, first } = joining(by, values)
  const joined = [...by.map((_, at) => `k${at}`), ...values.map((_, at) => `v${at}`)].join(', ')
  return words(names).map((name): Check => {
    const table = tableNamed(name)
    const columnsIn = (sql: string) => (sql.match(/\w+/g) ?? []).filter((word) => word in table.columns)
    const different = (condition = 'true') =>
      `FROM (SELECT ${columns(0)}, ${shown(table)} FROM ${sqlName(name)} WHERE ${where[0]} AND ${condition}) own
        JOIN (SELECT ${columns(1)} FROM ${sqlName(other)} WHERE ${where[1]}) other ON ${on} WHERE ${isDifferent}`
    const found = `SELECT own.* EXCLUDE (${joined}), ${first((at) => sqlText(values[at]![0]))} AS name,
        ${first((at) => textList(columnsIn(values[at]![0])))} AS columns, ${first((at) => text(`own.v${at}`))} AS found,
        ${first((at) => text(`other.v${at}`))} AS expected ${different(certain)} LIMIT ${mostFindings}`
    const check = {
      what: `columns of ${name} that ${other} has too`,
      tables: [table, of],
      parts: {
        place: placeAmong(
          by.flatMap(([own, other]) => (own === other ? [own] : [])),
          [table, of],
        ),
        keys: [by.map(([own]) => own), by.map(([, other]) => other)],
      },
      sql: found,
      says: { 'rows.value': `{name} of a row of ${name} differs from its row of ${other}.` },
    }
    if (certain === undefined) return check
    return {
      ...check,
      sql: `SELECT * FROM (${found})
      UNION ALL BY NAME SELECT network || '/' || chain_id AS what, count(*) AS n ${different(`NOT ${certain}`)} GROUP BY what`,
      remarks: (counts) =>
        [...counts].map(([chain, count]) => ({
          table: name,
          message: `${values.map(([own]) => own).join(' and ')} of ${countText(count)} rows of ${name} of chain ${chain} differ from their rows of ${other}. Some chains state them differently.`,
        })),
    }
  })
}

const evmBlock = 'network chain_id block_number'
const evmTransaction = `${evmBlock} transaction_index`
/** The first calls of transactions. */
const firstCalls: Both = ["trace_index = 0 AND call_type <> 'UNTRACED'", 'true']
const stateDiffs = 'evm_balance_changes evm_nonce_changes evm_code_changes evm_storage_changes evm_state_reads'

/** Containers and the rows that repeat when they were accepted. */
const accepted = (of: string, where: string, id = 'container_id'): Check[] =>
  copy('containers', of, `network container_id=${id}`, 'accepted_at accepted_at_ns', [where, `${id} IS NOT NULL`])

/** All values that two tables of the same source hold. */
export const copies: readonly Check[] = [
  copy('p_transactions', 'p_blocks', 'network height', 'block_time block_id'),
  copy('p_inputs p_outputs p_credentials', 'p_transactions', pTransaction, 'block_time tx_id'),
  copy('p_validations', 'p_transactions', 'network height tx_index', 'block_time tx_id tx_type'),
  copy('x_transactions', 'x_blocks', 'network blockchain_id height', 'block_time block_id accepted_at container_index'),
  copy('x_inputs x_outputs x_operations x_credentials', 'x_transactions', xTransaction, 'height block_time tx_index'),
  copy('x_assets', 'x_transactions', 'network blockchain_id asset_id=tx_id', 'block_time'),
  copy('c_transactions c_senders c_atomic_transactions', 'c_blocks', cBlock, 'block_time'),
  copy('c_senders', 'c_transactions', `${cBlock} transaction_index`, 'transaction_hash'),
  copy(
    'c_atomic_inputs c_atomic_outputs c_credentials',
    'c_atomic_transactions',
    atomicTransaction,
    'block_time tx_id',
  ),
  copy(`evm_transactions evm_logs evm_traces ${stateDiffs}`, 'evm_blocks', evmBlock, 'block_time'),
  copy(`evm_logs evm_traces ${stateDiffs}`, 'evm_transactions', evmTransaction, 'transaction_hash'),
  // The first call of a transaction is the transaction itself. A failed creation has no address in the traces.
  copy(
    'evm_traces',
    'evm_transactions',
    evmTransaction,
    [
      ...bothOf('from_address value_raw input'),
      ['to_address IS NULL AND NOT reverted', 'false'],
      ['to_address', 'coalesce(to_address, contract_address)'],
      ["call_type = 'CREATE'", 'to_address IS NULL'],
      ['reverted', 'status = 0'],
    ],
    firstCalls,
  ),
  // Each transaction raises the nonce of its sender.
  copy('evm_nonce_changes', 'evm_transactions', `${evmTransaction} address=from_address`, [
    ['nonce_before', 'nonce'],
    ['nonce_after <= nonce_before', 'false'],
  ]),
  // Changed values, and what the same transaction read before.
  ...[
    ['evm_balance_changes', 'balance_before_raw=balance_raw'],
    ['evm_nonce_changes', 'nonce_before=nonce'],
    ['evm_code_changes', 'code_hash_before=code_hash'],
  ].map(([table = '', before = '']) =>
    copy(table, 'evm_state_reads', `${evmTransaction} address`, before, ['true', 'slot IS NULL']),
  ),
  copy('evm_storage_changes', 'evm_state_reads', `${evmTransaction} address slot`, 'slot_value_before=slot_value'),
  copy(
    'evm_token_transfers',
    'evm_logs',
    `${evmTransaction} log_index`,
    'block_time transaction_hash token_address=address',
  ),
  copy('rest_erc20_transfers rest_erc721_transfers rest_erc1155_transfers', 'evm_blocks', evmBlock, 'block_hash'),
  copy(
    'node_evm_proofs evm_balances evm_nonces evm_codes evm_storage evm_calls evm_tokens',
    'evm_blocks',
    evmBlock,
    'block_hash block_time',
  ),
  copy('p_state_outputs', 'node_reward_utxos', 'network tx_id', 'staked_tx_id', ["origin = 'reward'", 'true']),
  accepted('p_blocks', "chain = 'P'"),
  accepted('c_blocks', "chain = 'C'"),
  accepted('x_blocks', "chain NOT IN ('P', 'C') AND chain NOT LIKE '%/%'"),
  accepted('x_vertices', "chain LIKE '%/vtx'", 'vertex_id'),
  copy(
    (tables as readonly Table[])
      .filter(({ history, name }) => history === 'observations' && name !== 'observations')
      .map(({ name }) => name)
      .join(' '),
    'observations',
    'network subject observation_id',
    'observed_at',
  ),
].flat()

/** Some clients leave out the gas that a transaction costs before its first call (Fantom, Moonbeam, older ones of Ethereum). */
export function gasOfFirstCalls({ inventory }: LakeRows): Check[] {
  const certain = `(${ofCChains(inventory)})`
  return copy('evm_traces', 'evm_transactions', evmTransaction, 'gas=gas_limit gas_used', firstCalls, certain)
}
