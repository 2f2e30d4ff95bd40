import type { InventoryFile } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { chainId, placeOfRow } from '../lake/row-place.ts'
import { ofCChains } from '../proofs/row-proofs.ts'
import { type RowRule, rulesOf } from './row-rules.ts'
import { allowedValues, factsOf, type StreamFact } from './stream-facts.ts'

const mostFindings = 100

const aliases = ['P', 'X', 'C']

/** Checks that values of a row agree with each other, and with the streams that the catalog lists for its file. */
export async function verifyRowRules(rows: LakeRows, table: Table): Promise<Checked> {
  let checked = nothingFound
  for (const rule of rulesOf(table)) checked = bothChecked(checked, await verifyRule(rows, rule))
  for (const fact of factsOf(table)) checked = bothChecked(checked, await verifyFact(rows, table, fact))
  return checked
}

async function verifyRule(rows: LakeRows, { table, columns, holds, mayBreak }: RowRule): Promise<Checked> {
  const files = rows.filesOf(table)
  const relation = rows.relation(table, files)
  const certain = mayBreak ? `(${ofCChains(rows.inventory)})` : 'true'
  const found = await rows.engine.rows(
    `SELECT ${shown(table, columns)} FROM ${relation} WHERE NOT (${holds}) AND ${certain} LIMIT ${mostFindings}`,
  )
  const others = mayBreak
    ? await rows.engine.rows(
        `SELECT network, chain_id, count(*)::VARCHAR AS rows FROM ${relation} WHERE NOT (${holds}) AND NOT ${certain} GROUP BY ALL ORDER BY ALL`,
      )
    : []
  const findings = found.map((row) => ({
    ...ruleFinding(rows, table, files, row),
    message: `Columns of a row of ${table.name} contradict each other.`,
    columns,
    found: columns.map((name) => `${name} ${row[name]}`).join(', '),
  }))
  const remarks = others.map(({ network, chain_id: id, rows: count }) => ({
    table: table.name,
    message: `${columns.join(' and ')} of ${countText(count)} rows of ${table.name} of chain ${network}/${id} differ. Some chains state them differently.`,
  }))
  return { findings, remarks }
}

async function verifyFact(rows: LakeRows, table: Table, fact: StreamFact): Promise<Checked> {
  const idOf = (network: string, name: string) => {
    const id = chainId(rows.inventory, network, name)
    return aliases.includes(id) ? undefined : id
  }
  const known = rows.filesOf(table).flatMap((file) => {
    const values = allowedValues(rows.inventory, file, fact, idOf)
    return values === null ? [] : [{ file, values }]
  })
  if (known.length === 0) return nothingFound
  const files = known.map(({ file }) => file)
  const lists = known.map(({ values }) => `[${values.map(sqlText).join(', ')}]`).join(', ')
  const column = sqlName(fact.column)
  const found = await rows.engine.rows(
    `SELECT ${shown(table, [fact.column])} FROM ${rows.relation(table, files)}
     WHERE NOT list_contains(([${lists}])[file_index::BIGINT + 1], ${column}) LIMIT ${mostFindings}`,
  )
  const findings = found.map((row) => ({
    ...ruleFinding(rows, table, files, row),
    message: `${fact.column} of a row of ${table.name} differs from the stream that its file was read from.`,
    columns: [fact.column],
    expected: known[Number(row['file_index'])]?.values.join(', ') ?? '',
    found: String(row[fact.column]),
  }))
  return { findings, remarks: [] }
}

function shown(table: Table, columns: readonly string[]): string {
  const places = ['network', 'blockchain_id', 'chain_id', 'height', 'block_number'].filter(
    (name) => name in table.columns,
  )
  const names = [...new Set([...places, ...table.key, ...columns])].filter((name) => name in table.columns)
  return [
    ...names.map((name) => `${sqlName(name)}::VARCHAR AS ${sqlName(name)}`),
    'file_index::INTEGER AS file_index',
  ].join(', ')
}

function ruleFinding(
  rows: LakeRows,
  table: Table,
  files: readonly InventoryFile[],
  row: AnswerRow,
): Omit<Finding, 'message'> & { readonly kind: 'rows.value' } {
  const file = files[Number(row['file_index'])]?.path
  return {
    kind: 'rows.value',
    ...placeOfRow(rows.inventory, table, row),
    ...(file === undefined ? {} : { file }),
    key: Object.fromEntries(table.key.map((name) => [name, String(row[name])])),
  }
}
