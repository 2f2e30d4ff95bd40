import { tables as declaredTables } from '../../../schemas/index.ts'
import { derivedViews } from '../../../schemas/views/index.ts'
import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import { readViewQuery } from '../../views/view-query.ts'
import { createScript } from '../../views/view-script.ts'
import type { LakeRows } from '../lake/lake-rows.ts'
import type { Ledger, LedgerState } from './ledgers.ts'

/** A chain with UTXOs, as the lake knows it. */
export type UtxoChain = {
  readonly network: string
  /** Its name in streams and in paths of the node. */
  readonly name: string
  /** The stream of its blocks. */
  readonly stream: string
  readonly blockchainId: string
  readonly ledger: Ledger
  readonly state: LedgerState
}

/** An output of a sampled address, as of a height. */
export type LakeUtxo = {
  readonly utxoId: string
  readonly txId: string
  readonly outputIndex: number
  readonly isUnspent: boolean
  /** Whether the height at which it was created is unknown. */
  readonly isUndated: boolean
  readonly spentBy: string | null
  /** The values that a node states too, by name, as texts. */
  readonly values: Readonly<Record<string, string | null>>
}

/** Addresses with more outputs are not sampled; exchanges have millions. */
const mostOutputs = 20_000

/** The values of a UTXO that both sides have, as SQL that returns texts. The two sides may order lists of owners differently. */
const values: Readonly<Record<string, string>> = {
  asset_id: 'asset_id',
  amount: 'amount::VARCHAR',
  addresses: "array_to_string(list_sort(addresses), ' ')",
  threshold: 'threshold::VARCHAR',
  locktime: 'locktime::VARCHAR',
}

const stakeable = { stakeable_locktime: 'stakeable_locktime::VARCHAR' }

/**
 * Outputs of up to `count` addresses, by address. If possible, three of four addresses have unspent outputs at the height, and one has none.
 * The selection depends only on the lake. The views determine when outputs are spent.
 */
export async function sampleUtxos(
  rows: LakeRows,
  chain: UtxoChain,
  { height, count }: { readonly height: number; readonly count: number },
): Promise<Map<string, LakeUtxo[]>> {
  const { engine } = rows
  await engine.rows(`CREATE OR REPLACE TEMP TABLE sampled AS ${candidates(rows, chain, 3 * count)}`)
  for (const statement of await spansScript(rows, chain)) await engine.rows(statement)
  const said = 'stakeable_locktime' in spanColumns(chain) ? { ...values, ...stakeable } : values
  const shown = Object.entries(said).map(([name, value]) => `${value} AS ${sqlName(`said_${name}`)}`)
  const isState = 'kind' in spanColumns(chain) ? "kind = 'state'" : 'true'
  await engine.rows(`CREATE OR REPLACE TEMP TABLE spans AS
    SELECT address, utxo_id, tx_id, output_index::INTEGER AS output_index, height IS NULL AND origin IS NOT NULL AS undated,
      (CASE WHEN height IS NULL THEN ${isState} ELSE height <= ${height} END)
        AND (spent_tx_id IS NULL OR coalesce(spent_height, 0) > ${height}) AS unspent, spent_tx_id, ${shown.join(', ')}
    FROM (SELECT *, unnest(addresses) AS address FROM ${sqlName(chain.state.spans)}) WHERE address IN (SELECT address FROM sampled)`)
  const found = await engine.rows(`
    WITH each AS (SELECT address, bool_or(coalesce(unspent, false)) AS has FROM sampled LEFT JOIN spans USING (address) GROUP BY address),
      ranked AS (SELECT address, has, row_number() OVER (PARTITION BY has ORDER BY hash(address)) AS place FROM each),
      chosen AS (SELECT address FROM ranked ORDER BY CASE WHEN has THEN place / 3.0 ELSE place END, address LIMIT ${count})
    SELECT chosen.address, spans.* EXCLUDE (address) FROM chosen LEFT JOIN spans USING (address) ORDER BY chosen.address, utxo_id`)
  const byAddress = new Map<string, LakeUtxo[]>()
  for (const row of found) {
    const own = byAddress.get(row['address']) ?? []
    byAddress.set(row['address'], own)
    if (row['utxo_id'] === null) continue
    own.push({
      utxoId: row['utxo_id'],
      txId: row['tx_id'],
      outputIndex: row['output_index'],
      isUnspent: row['unspent'],
      isUndated: row['undated'],
      spentBy: row['spent_tx_id'],
      values: Object.fromEntries(Object.keys(said).map((name) => [name, row[`said_${name}`]])),
    })
  }
  return byAddress
}

