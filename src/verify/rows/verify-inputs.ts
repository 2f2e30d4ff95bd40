import type { Table } from '../../define/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound, rowCount } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { findSuspects } from '../lake/suspects.ts'
import { waitingCondition, waitingFor } from '../lake/waiting.ts'
import { type Ledger, ledgers } from './ledgers.ts'

/** How many inputs and outputs are compared at once, with a few bytes of each. */
const rowsAtOnce = 3_000_000
const mostFindings = 100

/**
 * Checks that inputs spend existing outputs with the same asset and amount, and that no two transactions spend the same output. Inputs that
 * spend outputs of transactions that are not in the lake (genesis, ranges that begin later) are only counted.
 */
export async function verifyInputs(rows: LakeRows, ledger: Ledger): Promise<Checked> {
  const spends: Spends = {
    inputs: ledger.inputs,
    where: "kind <> 'import'",
    by: ledger.chain,
    makers: [ledger],
    made: 'true',
    lost: "kind = 'export'",
    what: 'does not match the output that it spends',
  }
  let checked: Checked = nothingFound
  let elsewhere = 0
  for (const part of partsOf(rows, [ledger.inputs, ledger.outputs])) {
    if (ledger.spends) {
      const spent = await verifySpends(rows, spends, part)
      elsewhere += spent.elsewhere
      checked = bothChecked(checked, spent)
    }
    checked = bothChecked(checked, await verifyTwice(rows, ledger, part))
  }
  const message = `${countText(elsewhere)} inputs of ${ledger.inputs.name} spend outputs of transactions that are not in the lake (genesis, or before the covered range).`
  const remarks: Remark[] = elsewhere > 0 ? [{ table: ledger.inputs.name, message }] : []
  return { findings: checked.findings.slice(0, mostFindings), remarks: [...checked.remarks, ...remarks] }
}

