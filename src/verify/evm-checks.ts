import { evmTransactions } from '../../schemas/evm-blocks.ts'
import { evmTraces } from '../../schemas/evm-contracts.ts'
import type { Inventory } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { groupBy } from '../lib/arrays.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import { isWhole } from '../model.ts'
import { intersect, normalise } from '../plan/intervals.ts'
import { isCChain } from '../sources/known-networks.ts'
import { type Check, shown, tableNamed, textList } from './checks.ts'
import { isCChainIn, type LakeRows, mostFindings } from './lake.ts'
import { rowsBetween } from './streams.ts'

/**
 * Changes of one kind of value, which follow one another: each value before a change is the value after the last change. Where no change can be
 * missing, an SQL condition holds only for a change that contradicts the one before it (`previous`, in block `previous_block`).
 */
const changes = [
  // Atomic transfers and rewards are in no diff, but come after the transactions of a block. Other chains can mint in between.
  ['evm_balance_changes', 'balance_before_raw', 'block_number = previous_block AND balance_before_raw <> previous'],
  // Atomic exports raise nonces; without a change that shows it, none falls.
  ['evm_nonce_changes', 'nonce_before', 'nonce_before < previous'],
  ['evm_code_changes', 'code_hash_before', 'code_hash_before <> previous'],
  // A deletion clears slots without a row for each.
  [
    'evm_storage_changes',
    'slot_value_before',
    `slot_value_before <> previous AND slot_value_before <> '0x${'0'.repeat(64)}'`,
  ],
] as const

/**
 * Rows about transactions, from a stream over all blocks of a chain, and which transactions have such rows. Each transaction changes the nonce
 * of its sender, and reads it. A transaction that the chain does not trace has a row of traces that says so, but no changes. Another chain than
 * the C-Chain may execute transactions without any change.
 */
const ofTransactions = [
  ['evm_traces', 'every'],
  ['evm_nonce_changes', 'executed'],
  ['evm_state_reads', 'executed'],
  ['evm_balance_changes', 'some'],
  ['evm_code_changes', 'some'],
  ['evm_storage_changes', 'some'],
] as const

/** Checks of calls and state changes of the transactions of EVM chains. */
export function transactionChecks(rows: LakeRows): (Check | null)[] {
  return [
    treeCheck(),
    ...ofTransactions.map(([name, have]) => tracedCheck(rows, tableNamed(name), have)),
    ...changes.map((kind) => changeCheck(rows, kind)),
  ]
}

/** What streams over all blocks of a chain cover of a table, by chain. */
function coveredChains({ coverage }: Inventory, table: Table) {
  const own = coverage.filter((row) => row.table === table.name && isWhole(row.origin))
  return [...groupBy(own, ({ network, origin }) => `${network} ${origin.chain}`).values()].map((rows) => ({
    network: rows[0]?.network ?? '',
    chain: rows[0]?.origin.chain ?? '',
    slices: normalise(rows.map(({ slice }) => slice)),
  }))
}

/** Chains execute other types of transactions in their own ways, and those without gas not at all. */
const isExecuted = 'transaction_type <= 4 AND gas_used > 0'

/** Checks that rows belong to transactions, and transactions have rows, in the blocks that evm-blocks and their own pipeline both cover. */
function tracedCheck({ inventory }: LakeRows, table: Table, have: (typeof ofTransactions)[number][1]): Check {
  const others = coveredChains(inventory, evmTransactions)
  const both = coveredChains(inventory, table).map(({ network, chain, slices }) => {
    const other = others.find((each) => each.network === network && each.chain === chain)?.slices ?? []
    return { network, chain, slices: intersect(slices, other) }
  })
  const isCovered = rowsBetween(inventory, table, both)
  const lenient = have !== 'executed' ? [] : both.filter(({ network, chain }) => !isCChain(network, chain))
  const mayLack = `(${lenient.map(({ network, chain }) => `(network = ${sqlText(network)} AND chain_id = ${sqlText(chain)})`).join(' OR ') || 'false'})`
  const names = ['network', 'chain_id', 'block_number', 'transaction_index']
  const side = (of: Table, executed: string) =>
    `(SELECT DISTINCT ${names.join(', ')}, ${executed} AS is_executed FROM ${sqlName(of.name)} WHERE ${isCovered})`
  const isMissing = have === 'executed' ? 'own.is_executed' : 'own.block_number IS NOT NULL'
  return {
    what: `transactions of ${table.name}`,
    tables: [table, evmTransactions],
    files: [],
    covered: [table, evmTransactions],
    parts: { place: 'block_number', keys: [] },
    sql: `WITH alone AS (
        SELECT ${names.map((name) => `coalesce(traced.${name}, own.${name}) AS ${name}`).join(', ')}, own.block_number IS NULL AS is_extra
        FROM ${side(table, 'true')} traced ${have === 'some' ? 'LEFT' : 'FULL'} JOIN ${side(evmTransactions, isExecuted)} own
          ON ${names.map((name) => `traced.${name} = own.${name}`).join(' AND ')}
        WHERE (traced.block_number IS NULL AND ${isMissing}) OR own.block_number IS NULL)
      SELECT * FROM (SELECT ${names.join(', ')}, CASE WHEN is_extra THEN 'rows.orphan' ELSE 'rows.missing' END AS kind
        FROM alone WHERE is_extra OR NOT ${mayLack} ORDER BY is_extra DESC, block_number, transaction_index LIMIT ${mostFindings})
      UNION ALL BY NAME SELECT network || '/' || chain_id AS what, count(*) AS n FROM alone WHERE NOT is_extra AND ${mayLack} GROUP BY what`,
    says: {
      'rows.orphan': `Rows of ${table.name} belong to no row of ${evmTransactions.name}, although both cover the block.`,
      'rows.missing': `A transaction of ${evmTransactions.name} has no rows in ${table.name}, although both cover the block.`,
    },
    key: names,
    remarks: (counts) =>
      [...counts].map(([chain, count]) => ({
        table: table.name,
        message: `${countText(count)} ${count === 1 ? 'transaction' : 'transactions'} of chain ${chain} used gas, but ${count === 1 ? 'has' : 'have'} no rows in ${table.name}. Some chains execute transactions like that.`,
      })),
  }
}

