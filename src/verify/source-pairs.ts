import type { Inventory } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import { isWhole } from '../model.ts'
import { type Both, bothOf, type Check, joining, tableNamed, text, words } from './checks.ts'
import { computedColumns, isCChainIn, type LakeRows, mostFindings, ofCChains, placeAmong } from './lake.ts'

/** A table of a pair: the SQL values that identify a row, in the same order on both sides, and an SQL condition. */
type Side = { readonly table: Table; readonly key: readonly string[]; readonly where: string }

/** Values to compare, by name, as SQL of each side. A null on one side is not a difference. */
type Values = Readonly<Record<string, Both>>

/** Two tables that hold the same facts from two sources. */
type SourcePair = More & {
  /** Rows that were decoded from the chain, or read from its node. */
  readonly own: Side
  /** Rows from another interface. */
  readonly other: Side
  readonly values: Values
}

type More = {
  /** The height column of the other table. If `own` covers that height, it must have the row. Absent if `other` has no height. */
  readonly place?: 'height' | 'block_number'
  /** Whether both tables are covered by height, so that rows of `own` must be in `other` too. */
  readonly bothCovered?: true
  /** Whether rows of all EVM chains are compared, not only those of the C-Chain. */
  readonly ofAnyChain?: true
}

/** A pair of tables, each by its name or as `table WHERE condition`, and their keys (see `bothOf`). */
function pair(
  own: string,
  other: string,
  key: string,
  values: readonly (string | Values)[],
  more: More = {},
): SourcePair {
  const [ownSide, otherSide] = [own, other].map((side, at) => {
    const [table = '', where = 'true'] = side.split(' WHERE ')
    return { table: tableNamed(table), key: bothOf(key).map((both) => both[at]!), where }
  })
  const named = values.map((each) =>
    typeof each === 'string' ? Object.fromEntries(bothOf(each).map((both) => [both[0], both])) : each,
  )
  return { own: ownSide!, other: otherSide!, values: Object.assign({}, ...named), ...more }
}

const byHeight = { place: 'height' } as const
const byNumber = { place: 'block_number' } as const

/** The columns that two tables share by name, except keys and values that a node computes. */
const shared = (own: string, other: string): string => {
  const [a, b] = [tableNamed(own), tableNamed(other)]
  const others = [...a.key, ...b.key, ...computedColumns(b)]
  return Object.keys(a.columns)
    .filter((name) => name in b.columns && !others.includes(name))
    .join(' ')
}
/** Whole seconds of a time. A cast of `epoch()` to an integer would round half a second up. */
const secondsOf = (time: string): string => `epoch_us(${time}) // 1000000`
const secondsIn = (name: string): Values => ({ [name]: [secondsOf(name), secondsOf(name)] })
/** Services cut off the milliseconds that a block has. */
export const seconds = secondsIn('block_time')
/** The two sides may order lists of owners or parents differently. */
const sorted = (own: string, other = own): Both => [`list_sort(${own})`, `list_sort(${other})`]
const owners: Values = { addresses: sorted('addresses') }
const utxo = 'asset_id amount output_index'
const owned = [`${utxo} tx_id threshold locktime`, owners]
/** Before Banff, the time of a P-Chain block may come from its wrapper. */
const ownTime: Values = {
  block_time: [`CASE WHEN block_type LIKE 'Banff%' THEN ${secondsOf('block_time')} END`, secondsOf('block_time')],
}
const pChain = "'11111111111111111111111111111111LpoYY'"
/** Transactions that stake. */
const staked = `p_validations WHERE action IN ('add', 'delegate') AND tx_type NOT IN ('RegisterL1ValidatorTx', 'ConvertSubnetToL1Tx')`

/** The service states no position of the transaction, which the key of a log has. Its hash takes that place. */
const restTransfer = (standard: string, key: string, values: string): SourcePair =>
  pair(
    `evm_token_transfers WHERE standard = '${standard}'`,
    `rest_${standard}_transfers WHERE log_index IS NOT NULL`,
    `network block_number log_index transaction_hash ${key}`,
    ['from_address to_address', seconds, { token: ['token_address', 'lower(token_address)'] }, values],
    byNumber,
  )

const nodeBlock = [
  'block_id parent_id tx_count proposer_node_id container_id wrapper_parent_id wrapper_p_height',
  secondsIn('wrapper_time'),
]

