import type { Inventory } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import { isWhole } from '../model.ts'
import { evmChainId } from '../sources/known-networks.ts'
import { type Both, type Check, sameNames as same, tableNamed, text, words } from './checks.ts'
import { chainId, computedColumns, isCChainIn, type LakeRows, mostFindings, placeAmong } from './lake.ts'
import type { Remark } from './report.ts'

/** A table of a pair: its rows, and how they are matched with the other table. */
type Side = {
  readonly table: Table
  /** SQL values that identify a row, in the same order on both sides. */
  readonly key: readonly string[]
  /** An SQL condition. `$chain` is replaced by a condition that selects the C-Chain. */
  readonly where: string
}

/** Two tables that hold the same facts from two sources. */
type SourcePair = {
  /** Rows that were decoded from the chain, or read from its node. */
  readonly own: Side
  /** Rows from another interface. */
  readonly other: Side
  /** The values to compare, by name, as SQL of each side. A null on one side is not a difference. */
  readonly values: Readonly<Record<string, Both>>
  /** The height column of the other table. If `own` covers that height, it must have the row. Absent if `other` has no height. */
  readonly place?: 'height' | 'block_number'
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

/** Checks that rows from two sources are equal, and that both have the same rows where both cover a height. */
export function pairCheck({ inventory }: LakeRows, { own, other, values, place, bothCovered }: SourcePair): Check {
  const shared = own.key.filter((name) => other.key.includes(name))
  const texts = (key: readonly string[]) => key.map((value) => text(`(${value})`))
  const names = Object.keys(values)
  const side = (at: 0 | 1) => {
    const { table, key, where } = at === 0 ? own : other
    const height = ['block_number', 'height'].find((name) => name in table.columns) ?? 'NULL'
    const columns = [
      ...texts(key).map((value, position) => `${value} AS k${position}`),
      ...names.map((name, position) => `(${values[name]?.[at]})::VARCHAR AS v${position}`),
      `${height}::BIGINT AS place`,
    ]
    return `(SELECT DISTINCT ${columns.join(', ')} FROM ${sqlName(table.name)} WHERE ${where.replace('$chain', cChainCondition(inventory, table))})`
  }
  const differs = names.map((_, at) => `own.v${at} <> other.v${at}`)
  const first = (value: (at: number) => string) =>
    `CASE ${differs.map((differ, at) => `WHEN ${differ} THEN ${value(at)}`).join(' ')} END`
  const extra = place === undefined ? 'false' : `own.k0 IS NULL AND ${coversC(inventory, own.table, 'other')}`
  const missing = bothCovered === true ? `other.k0 IS NULL AND ${coversC(inventory, other.table, 'own')}` : 'false'
  const key = own.key.map((name, at) => `k${at} AS ${sqlName(name)}`)
  const chain = own.table.name.startsWith('c_') ? 'C' : 'X'
  const blockchain = inventory.networks.map(
    ({ network }) => `WHEN ${sqlText(network)} THEN ${sqlText(chainId(inventory, network, chain))}`,
  )
  const located = [
    ...(own.key.includes('blockchain_id')
      ? []
      : [`CASE k0 ${blockchain.join(' ')} ELSE ${sqlText(chain)} END AS blockchain_id`]),
    ...(own.key.some((name) => name === 'height' || name === 'block_number') ? [] : ['place AS height']),
  ]
  const isFinding = "what IN ('source.extra', 'source.missing', 'source.different')"
  return {
    what: `${own.table.name} against ${other.table.name}`,
    tables: [own.table, other.table],
    parts: {
      place: placeAmong(shared, [own.table, other.table]),
      keys: [texts(own.key).slice(0, 2), texts(other.key).slice(0, 2)],
    },
    sql: `WITH joined AS (
        SELECT ${own.key.map((_, at) => `coalesce(own.k${at}, other.k${at}) AS k${at}`).join(', ')}, coalesce(own.place, other.place) AS place,
          CASE WHEN ${extra} THEN 'source.extra' WHEN ${missing} THEN 'source.missing' WHEN ${differs.join(' OR ')} THEN 'source.different'
            WHEN other.k0 IS NULL THEN 'own' WHEN own.k0 IS NULL THEN ${place === undefined ? 'NULL' : "'other'"} ELSE 'alike' END AS what,
          CASE WHEN what = 'source.different' THEN ${first((at) => sqlText(names[at] ?? ''))} END AS name,
          ${first((at) => `own.v${at}`)} AS expected, ${first((at) => `other.v${at} || ${sqlText(` in ${other.table.name}`)}`)} AS found
        FROM ${side(0)} own FULL JOIN ${side(1)} other ON ${own.key.map((_, at) => `own.k${at} = other.k${at}`).join(' AND ')})
      SELECT * FROM (SELECT ${[...key, ...located].join(', ')}, what AS kind, name, CASE WHEN name IS NOT NULL THEN [name] END AS columns, expected, found
        FROM joined WHERE ${isFinding} ORDER BY place, k1 LIMIT ${mostFindings})
      UNION ALL BY NAME SELECT what, count(*) AS n FROM joined WHERE NOT ${isFinding} GROUP BY what`,
    says: {
      'source.different': `{name} of a row differs between ${own.table.name} and ${other.table.name}.`,
      'source.missing': `${other.table.name} does not have a row that ${own.table.name} has, although both cover the height.`,
      'source.extra': `${other.table.name} has a row that ${own.table.name} does not have, although ${own.table.name} covers the height.`,
    },
    key: own.key,
    remarks: (counts) => [pairRemark(own.table.name, other.table.name, place === undefined, counts)],
  }
}

function pairRemark(own: string, other: string, isUnplaced: boolean, counts: ReadonlyMap<string, number>): Remark {
  const of = (what: 'alike' | 'own' | 'other') => counts.get(what) ?? 0
  const left = [
    { only: of('own'), name: own },
    { only: of('other'), name: other },
  ].flatMap(({ only, name }) => (only > 0 ? [`, ${countText(only)} are only in ${name}`] : []))
  const why = left.length === 0 ? '' : '. This is normal if one source covers less or omits such rows'
  return {
    table: other,
    // If the other table also holds unrelated rows, the number of rows that only it has means nothing.
    rows: { alike: of('alike'), only: { [own]: of('own'), ...(isUnplaced ? {} : { [other]: of('other') }) } },
    message: `${own} and ${other}: ${countText(of('alike'))} rows are equal${left.join('')}${why}.`,
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

/** An SQL condition that selects the C-Chain of each network, by its EVM chain id or its blockchain id. */
function cChainCondition(inventory: Inventory, table: Table): string {
  if (!('chain_id' in table.columns)) return 'true'
  const networks = inventory.networks.map(({ network, networkId }) => {
    const ids = [evmChainId(networkId), chainId(inventory, network, 'C')].filter((id) => id !== null)
    return `(network = ${sqlText(network)} AND chain_id IN (${ids.map((id) => sqlText(String(id))).join(', ')}))`
  })
  return `(${networks.join(' OR ') || 'false'})`
}
