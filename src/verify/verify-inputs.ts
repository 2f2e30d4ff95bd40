import type { Table } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/sql-quote.ts'
import type { AnswerRow } from './engine.ts'
import type { Finding, Remark } from './finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound, rowCount } from './lake-rows.ts'
import { type Ledger, ledgers } from './ledgers.ts'
import { placeOfRow } from './row-place.ts'
import { waitingCondition, waitingFor } from './waiting.ts'

/** Inputs and outputs that are compared at once. */
const rowsAtOnce = 1_000_000
const told = 100

/**
 * Inputs name outputs of transactions that the lake has, with the same asset and amount, and no two transactions spend the same one.
 * Inputs of which the lake lacks the transaction (genesis, ranges that begin later) are counted.
 */
export async function verifyInputs(rows: LakeRows, ledger: Ledger): Promise<Checked> {
  const parts = partsOf(rows, [ledger.inputs, ledger.outputs])
  let checked: Checked = nothingFound
  let elsewhere = 0
  for (const part of parts) {
    if (ledger.spends) {
      const spent = await verifySpent(rows, ledger, part)
      elsewhere += spent.elsewhere
      checked = bothChecked(checked, spent)
    }
    checked = bothChecked(checked, await verifyTwice(rows, ledger, part))
  }
  const message = `Inputs of ${ledger.inputs.name} that spend outputs of transactions that the lake does not have, of the genesis or of before what is covered: ${elsewhere.toLocaleString('en-US')}.`
  const remarks: Remark[] = elsewhere > 0 ? [{ table: ledger.inputs.name, message }] : []
  return { findings: checked.findings.slice(0, told), remarks: [...checked.remarks, ...remarks] }
}

/** What is imported was exported by a transaction of another chain, where the lake has that. */
export async function verifyImports(rows: LakeRows): Promise<Checked> {
  const exporting = ledgers.filter(({ outputs }) => rows.filesOf(outputs).length > 0)
  if (exporting.length === 0) return nothingFound
  let checked: Checked = nothingFound
  for (const ledger of ledgers) {
    if (rows.filesOf(ledger.inputs).length === 0) continue
    for (const part of partsOf(rows, [ledger.inputs, ...exporting.map(({ outputs }) => outputs)])) {
      const made = exporting
        .map(({ outputs }) =>
          select(
            rows,
            outputs,
            'tx_id',
            part,
            ['network', 'tx_id', 'output_index', 'asset_id', 'amount'],
            "kind = 'export'",
          ),
        )
        .join(' UNION ALL ')
      const transactions = exporting
        .map((each) => select(rows, each.transactions, 'tx_id', part, ['network', 'tx_id'], withOutputs(rows, each)))
        .join(' UNION ')
      const wrong =
        await rows.engine.rows(`${imported(rows, ledger, part)}, made AS (${made}), known AS (${transactions})
        SELECT spent.*, known.tx_id IS NOT NULL AS is_known, made.tx_id IS NOT NULL AS has, made.asset_id AS made_asset, made.amount::VARCHAR AS made_amount
        FROM spent JOIN known ON known.network = spent.network AND known.tx_id = spent.source_tx_id
        LEFT JOIN made ON made.network = spent.network AND made.tx_id = spent.source_tx_id AND made.output_index = spent.source_output_index
        WHERE made.tx_id IS NULL OR made.asset_id <> spent.asset_id OR made.amount <> spent.amount LIMIT ${told}`)
      const findings = wrong.map((row) =>
        inputFinding(rows, ledger, row, 'imports an output that no transaction of the lake exports'),
      )
      checked = bothChecked(checked, { findings, remarks: [] })
    }
  }
  return { ...checked, findings: checked.findings.slice(0, told) }
}

type Part = { readonly of: number; readonly at: number }

function partsOf(rows: LakeRows, tables: readonly Table[]): Part[] {
  const all = tables.reduce((sum, table) => sum + rowCount(rows.filesOf(table)), 0)
  const of = Math.max(1, Math.ceil(all / rowsAtOnce))
  return Array.from({ length: of }, (_, at) => ({ of, at }))
}

/** Rows of a table whose transaction, in the column `by`, belongs to a part. */
function select(
  rows: LakeRows,
  table: Table,
  by: string,
  { of, at }: Part,
  columns: readonly string[],
  where: string,
): string {
  const names = columns.map((name) => (name in table.columns ? sqlName(name) : `NULL AS ${sqlName(name)}`))
  return `SELECT ${names.join(', ')} FROM ${rows.relation(table, rows.filesOf(table))} WHERE hash(${by}) % ${of} = ${at} AND ${where}`
}

/** Transactions whose outputs are covered: what a repair took out of these the next run reads again. */
function withOutputs({ inventory }: LakeRows, { transactions, outputs }: Ledger): string {
  return `${waitingCondition(inventory, transactions, waitingFor(inventory, outputs, transactions))} IS NOT TRUE`
}