/** What a service says of the validator or delegator that a transaction adds. */
const restStake = [
  'node_id subnet_id bls_public_key',
  secondsIn('end_time'),
  {
    delegation_fee_percent: ['delegation_shares', 'round(delegation_fee_percent * 10000)::BIGINT'],
    bls_proof_of_possession: ["'0x' || lower(hex(proof_of_possession))", 'lower(bls_proof_of_possession)'],
  },
] as const

/** The first four bytes of the input of a call. */
const calledFunction =
  "CASE WHEN to_address IS NOT NULL AND octet_length(input) >= 4 THEN '0x' || lower(substr(hex(input), 1, 8)) END"

const listedByNode = (table: string, values: string): SourcePair =>
  pair(table, 'node_utxos', 'network utxo_id', [...owned, values])

const blockKey = 'network block_number'
const txKey = 'network block_number transaction_index'
const idKey = 'network blockchain_id tx_id'
const accepted: Values = { tx_status: ["'Accepted'", 'tx_status'] }
const notTimed = "tx_type <> 'AdvanceTimeTx'"

/** All facts that the lake may have from two sources. Services omit UTXOs of genesis and of addresses that were not requested. */
export const sourcePairs: readonly SourcePair[] = [
  pair(
    'c_blocks',
    'evm_blocks',
    blockKey,
    [shared('c_blocks', 'evm_blocks'), { ext_data_length: ['ext_data_length', 'octet_length(block_extra_data)'] }],
    { ...byNumber, bothCovered: true },
  ),
  pair('c_transactions', 'evm_transactions', txKey, [shared('c_transactions', 'evm_transactions')], {
    ...byNumber,
    bothCovered: true,
  }),
  pair('c_senders', 'evm_transactions', txKey, ['transaction_hash from_address block_time'], { bothCovered: true }),
  ...words('c_blocks evm_blocks').map((table) =>
    pair(
      table,
      'rest_evm_blocks',
      blockKey,
      [
        'block_hash parent_hash transaction_count gas_limit gas_used base_fee_per_gas block_gas_cost min_delay_excess',
        seconds,
      ],
      byNumber,
    ),
  ),
  // An aborted AdvanceTimeTx can be repeated: several rows have its id, and the service shows one of them.
  pair(
    `p_transactions WHERE ${notTimed}`,
    `rest_p_transactions WHERE ${notTimed}`,
    'network tx_id',
    [
      'height block_id tx_type source_chain_id destination_chain_id staked_tx_id vm_id blockchain_name manager_chain_id',
      'manager_address memo',
    ],
    byHeight,
  ),
  pair(staked, 'rest_p_transactions', 'network tx_id', restStake),
  pair('p_blocks', 'rest_p_transactions', 'network height', [ownTime]),
  pair('x_transactions', 'rest_x_transactions', idKey, ['height block_id tx_type memo', seconds], byHeight),
  pair(
    'c_atomic_transactions',
    'rest_c_atomic_transactions',
    idKey,
    ['tx_type block_number source_chain_id destination_chain_id', seconds],
    byNumber,
  ),
  ...words('c_blocks evm_blocks').map((table) =>
    pair(table, 'rest_c_atomic_transactions', blockKey, ['block_hash', seconds]),
  ),
  pair(
    'evm_transactions',
    'rest_native_transactions',
    'network block_number transaction_hash',
    [
      'transaction_index transaction_type from_address to_address nonce gas_limit gas_used status',
      seconds,
      { amount_raw: ['value_raw', 'amount_raw'], method_hash: [calledFunction, 'method_hash'] },
    ],
    byNumber,
  ),
  // Transactions with an ICM message. Hashes differ between chains, so the lake may have transactions of any chain.
  ...['source', 'destination'].map((end) =>
    pair(
      'evm_transactions',
      `rest_icm_messages WHERE ${end}_transaction_hash IS NOT NULL`,
      `network transaction_hash=${end}_transaction_hash`,
      [{ block_time: [secondsOf('block_time'), secondsOf(`${end}_time`)] }],
      { ofAnyChain: true },
    ),
  ),
  restTransfer('erc20', '0', 'amount_raw'),
  restTransfer('erc721', '0', 'token_id'),
  // The service lists the transfers of a batch in a different order.
  restTransfer('erc1155', 'token_id amount_raw', ''),
  pair(
    'p_blocks',
    `rest_node_blocks WHERE blockchain_id = ${pChain}`,
    'network height',
    [...nodeBlock, ownTime],
    byHeight,
  ),
  pair('x_blocks', `rest_node_blocks WHERE blockchain_id <> ${pChain}`, 'network blockchain_id height', [
    ...nodeBlock,
    seconds,
  ]),
  pair('x_vertices', 'rest_x_vertices', 'network blockchain_id vertex_id=vertex_hash', [
    'height byte_length',
    {
      parents: sorted('parent_ids', 'parent_hashes'),
      transactions: sorted('tx_ids'),
      tx_count: ['len(tx_ids)', 'tx_count'],
    },
  ]),
  pair('p_outputs', 'rest_utxos', 'network utxo_id', owned),
  pair("x_outputs WHERE output_type = 'transfer'", 'rest_utxos', 'network utxo_id', owned),
  ...words('p_state_outputs x_state_outputs').map((table) => pair(table, 'rest_utxos', 'network utxo_id', owned)),
  pair(
    "p_inputs WHERE kind <> 'import'",
    'rest_utxos WHERE consumed_on_chain_id = blockchain_id',
    'network source_tx_id=tx_id source_output_index=output_index',
    [{ consuming_tx_id: ['tx_id', 'consuming_tx_id'], consuming_height: ['height', 'consuming_height'] }],
  ),
  pair('p_state_outputs', 'rest_rewards', 'network utxo_id', [utxo, { tx_id: ['staked_tx_id', 'tx_id'] }, owners]),
  pair(staked, 'rest_rewards', 'network tx_id', ['node_id weight=staked_amount', secondsIn('end_time')]),
  pair(staked, 'rest_validators', 'network tx_id', [...restStake, 'weight=staked_amount']),
  // Answers of nodes, each paired with the rows that were decoded from blocks.
  pair(staked, 'node_validators', 'network tx_id', [
    'node_id subnet_id weight end_time delegation_shares bls_public_key',
  ]),
  pair(staked, 'node_delegators', 'network tx_id', ['node_id subnet_id weight end_time']),
  pair(
    "p_validations WHERE action = 'add' AND validation_id IS NOT NULL",
    'node_l1_validators',
    'network validation_id',
    ['node_id subnet_id bls_public_key'],
  ),
  pair("p_transactions WHERE tx_type = 'CreateChainTx'", 'node_blockchains', 'network tx_id=blockchain_id', [
    'subnet_id vm_id blockchain_name',
  ]),
  pair('x_assets', 'node_assets', 'network blockchain_id asset_id', ['name symbol denomination']),
  pair('p_blocks', 'node_blocks', 'network block_id', [
    'height parent_id block_type tx_count',
    { blockchain_id: [pChain, 'blockchain_id'], ...ownTime },
  ]),
  pair('x_blocks', 'node_blocks', 'network block_id', ['blockchain_id height parent_id block_time tx_count']),
  pair('x_transactions', 'node_transactions', idKey, ['tx_type', accepted]),
  pair('c_atomic_transactions', 'node_transactions', idKey, [
    'tx_type',
    accepted,
    { height: ['block_number', 'height'] },
  ]),
  ...words('p_outputs p_state_outputs').map((table) => listedByNode(table, 'stakeable_locktime')),
  ...words('x_outputs x_state_outputs').map((table) => listedByNode(table, 'output_type group_id payload')),
  listedByNode("c_atomic_outputs WHERE kind = 'export'", ''),
]

