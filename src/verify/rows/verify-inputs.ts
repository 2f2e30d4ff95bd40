import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound, rowCount } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { findSuspects } from '../lake/suspects.ts'
import { waitingCondition, waitingFor } from '../lake/waiting.ts'
import { type Ledger, ledgers } from './ledgers.ts'

/** Inputs and outputs that are compared at once, a few bytes of each. */
const rowsAtOnce = 3_000_000
const told = 100

/**
 * Inputs name outputs of transactions that the lake has, with the same asset and amount, and no two transactions spend the same one.
 * Inputs of which the lake lacks the transaction (genesis, ranges that begin later) are counted.
 */
export async function verifyInputs(rows: LakeRows, ledger: Ledger): Promise<Checked> {
  const spends: Spends = {
    inputs: ledger.inputs,
    where: "kind <> 'import'",
    by: ledger.chain,
    makers: [ledger],
    made: 'true',
    lost: "kind = 'export'",
    what: 'spends what its transaction did not make so',
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
  const message = `Inputs of ${ledger.inputs.name} that spend outputs of transactions that the lake does not have, of the genesis or of before what is covered: ${elsewhere.toLocaleString('en-US')}.`
  const remarks: Remark[] = elsewhere > 0 ? [{ table: ledger.inputs.name, message }] : []
  return { findings: checked.findings.slice(0, told), remarks: [...checked.remarks, ...remarks] }
}

/** What is imported was exported by a transaction of another chain, where the lake has that. */
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
  return { findings: findings.slice(0, told), remarks: [] }
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
  const isIn = of === 1 ? '' : `hash(${by}) % ${of} = ${at} AND `
  return `SELECT ${columns.join(', ')} FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${isIn}${where}`
}

/** Columns that a table has, and null for those that it has not. */
function named(table: Table, columns: readonly string[]): string[] {
  return columns.map((name) => (name in table.columns ? sqlName(name) : `NULL AS ${sqlName(name)}`))
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

/** Which inputs spend which outputs. */
type Spends = {
  readonly inputs: Table
  readonly where: string
  /** Columns that an input and what it spends have in common. */
  readonly by: readonly string[]
  readonly makers: readonly Ledger[]
  /** Which outputs of these are looked at, and which of them may not be spent so. */
  readonly made: string
  readonly lost: string
  readonly what: string
}

/**
 * All rows are compared by hashes, a few bytes of each: texts of millions of them do not fit into memory. The few inputs that may be wrong by
 * these are compared by what they say.
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
    told,
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

/** Inputs, as hashes of what they spend, that nothing makes, or that what they spend contradicts. */
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

/** The inputs of these hashes of what they spend that are wrong, with what they spend. */
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
    const isAsked = 'tx_id IN (SELECT source_tx_id FROM spent)'
    return select(rows, each.transactions, 'tx_id', part, names, `${withOutputs(rows, each)} AND ${isAsked}`)
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
      OR made.is_lost OR made.asset_id <> spent.asset_id OR made.amount <> spent.amount LIMIT ${told}`
}

function hashOf(by: readonly string[], ...names: readonly string[]): string {
  return `hash(${[...by.map(sqlName), ...names].join(', ')})`
}

/** Whether nodes make outputs of a transaction later, behind those that it has. */
function makesLater({ madeLater }: Ledger): string {
  return madeLater.length === 0 ? 'false' : `tx_type IN (${madeLater.map(sqlText).join(', ')})`
}

/** A few early blocks of the C chain repeat an atomic transaction: one that spends again what it has spent is the same one. */
async function verifyTwice(rows: LakeRows, { inputs, chain }: Ledger, part: Part): Promise<Checked> {
  const { engine } = rows
  const utxo = [...chain, 'source_tx_id', 'source_output_index']
  const own = (columns: readonly string[], where = 'true') =>
    select(rows, inputs, 'source_tx_id', part, columns, `source_tx_id IS NOT NULL AND ${where}`)
  const { first } = await findSuspects(
    engine,
    `SELECT utxo AS h, 0 AS place FROM (${own([`${hashOf(utxo)} AS utxo`, 'hash(tx_id) AS tx'])}) GROUP BY utxo HAVING min(tx) <> max(tx)`,
    told,
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