/** Checks that changes of the same value follow one another, in the blocks that evm-state-diffs covers completely. */
function changeCheck({ inventory }: LakeRows, [name, before, contradicts]: (typeof changes)[number]): Check | null {
  const table = tableNamed(name)
  const after = before.replace('before', 'after')
  const spans = coveredChains(inventory, table)
    .filter(({ network, chain }) => name !== 'evm_balance_changes' || isCChainIn(inventory, network, chain))
    .flatMap(({ slices, ...chain }) => slices.map((slice) => ({ ...chain, slices: [slice] })))
  if (spans.length === 0) return null
  const span = spans.map((each, at) => `WHEN ${rowsBetween(inventory, table, [each])} THEN ${at}`).join(' ')
  const subject = 'slot' in table.columns ? 'address, slot' : 'address'
  return {
    what: `${before} of ${table.name}`,
    tables: [table],
    parts: { place: null, keys: [['address']] },
    sql: `WITH changed AS (
        SELECT *, lag(${after}) OVER own AS previous, lag(block_number) OVER own AS previous_block
        FROM (SELECT *, CASE ${span} END AS span FROM ${sqlName(table.name)}) WHERE span IS NOT NULL
        WINDOW own AS (PARTITION BY span, ${subject} ORDER BY block_number, transaction_index))
      SELECT ${shown(table)}, ${textList([before])} AS columns, ${before}::VARCHAR AS found, previous::VARCHAR AS expected
      FROM changed WHERE ${contradicts} LIMIT ${mostFindings}`,
    says: { 'rows.value': `${before} of a row of ${table.name} is not what ${after} of the change before it says.` },
  }
}

/**
 * Checks that the calls of each transaction are one tree: each call has the position, depth and number of calls that the paths of the others
 * say, and is reverted if a call around it is. Names the first column of a row that contradicts the tree.
 */
function treeCheck(): Check {
  const names = ['network', 'chain_id', 'block_number', 'transaction_index']
  const transaction = names.join(', ')
  const same = (other: string, address: string) =>
    `(${[...names, address].map((name) => `own.${name}`).join(', ')}) = (${[...names, 'trace_address'].map((name) => `${other}.${name}`).join(', ')})`
  return {
    what: 'calls of transactions',
    tables: [evmTraces],
    parts: { place: 'block_number', keys: [] },
    sql: `WITH calls AS (
        SELECT ${transaction}, trace_index, trace_address, depth, reverted, error, child_count, file_index,
          trace_address = '' AS is_first,
          CASE WHEN trace_address = '' THEN NULL ELSE regexp_replace(trace_address, '\\.?[^.]*$', '') END AS parent,
          string_split(trace_address, '.')[-1] AS position,
          CASE WHEN trace_address = '' THEN 0 ELSE len(string_split(trace_address, '.')) END AS steps,
          list_transform(string_split(trace_address, '.'), lambda step : try_cast(step AS BIGINT)) AS path
        FROM evm_traces),
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY ${transaction} ORDER BY NOT is_first, path) - 1 AS rank,
          row_number() OVER (PARTITION BY ${transaction}, parent ORDER BY path) - 1 AS sibling
        FROM calls),
      children AS (
        SELECT ${transaction}, parent AS trace_address, count(*) AS children FROM calls WHERE NOT is_first GROUP BY ALL),
      compared AS (
        SELECT own.*, coalesce(children.children, 0) AS children, own.error IS NOT NULL OR coalesce(around.reverted, false) AS fails,
          own.is_first OR (own.position = own.sibling::VARCHAR AND around.trace_address IS NOT NULL) AS is_placed
        FROM ranked own LEFT JOIN children ON ${same('children', 'trace_address')}
          LEFT JOIN calls around ON ${same('around', 'parent')})
      SELECT ${transaction}, trace_index, file_index::INTEGER AS file_index,
        CASE WHEN NOT is_placed THEN 'trace_address' WHEN trace_index <> rank THEN 'trace_index' WHEN depth <> steps THEN 'depth'
          WHEN child_count <> children THEN 'child_count' ELSE 'reverted' END AS name, [name] AS columns,
        CASE name WHEN 'trace_address' THEN trace_address WHEN 'trace_index' THEN trace_index::VARCHAR WHEN 'depth' THEN depth::VARCHAR
          WHEN 'child_count' THEN child_count::VARCHAR ELSE reverted::VARCHAR END AS found,
        CASE name WHEN 'trace_index' THEN rank::VARCHAR WHEN 'depth' THEN steps::VARCHAR WHEN 'child_count' THEN children::VARCHAR
          WHEN 'reverted' THEN fails::VARCHAR ELSE 'a path below another call, in order' END AS expected
      FROM compared
      WHERE NOT is_placed OR trace_index <> rank OR depth <> steps OR child_count <> children OR reverted <> fails
      LIMIT ${mostFindings}`,
    says: { 'rows.value': `{name} of a row of ${evmTraces.name} contradicts the other calls of its transaction.` },
  }
}