/** Checks that imported outputs were exported by a transaction of another chain, if the lake has that transaction. */
export async function verifyImports(rows: LakeRows): Promise<Checked> {
  const makers = ledgers.filter(({ outputs }) => rows.filesOf(outputs).length > 0)
  const findings: Finding[] = []
  for (const { inputs } of makers.length === 0 ? [] : ledgers) {
    if (rows.filesOf(inputs).length === 0) continue
    const imports: Spends = {
      inputs,
      where: "kind = 'import'",
      by: ['network'],
      makers,
      made: "kind = 'export'",
      lost: 'false',
      what: 'imports an output that no transaction of the lake exports',
    }
    for (const part of partsOf(rows, [inputs, ...makers.map(({ outputs }) => outputs)]))
      findings.push(...(await verifySpends(rows, imports, part)).findings)
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

type Part = { readonly of: number; readonly at: number }

function partsOf(rows: LakeRows, tables: readonly Table[]): Part[] {
  const all = tables.reduce((sum, table) => sum + rowCount(rows.filesOf(table)), 0)
  const of = Math.max(1, Math.ceil(all / rowsAtOnce))
  return Array.from({ length: of }, (_, at) => ({ of, at }))
}

/** SQL that selects the rows of a part, by the transaction in the column `by`. */
function select(
  rows: LakeRows,
  table: Table,
  by: string,
  { of, at }: Part,
  columns: readonly string[],
  where: string,
): string {
  const isIn = of === 1 ? '' : `hash(${by}) % ${of} = ${at} AND `
  return `SELECT ${columns.join(', ')} FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${isIn}${where}`
}

/** The columns that a table has, and NULL for the others. */
function named(table: Table, columns: readonly string[]): string[] {
  return columns.map((name) => (name in table.columns ? sqlName(name) : `NULL AS ${sqlName(name)}`))
}

/** An SQL condition that selects transactions with covered outputs. After a repair, the next run reads missing outputs again. */
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

/** Describes which inputs spend which outputs. */
type Spends = {
  readonly inputs: Table
  readonly where: string
  /** Columns that an input shares with the output that it spends. */
  readonly by: readonly string[]
  readonly makers: readonly Ledger[]
  /** SQL conditions: the outputs to compare, and those among them that such inputs must not spend. */
  readonly made: string
  readonly lost: string
  readonly what: string
}

/**
 * Compares all rows by hashes of a few bytes, because texts of millions of rows do not fit into memory. The few inputs that may be wrong are
 * then compared by value.
 */
async function verifySpends(rows: LakeRows, spends: Spends, part: Part): Promise<Checked & { elsewhere: number }> {
  const { engine } = rows
  await engine.rows(`CREATE OR REPLACE TEMP TABLE unmatched AS ${unmatchedInputs(rows, spends, part)}`)
  const [any] = await engine.rows('SELECT utxo FROM unmatched LIMIT 1')
  if (any === undefined) return { ...nothingFound, elsewhere: 0 }
  const known = spends.makers.map((each) => {
    const columns = [`${hashOf(spends.by, 'tx_id')} AS tx`, `${makesLater(each)} AS later`, 'output_count']
    return select(rows, each.transactions, 'tx_id', part, columns, withOutputs(rows, each))
  })
  await engine.rows(
    `CREATE OR REPLACE TEMP TABLE judged AS
     SELECT utxo, is_made, known.tx IS NOT NULL AS is_known, later AND output_index >= output_count AS is_later
     FROM unmatched LEFT JOIN (${known.join(' UNION ALL ')}) known USING (tx)`,
  )
  const { first } = await findSuspects(
    engine,
    'SELECT DISTINCT utxo AS h, 0 AS place FROM judged WHERE is_made OR (is_known AND NOT is_later)',
    mostFindings,
  )
  const [unknown] = await engine.rows('SELECT count(*)::INTEGER AS n FROM judged WHERE NOT is_made AND NOT is_known')
  for (const table of ['unmatched', 'judged']) await engine.rows(`DROP TABLE ${table}`)
  const wrong = first === null ? [] : await engine.rows(wrongInputs(rows, spends, part, first))
  return {
    findings: wrong.map((row) => inputFinding(rows, spends.inputs, row, spends.what)),
    remarks: [],
    elsewhere: unknown?.['n'] ?? 0,
  }
}

/** SQL that selects inputs, as hashes of what they spend, without a matching output. */
function unmatchedInputs(rows: LakeRows, { inputs, where, by, makers, made, lost }: Spends, part: Part): string {
  const values = ['asset_id', 'amount'].map((name) => `if(${name} IS NULL, NULL, hash(${name})) AS ${name}`)
  const spent = select(
    rows,
    inputs,
    'source_tx_id',
    part,
    [
      `${hashOf(by, 'source_tx_id', 'source_output_index')} AS utxo`,
      `${hashOf(by, 'source_tx_id')} AS tx`,
      'source_output_index AS output_index',
      ...values,
    ],
    where,
  )
  const outputs = makers.map((each) => {
    const columns = [`${hashOf(by, 'tx_id', 'output_index')} AS utxo`, `${lost} AS is_lost`, ...values]
    return select(rows, each.outputs, 'tx_id', part, columns, made)
  })
  return `SELECT spent.utxo, spent.tx, spent.output_index, made.utxo IS NOT NULL AS is_made
    FROM (${spent}) spent LEFT JOIN (${outputs.join(' UNION ALL ')}) made ON made.utxo = spent.utxo
    WHERE made.utxo IS NULL OR made.is_lost OR made.asset_id <> spent.asset_id OR made.amount <> spent.amount`
}

/** SQL that selects the wrong inputs among the suspects, with the outputs that they spend. */
function wrongInputs(rows: LakeRows, spends: Spends, part: Part, suspects: string): string {
  const { inputs, where, by, makers, made, lost } = spends
  const isSuspect = (...names: string[]) => `${hashOf(by, ...names)} IN ${suspects}`
  const columns = [...by, 'tx_id', 'output_index', 'asset_id', 'amount', 'kind']
  const outputs = makers.map((each) =>
    select(
      rows,
      each.outputs,
      'tx_id',
      part,
      [...named(each.outputs, columns), `${lost} AS is_lost`],
      `${made} AND ${isSuspect('tx_id', 'output_index')}`,
    ),
  )
  const transactions = makers.map((each) => {
    const names = [...named(each.transactions, [...by, 'tx_id', 'output_count']), `${makesLater(each)} AS later`]
    const isSpent = 'tx_id IN (SELECT source_tx_id FROM spent)'
    return select(rows, each.transactions, 'tx_id', part, names, `${withOutputs(rows, each)} AND ${isSpent}`)
  })
  const own = [...new Set(['network', 'blockchain_id', ...by, ...inputColumns])]
  const spent = select(
    rows,
    inputs,
    'source_tx_id',
    part,
    named(inputs, own),
    `${where} AND ${isSuspect('source_tx_id', 'source_output_index')}`,
  )
  const same = (other: string) => by.map((name) => `${other}.${sqlName(name)} = spent.${sqlName(name)}`).join(' AND ')
  return `WITH spent AS (${spent}), made AS (${outputs.join(' UNION ALL ')}), known AS (${transactions.join(' UNION ')})
    SELECT spent.*, made.tx_id IS NOT NULL AS has, made.kind AS made_kind, made.asset_id AS made_asset, made.amount::VARCHAR AS made_amount
    FROM spent
    LEFT JOIN made ON ${same('made')} AND made.tx_id = spent.source_tx_id AND made.output_index = spent.source_output_index
    LEFT JOIN known ON ${same('known')} AND known.tx_id = spent.source_tx_id
    WHERE (made.tx_id IS NULL AND known.tx_id IS NOT NULL AND NOT (known.later AND spent.source_output_index >= known.output_count))
      OR made.is_lost OR made.asset_id <> spent.asset_id OR made.amount <> spent.amount LIMIT ${mostFindings}`
}

function hashOf(by: readonly string[], ...names: readonly string[]): string {
  return `hash(${[...by.map(sqlName), ...names].join(', ')})`
}

/** An SQL condition that selects transactions to which nodes later add outputs. */
function makesLater({ madeLater }: Ledger): string {
  return madeLater.length === 0 ? 'false' : `tx_type IN (${madeLater.map(sqlText).join(', ')})`
}

/**
 * Checks that no two transactions spend the same output. A few early blocks of the C-Chain repeat an atomic transaction; inputs of the same
 * transaction are no double spend.
 */
async function verifyTwice(rows: LakeRows, { inputs, chain }: Ledger, part: Part): Promise<Checked> {
  const { engine } = rows
  const utxo = [...chain, 'source_tx_id', 'source_output_index']
  const own = (columns: readonly string[], where = 'true') =>
    select(rows, inputs, 'source_tx_id', part, columns, `source_tx_id IS NOT NULL AND ${where}`)
  const { first } = await findSuspects(
    engine,
    `SELECT utxo AS h, 0 AS place FROM (${own([`${hashOf(utxo)} AS utxo`, 'hash(tx_id) AS tx'])}) GROUP BY utxo HAVING min(tx) <> max(tx)`,
    mostFindings,
  )
  if (first === null) return nothingFound
  const isSuspect = `${hashOf(utxo)} IN ${first}`
  const keys = utxo.map(sqlName).join(', ')
  const twice = await engine.rows(
    `SELECT ${keys}, min(tx_id) AS first_tx, max(tx_id) AS last_tx, max(height) AS height, max(block_number) AS block_number
     FROM (${own(named(inputs, [...chain, ...inputColumns]), isSuspect)}) GROUP BY ${keys} HAVING min(tx_id) <> max(tx_id)`,
  )
  const findings = twice.map(
    (row): Finding => ({
      kind: 'rows.spent-twice',
      message: `Transactions of ${inputs.name} spend the same output.`,
      ...placeOfRow(rows.inventory, inputs, row),
      key: Object.fromEntries(utxo.map((name) => [name, String(row[name])])),
      found: `spent by ${row['first_tx']}, ${row['last_tx']}`,
    }),
  )
  return { findings, remarks: [] }
}

function inputFinding(rows: LakeRows, inputs: Table, row: AnswerRow, what: string): Finding {
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
