import { builtInView } from '../../schemas/views/index.ts'
import type { Inventory } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import { type Check, tableNamed, words } from './checks.ts'
import { waitingCondition, waitingFor } from './streams.ts'

/** A chain with transactions that create and spend UTXOs. */
type Ledger = {
  readonly transactions: Table
  readonly outputs: Table
  readonly inputs: Table
  /** State of its nodes that is in no container, and how to query it; null if the chain has no UTXOs of its own: then it only imports. */
  readonly state: {
    /** Blocks by height. */
    readonly blocks: Table
    /** Outputs that are in no container. */
    readonly outputs: Table
    /** The view with the heights at which each UTXO was created and spent. */
    readonly spans: string
    readonly namespace: 'platform' | 'xvm'
  } | null
  /** Columns that name the chain. */
  readonly chain: readonly string[]
  /** Types of transactions to which the node later adds outputs, with indexes after their own. */
  readonly madeLater: readonly string[]
}

/** The tables of a chain, by how their names begin. */
const ledger = (chain: string, of: Pick<Ledger, 'state' | 'chain' | 'madeLater'>): Ledger => ({
  transactions: tableNamed(`${chain}_transactions`),
  outputs: tableNamed(`${chain}_outputs`),
  inputs: tableNamed(`${chain}_inputs`),
  ...of,
})

const stateOf = (chain: 'p' | 'x', namespace: 'platform' | 'xvm'): Ledger['state'] => ({
  blocks: tableNamed(`${chain}_blocks`),
  outputs: tableNamed(`${chain}_state_outputs`),
  spans: builtInView(`${chain}_utxo_spans`).name,
  namespace,
})

/** All chains with UTXOs. */
export const ledgers: readonly Ledger[] = [
  ledger('p', {
    state: stateOf('p', 'platform'),
    chain: ['network'],
    madeLater: [
      // Rewards of stakes.
      ...words('AddValidatorTx AddDelegatorTx AddPermissionlessValidatorTx AddPermissionlessDelegatorTx'),
      ...words('AddAutoRenewedValidatorTx RewardAutoRenewedValidatorTx'),
      // Refunded balances of L1 validators. SetL1ValidatorWeightTx ends a validation with a weight of 0.
      ...words('DisableL1ValidatorTx SetL1ValidatorWeightTx'),
    ],
  }),
  ledger('x', { state: stateOf('x', 'xvm'), chain: ['network', 'blockchain_id'], madeLater: [] }),
  ledger('c_atomic', { state: null, chain: ['network', 'blockchain_id'], madeLater: [] }),
]

/** How many rows are compared at once, with a few bytes of each. */
const rowsAtOnce = 3_000_000

/**
 * Checks that inputs spend existing outputs with the same asset and amount, and that no two transactions spend the same output. Inputs that
 * spend outputs of transactions that are not in the lake (genesis, ranges that begin later) are only counted.
 */
export function inputChecks(inventory: Inventory, ledger: Ledger): Check[] {
  const table = ledger.inputs.name
  const elsewhere = (count: number) =>
    `${countText(count)} inputs of ${table} spend outputs of transactions that are not in the lake (genesis, or before the covered range).`
  const ofOwn: Check = {
    ...spendsCheck(inventory, ledger, null),
    remarks: (counts) => [...counts.values()].map((count) => ({ table, message: elsewhere(count) })),
  }
  return [...(ledger.state === null ? [] : [ofOwn]), twiceCheck(ledger)]
}

/** The columns that a table has, and NULL for the others. */
function named(table: Table, columns: readonly string[]): string {
  return columns.map((name) => (name in table.columns ? sqlName(name) : `NULL AS ${sqlName(name)}`)).join(', ')
}

/**
 * Compares inputs with the outputs that they spend: all rows by hashes of a few bytes, and the few inputs that may be wrong by value. Imports
 * spend what transactions of `exporters` export, if the lake has them; with null, the other inputs spend what their own chain keeps.
 */
