import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { Finding } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { placeAmong, type RowPart, rowParts } from '../lake/row-parts.ts'
import { placeOfRow } from '../lake/row-place.ts'
import type { Copy } from './copies.ts'

/** How many rows of both tables are compared at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/** Checks that values that a row repeats from another table are equal there. Rows without a matching row are left to other checks. */
export async function verifyCopy(rows: LakeRows, copy: Copy): Promise<Checked> {
  const tables = [copy.table, copy.of]
  const shared = copy.by.flatMap(([own, other]) => (own === other ? [own] : []))
  const place = placeAmong(shared, tables)
  let checked = nothingFound
  for (const part of await rowParts(rows, tables, { place, rowsAtOnce })) {
    checked = bothChecked(checked, await verifyPart(rows, copy, part))
    if (checked.findings.length >= mostFindings) break
  }
  return { ...checked, findings: checked.findings.slice(0, mostFindings) }
}

async function verifyPart(rows: LakeRows, copy: Copy, part: RowPart): Promise<Checked> {
  const { table, of, by, values } = copy
  const places = ['network', 'blockchain_id', 'chain_id', 'height', 'block_number']
  const key = [...new Set([...places.filter((name) => name in table.columns), ...table.key])]
  const own = [
    ...key.map((name) => `${sqlName(name)}::VARCHAR AS ${sqlName(`key_${name}`)}`),
    ...values.map(([own], at) => `${own} AS v${at}`),
  ]
  const other = values.map(([, sql], at) => `${sql} AS v${at}`)
  const differs = values.map((_, at) => `own.v${at} <> other.v${at}`)
  const first = (texts: readonly string[]) =>
    `CASE ${differs.map((condition, at) => `WHEN ${condition} THEN ${texts[at]}`).join(' ')} END`
  const found = await rows.engine.rows(
    `SELECT own.* EXCLUDE (${values.map((_, at) => `v${at}`).join(', ')}),
       ${first(values.map(([column]) => sqlText(column)))} AS name,
       ${first(values.map((_, at) => `own.v${at}::VARCHAR`))} AS own_value, ${first(values.map((_, at) => `other.v${at}::VARCHAR`))} AS other_value
     FROM ${await side(rows, table, copy, 0, own, part)} own JOIN ${await side(rows, of, copy, 1, other, part)} other
       ON ${by.map((_, at) => `own.k${at} = other.k${at}`).join(' AND ')}
     WHERE ${differs.join(' OR ')} LIMIT ${mostFindings}`,
  )
  const findings = found.map((row): Finding => {
    const values = Object.fromEntries(key.map((name) => [name, row[`key_${name}`]]))
    return {
      kind: 'rows.value',
      message: `${row['name']} of a row of ${table.name} differs from its row of ${of.name}.`,
      ...placeOfRow(rows.inventory, table, values),
      otherTable: of.name,
      columns: columnsIn(table, row['name']),
      key: Object.fromEntries(table.key.map((name) => [name, String(values[name])])),
      expected: String(row['other_value']),
      found: String(row['own_value']),
    }
  })
  return { findings, remarks: [] }
}

function columnsIn({ columns }: Table, sql: string): string[] {
  return (sql.match(/\w+/g) ?? []).filter((name) => name in columns)
}

/** The rows of a table that belong to a part. */
async function side(
  rows: LakeRows,
  table: Table,
  { by, where }: Copy,
  at: 0 | 1,
  columns: readonly string[],
  part: RowPart,
): Promise<string> {
  const keys = by.map((sides) => sides[at])
  const shown = [...keys.map((key, position) => `${key} AS k${position}`), ...columns]
  const source = rows.relation(table, await part.filesOf(table))
  return `(SELECT ${shown.join(', ')} FROM ${source} WHERE ${part.condition(keys)} AND ${where?.[at] ?? 'true'})`
}
