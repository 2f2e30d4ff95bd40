import { tables as declaredTables } from '../../../schemas/index.ts'
import { derivedViews } from '../../../schemas/views/index.ts'
import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import { columnList } from '../../lookup/table-source.ts'
import { readViewQuery } from '../../views/view-query.ts'
import { createScript } from '../../views/view-script.ts'
import type { LakeRows } from '../lake/lake-rows.ts'
import type { Ledger, LedgerState } from './ledgers.ts'

/** A chain with UTXOs as the lake has it. */
export type UtxoChain = {
  readonly network: string
  /** What streams and the paths of a node call it. */
  readonly name: string
  readonly blockchainId: string
  readonly ledger: Ledger
  readonly state: LedgerState
}

/** An output of one of the sampled addresses, as of a height. */
export type LakeUtxo = {
  readonly utxoId: string
  readonly txId: string
  readonly outputIndex: number
  readonly isUnspent: boolean
  /** Nothing says from which height on it is there. */
  readonly isUndated: boolean
  readonly spentBy: string | null
  /** What nodes say of it, too, by name, as texts. */
  readonly values: Readonly<Record<string, string | null>>
}

/** Outputs of a sampled address that are compared at most; exchanges have millions. */
const mostOutputs = 20_000

/** What both sides say of a UTXO, as SQL that gives texts; lists of owners have their own order on each side. */
const values: Readonly<Record<string, string>> = {
  asset_id: 'asset_id',
  amount: 'amount::VARCHAR',
  addresses: "array_to_string(list_sort(addresses), ' ')",
  threshold: 'threshold::VARCHAR',
  locktime: 'locktime::VARCHAR',
}

const stakeable = { stakeable_locktime: 'stakeable_locktime::VARCHAR' }

/**
 * Outputs of up to `count` addresses, by address: of every four addresses three with something unspent at the height and one without, as far
 * as there are such. Which ones follows from the lake alone. What is spent when is what the views say.
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

/** The transactions of these ids that the lake has on the chain. */
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

/** Owners of outputs, in an order that has nothing to do with what they own. */
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

/** The tables and views behind the view of spans, with what of outputs and inputs the sample needs. */
async function spansScript(rows: LakeRows, chain: UtxoChain): Promise<string[]> {
  const { ledger, state } = chain
  const whole = (table: Table) =>
    `SELECT ${columnList(table)} FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${ofChain(chain, table)}`
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

/** A view with all that it reads, directly and by other views. */
function neededBy(name: string): Set<string> {
  const own = derivedViews.find((view) => view.name === name)?.dependsOn ?? []
  return new Set([name, ...own.flatMap((other) => [...neededBy(other)])])
}