export type MadeBy = { readonly type: string; readonly outputCount: number }

/** The transactions with these ids that the lake has of the chain. */
export async function transactionsOf(
  rows: LakeRows,
  chain: UtxoChain,
  txIds: readonly string[],
): Promise<Map<string, MadeBy>> {
  if (txIds.length === 0) return new Map()
  const { transactions } = chain.ledger
  const found = await rows.engine.rows(
    `SELECT tx_id, min(tx_type) AS type, max(output_count)::INTEGER AS outputs FROM ${rows.relation(transactions, rows.filesOf(transactions))}
     WHERE ${ofChain(chain, transactions)} AND tx_id IN (${txIds.map(sqlText).join(', ')}) GROUP BY tx_id`,
  )
  return new Map(found.map((row) => [row['tx_id'], { type: row['type'], outputCount: row['outputs'] }]))
}

function ofChain({ network, blockchainId }: UtxoChain, table: Table): string {
  const isOfSeveral = 'blockchain_id' in table.columns && !table.name.startsWith('p_')
  return `network = ${sqlText(network)}${isOfSeveral ? ` AND blockchain_id = ${sqlText(blockchainId)}` : ''}`
}

/** Owners of outputs, in an order that does not depend on what they own. */
function candidates(rows: LakeRows, chain: UtxoChain, count: number): string {
  const owners = [chain.ledger.outputs, chain.state.outputs].map((table) => {
    const own = 'kind' in table.columns ? " AND kind <> 'export'" : ''
    return `SELECT unnest(addresses) AS address FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${ofChain(chain, table)}${own}`
  })
  return `SELECT address FROM (${owners.join(' UNION ALL ')}) GROUP BY address HAVING count(*) <= ${mostOutputs} ORDER BY hash(address) LIMIT ${count}`
}

function spanColumns({ state }: UtxoChain): object {
  return derivedViews.find(({ name }) => name === state.spans)?.columns ?? {}
}

/** SQL that creates the view of spans and all that it reads, restricted to outputs and inputs of the sample. */
async function spansScript(rows: LakeRows, chain: UtxoChain): Promise<string[]> {
  const { ledger, state } = chain
  const whole = (table: Table) =>
    `SELECT ${Object.keys(table.columns).map(sqlName).join(', ')} FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${ofChain(chain, table)}`
  const owned = (table: Table) =>
    `CREATE OR REPLACE TEMP TABLE ${sqlName(table.name)} AS ${whole(table)} AND utxo_id IN (
       SELECT utxo_id FROM (SELECT utxo_id, unnest(addresses) AS address FROM (${whole(table)})) WHERE address IN (SELECT address FROM sampled))`
  const views = neededBy(state.spans)
  const restricted = [ledger.outputs, state.outputs, ledger.inputs]
  const others = declaredTables.filter((table) => views.has(table.name) && !restricted.includes(table))
  const queries = derivedViews.filter(({ name }) => views.has(name))
  return [
    owned(ledger.outputs),
    owned(state.outputs),
    `CREATE OR REPLACE TEMP TABLE ${sqlName(ledger.inputs.name)} AS ${whole(ledger.inputs)} AND source_tx_id IN (
       SELECT tx_id FROM ${sqlName(ledger.outputs.name)} UNION SELECT tx_id FROM ${sqlName(state.outputs.name)})`,
    ...others.map((table) => createScript(table.name, whole(table))),
    ...(await Promise.all(queries.map(async (view) => createScript(view.name, await readViewQuery(view))))),
  ]
}

/** The names of a view and of everything that it reads, directly or through other views. */
function neededBy(name: string): Set<string> {
  const own = derivedViews.find((view) => view.name === name)?.dependsOn ?? []
  return new Set([name, ...own.flatMap((other) => [...neededBy(other)])])
}