export function spendsCheck(inventory: Inventory, ledger: Ledger, exporters: readonly Ledger[] | null): Check {
  const { inputs, chain } = ledger
  const isImport = exporters !== null
  const makers = exporters ?? [ledger]
  const by = isImport ? ['network'] : chain
  const inputsWhere = `kind ${isImport ? '=' : '<>'} 'import'`
  const [outputsWhere, unspendableWhere] = isImport ? ["kind = 'export'", 'false'] : ['true', "kind = 'export'"]
  const hashOf = (...names: readonly string[]) => `hash(${[...by.map(sqlName), ...names].join(', ')})`
  const values = ['asset_id', 'amount'].map((name) => `if(${name} IS NULL, NULL, hash(${name})) AS ${name}`).join(', ')
  const each = (of: (maker: Ledger) => string) => makers.map(of).join(' UNION ALL ')
  // Nodes add outputs to some transactions later. After a repair, the next run reads missing outputs again.
  const later = ({ madeLater }: Ledger) =>
    madeLater.length === 0 ? 'false' : `tx_type IN (${madeLater.map(sqlText).join(', ')})`
  const withOutputs = ({ transactions, outputs }: Ledger) =>
    `${waitingCondition(inventory, transactions, waitingFor(inventory, outputs, transactions))} IS NOT TRUE`
  const isWrong = 'made.is_lost OR made.asset_id <> spent.asset_id OR made.amount <> spent.amount'
  const isSuspect = (...names: string[]) => `${hashOf(...names)} IN $suspects`
  const outputColumns = [...by, 'tx_id', 'output_index', 'asset_id', 'amount', 'kind']
  const inputColumns = ['height', 'block_number', 'source_tx_id', 'source_output_index', 'asset_id', 'amount']
  const same = (other: string) => by.map((name) => `${other}.${sqlName(name)} = spent.${sqlName(name)}`).join(' AND ')
  const known = (of: string) => `coalesce(${of}.amount::VARCHAR, 'null') || ' of ' || coalesce(${of}.asset_id, 'null')`
  const utxo = "'output ' || spent.source_output_index || ' of ' || spent.source_tx_id"
  return {
    what: `${isImport ? 'imports of' : 'outputs that'} ${inputs.name}`,
    tables: [inputs, ...makers.flatMap(({ outputs, transactions }) => [outputs, transactions])],
    files: [inputs],
    parts: {
      place: null,
      keys: [['source_tx_id'], ...makers.flatMap(() => [['tx_id'], ['tx_id']])],
      atOnce: rowsAtOnce,
    },
    suspects: `WITH spent AS (
        SELECT ${hashOf('source_tx_id', 'source_output_index')} AS utxo, ${hashOf('source_tx_id')} AS tx, source_output_index, ${values}
        FROM ${sqlName(inputs.name)} WHERE ${inputsWhere}),
      made AS (${each(({ outputs }) => `SELECT ${hashOf('tx_id', 'output_index')} AS utxo, ${unspendableWhere} AS is_lost, ${values} FROM ${sqlName(outputs.name)} WHERE ${outputsWhere}`)}),
      known AS (${each((maker) => `SELECT ${hashOf('tx_id')} AS tx, ${later(maker)} AS later, output_count FROM ${sqlName(maker.transactions.name)} WHERE ${withOutputs(maker)}`)})
      SELECT spent.utxo AS h, 0 AS place, CASE WHEN made.utxo IS NULL AND known.tx IS NULL THEN 'elsewhere' END AS what
      FROM spent LEFT JOIN made ON made.utxo = spent.utxo LEFT JOIN known ON known.tx = spent.tx
      WHERE (made.utxo IS NULL AND NOT coalesce(later AND source_output_index >= output_count, false)) OR ${isWrong}`,
    sql: `WITH spent AS (SELECT ${named(inputs, [...new Set(['network', 'blockchain_id', ...by, ...inputs.key, ...inputColumns])])}
        FROM ${sqlName(inputs.name)} WHERE ${inputsWhere} AND ${isSuspect('source_tx_id', 'source_output_index')}),
      made AS (${each(({ outputs }) => `SELECT ${named(outputs, outputColumns)}, ${unspendableWhere} AS is_lost FROM ${sqlName(outputs.name)} WHERE ${outputsWhere} AND ${isSuspect('tx_id', 'output_index')}`)}),
      known AS (${makers.map((maker) => `SELECT ${named(maker.transactions, [...by, 'tx_id', 'output_count'])}, ${later(maker)} AS later FROM ${sqlName(maker.transactions.name)} WHERE ${withOutputs(maker)} AND tx_id IN (SELECT source_tx_id FROM spent)`).join(' UNION ')})
      SELECT spent.*, ${utxo} || ': ' || ${known('spent')} AS found,
        CASE WHEN made.tx_id IS NULL THEN 'no ' || ${utxo}
          ELSE ${utxo} || ': ' || ${known('made')} || CASE WHEN made.kind = 'export' THEN ', exported' ELSE '' END END AS expected
      FROM spent
      LEFT JOIN made ON ${same('made')} AND made.tx_id = spent.source_tx_id AND made.output_index = spent.source_output_index
      LEFT JOIN known ON ${same('known')} AND known.tx_id = spent.source_tx_id
      WHERE (made.tx_id IS NULL AND known.tx_id IS NOT NULL AND NOT (known.later AND spent.source_output_index >= known.output_count)) OR ${isWrong}`,
    says: {
      'rows.input': `A row of ${inputs.name} ${isImport ? 'imports an output that no transaction of the lake exports' : 'does not match the output that it spends'}.`,
    },
    isAlone: true,
  }
}

/**
 * Checks that no two transactions spend the same output. A few early blocks of the C-Chain repeat an atomic transaction; inputs of the same
 * transaction are no double spend.
 */
function twiceCheck({ inputs, chain }: Ledger): Check {
  const names = [...chain, 'source_tx_id', 'source_output_index']
  const key = names.map(sqlName).join(', ')
  const places = ['height', 'block_number'].filter((name) => name in inputs.columns)
  return {
    what: `outputs that ${inputs.name} spend twice`,
    tables: [inputs],
    parts: { place: null, keys: [['source_tx_id']], atOnce: rowsAtOnce },
    suspects: `SELECT h, 0 AS place FROM (SELECT hash(${key}) AS h, hash(tx_id) AS tx FROM ${sqlName(inputs.name)} WHERE source_tx_id IS NOT NULL)
      GROUP BY h HAVING min(tx) <> max(tx)`,
    sql: `SELECT ${key}, ${places.map((name) => `max(${name}) AS ${name}`).join(', ')}, 'spent by ' || min(tx_id) || ', ' || max(tx_id) AS found
      FROM ${sqlName(inputs.name)} WHERE source_tx_id IS NOT NULL AND hash(${key}) IN $suspects GROUP BY ${key} HAVING min(tx_id) <> max(tx_id)`,
    says: { 'rows.spent-twice': `Transactions of ${inputs.name} spend the same output.` },
    key: names,
  }
}