const inputColumns = [
  'tx_id',
  'height',
  'block_number',
  'tx_index',
  'input_index',
  'source_tx_id',
  'source_output_index',
  'asset_id',
  'amount',
  'kind',
]

function imported(rows: LakeRows, { inputs, chain }: Ledger, part: Part): string {
  return `WITH spent AS (${select(rows, inputs, 'source_tx_id', part, [...chain, ...inputColumns], "kind = 'import'")})`
}

async function verifySpent(rows: LakeRows, ledger: Ledger, part: Part): Promise<Checked & { elsewhere: number }> {
  const { inputs, outputs, transactions, chain, madeLater } = ledger
  const same = (other: string) =>
    chain.map((name) => `${other}.${sqlName(name)} = spent.${sqlName(name)}`).join(' AND ')
  const ctes = [
    `WITH spent AS (${select(rows, inputs, 'source_tx_id', part, [...chain, ...inputColumns], "kind <> 'import'")})`,
    `made AS (${select(rows, outputs, 'tx_id', part, [...chain, 'tx_id', 'output_index', 'asset_id', 'amount', 'kind'], 'true')})`,
    `known AS (${select(rows, transactions, 'tx_id', part, [...chain, 'tx_id', 'tx_type', 'output_count'], withOutputs(rows, ledger))})`,
  ].join(', ')
  const joined = `FROM spent
    LEFT JOIN made ON ${same('made')} AND made.tx_id = spent.source_tx_id AND made.output_index = spent.source_output_index
    LEFT JOIN (SELECT DISTINCT * FROM known) known ON ${same('known')} AND known.tx_id = spent.source_tx_id`
  const later = `spent.source_output_index >= known.output_count AND known.tx_type IN (${[...madeLater, ''].map(sqlText).join(', ')})`
  const wrong = await rows.engine.rows(
    `${ctes} SELECT spent.*, made.tx_id IS NOT NULL AS has, made.kind AS made_kind, made.asset_id AS made_asset, made.amount::VARCHAR AS made_amount, known.tx_type AS made_type
     ${joined}
     WHERE (made.tx_id IS NULL AND known.tx_id IS NOT NULL AND NOT (${later}))
       OR made.kind = 'export' OR made.asset_id <> spent.asset_id OR made.amount <> spent.amount LIMIT ${told}`,
  )
  const [unknown] = await rows.engine.rows(
    `${ctes} SELECT count(*)::INTEGER AS n ${joined} WHERE known.tx_id IS NULL AND made.tx_id IS NULL`,
  )
  return {
    findings: wrong.map((row) => inputFinding(rows, ledger, row, 'spends what its transaction did not make so')),
    remarks: [],
    elsewhere: unknown?.['n'] ?? 0,
  }
}

/** A few early blocks of the C chain repeat an atomic transaction: one that spends again what it has spent is the same one. */
async function verifyTwice(rows: LakeRows, ledger: Ledger, part: Part): Promise<Checked> {
  const { inputs, chain } = ledger
  const spent = [...chain, 'source_tx_id', 'source_output_index']
  const keys = spent.map(sqlName).join(', ')
  const twice = await rows.engine.rows(
    `WITH spent AS (${select(rows, inputs, 'source_tx_id', part, [...chain, ...inputColumns], 'source_tx_id IS NOT NULL')})
     SELECT ${keys}, count(DISTINCT tx_id)::INTEGER AS n, min(tx_id) AS tx_id, list(DISTINCT tx_id ORDER BY tx_id)[:3] AS by_tx, max(height) AS height, max(block_number) AS block_number
     FROM spent GROUP BY ${keys} HAVING count(DISTINCT tx_id) > 1 LIMIT ${told}`,
  )
  const findings = twice.map(
    (row): Finding => ({
      kind: 'rows.spent-twice',
      message: `Transactions of ${inputs.name} spend the same output.`,
      ...placeOfRow(rows.inventory, inputs, row),
      key: Object.fromEntries(spent.map((name) => [name, String(row[name])])),
      found: `spent by ${(row['by_tx'] as string[]).join(', ')}`,
    }),
  )
  return { findings, remarks: [] }
}

function inputFinding(rows: LakeRows, { inputs }: Ledger, row: AnswerRow, what: string): Finding {
  const utxo = `output ${row['source_output_index']} of ${row['source_tx_id']}`
  return {
    kind: 'rows.input',
    message: `A row of ${inputs.name} ${what}.`,
    ...placeOfRow(rows.inventory, inputs, row),
    key: Object.fromEntries(inputs.key.map((name) => [name, String(row[name])])),
    expected:
      row['has'] === true
        ? `${utxo}: ${row['made_amount']} of ${row['made_asset']}${row['made_kind'] === 'export' ? ', exported' : ''}`
        : `no ${utxo}`,
    found: `${utxo}: ${row['amount']} of ${row['asset_id']}`,
  }
}