/** Checks that rows from two sources are equal, and that both have the same rows where both cover a height. */
export function pairCheck({ inventory }: LakeRows, pair: SourcePair): Check {
  const { own, other, values, place, bothCovered, ofAnyChain } = pair
  const [name, otherName] = [own.table.name, other.table.name]
  const names = Object.keys(values)
  const texts = (key: readonly string[]) => key.map((value) => text(`(${value})`))
  const [ownKey, otherKey] = [texts(own.key), texts(other.key)]
  const { columns, on, isDifferent, first } = joining(
    ownKey.map((value, at) => [value, otherKey[at]!]),
    Object.values(values).map(([a, b]) => [text(`(${a})`), text(`(${b})`)]),
  )
  const side = ({ table, where }: Side, at: 0 | 1) => {
    const height = ['block_number', 'height'].find((column) => column in table.columns) ?? 'NULL'
    const ofChain = ofAnyChain || !('chain_id' in table.columns) ? 'true' : `(${ofCChains(inventory)})`
    return `(SELECT DISTINCT ${columns(at)}, ${height}::BIGINT AS place FROM ${sqlName(table.name)} WHERE ${where} AND ${ofChain})`
  }
  const extra = place === undefined ? 'false' : `own.k0 IS NULL AND ${coversC(inventory, own.table, 'other')}`
  const missing = bothCovered === true ? `other.k0 IS NULL AND ${coversC(inventory, other.table, 'own')}` : 'false'
  const located = [
    ...own.key.map((column, at) => `k${at} AS ${sqlName(column)}`),
    ...(own.key.includes('blockchain_id') ? [] : [`'${name.startsWith('c_') ? 'C' : 'X'}' AS blockchain_id`]),
    ...(own.key.some((column) => column === 'height' || column === 'block_number') ? [] : ['place AS height']),
  ]
  const isFinding = "what IN ('source.extra', 'source.missing', 'source.different')"
  return {
    what: `${name} against ${otherName}`,
    tables: [own.table, other.table],
    parts: {
      place: placeAmong(
        own.key.filter((column) => other.key.includes(column)),
        [own.table, other.table],
      ),
      keys: [ownKey.slice(0, 2), otherKey.slice(0, 2)],
    },
    sql: `WITH joined AS (
        SELECT ${ownKey.map((_, at) => `coalesce(own.k${at}, other.k${at}) AS k${at}`).join(', ')}, coalesce(own.place, other.place) AS place,
          CASE WHEN ${extra} THEN 'source.extra' WHEN ${missing} THEN 'source.missing' WHEN ${isDifferent} THEN 'source.different'
            WHEN other.k0 IS NULL THEN 'own' WHEN own.k0 IS NULL THEN ${place === undefined ? 'NULL' : "'other'"} ELSE 'alike' END AS what,
          CASE WHEN what = 'source.different' THEN ${first((at) => sqlText(names[at]!))} END AS name,
          ${first((at) => `own.v${at}`)} AS expected, ${first((at) => `other.v${at} || ${sqlText(` in ${otherName}`)}`)} AS found
        FROM ${side(own, 0)} own FULL JOIN ${side(other, 1)} other ON ${on})
      SELECT * FROM (SELECT ${located.join(', ')}, what AS kind, name, CASE WHEN name IS NOT NULL THEN [name] END AS columns, expected, found
        FROM joined WHERE ${isFinding} ORDER BY place, k1 LIMIT ${mostFindings})
      UNION ALL BY NAME SELECT what, count(*) AS n FROM joined WHERE NOT ${isFinding} GROUP BY what`,
    says: {
      'source.different': `{name} of a row differs between ${name} and ${otherName}.`,
      'source.missing': `${otherName} does not have a row that ${name} has, although both cover the height.`,
      'source.extra': `${otherName} has a row that ${name} does not have, although ${name} covers the height.`,
    },
    key: own.key,
    remarks(counts) {
      const [alike, ofOwn, ofOther] = ['alike', 'own', 'other'].map((what) => counts.get(what) ?? 0)
      // If the other table also holds unrelated rows, the number of rows that only it has means nothing.
      const only = { [name]: ofOwn!, ...(place === undefined ? {} : { [otherName]: ofOther! }) }
      const left = Object.entries(only).flatMap(([of, n]) => (n > 0 ? [`, ${countText(n)} are only in ${of}`] : []))
      const why = left.length === 0 ? '' : '. This is normal if one source covers less or omits such rows'
      const message = `${name} and ${otherName}: ${countText(alike!)} rows are equal${left.join('')}${why}.`
      return [{ table: otherName, rows: { alike: alike!, only }, message }]
    },
  }
}

/**
 * An SQL condition that selects rows of the other side at heights that the table covers with every block, transaction and log, unlike logs of
 * some contracts or every hundredth block. A node also has other EVM chains; the C-Chain of an unknown network is not recognized.
 */
function coversC(inventory: Inventory, table: Table, side: 'own' | 'other'): string {
  const slices = inventory.coverage.flatMap((row) => {
    const { network, slice, origin } = row
    const isOwn = row.table === table.name && ['block', 'evm-blocks'].includes(origin.kind ?? '') && isWhole(origin)
    if (!isOwn || ('chain_id' in table.columns && !isCChainIn(inventory, network, origin.chain))) return []
    return [`(${side}.k0 = ${sqlText(network)} AND ${side}.place BETWEEN ${slice.from} AND ${slice.to - 1})`]
  })
  return `(${slices.join(' OR ') || 'false'})`
}
