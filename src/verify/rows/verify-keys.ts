import type { Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { findSuspects } from '../lake/suspects.ts'

/** How many hashes of keys are in memory at once. */
const keysAtOnce = 3_000_000
/** How many findings of a table are reported one by one. */
const mostFindings = 100

/** Checks that no two rows of a table have the same key. Keys are counted by hash, one part at a time. */
export async function verifyKeys(rows: LakeRows, table: Table): Promise<Checked> {
  const files = rows.filesOf(table)
  const source = rows.relation(table, files)
  const columns = table.key.map(sqlName).join(', ')
  const parts = Math.max(1, Math.ceil(rowCount(files) / keysAtOnce))
  const findings: Finding[] = []
  let left = 0
  for (let part = 0; part < parts; part++) {
    const { count, first } = await findSuspects(
      rows.engine,
      `SELECT h, 0 AS place FROM (SELECT hash(${columns}) AS h FROM ${source}) WHERE h % ${parts} = ${part} GROUP BY h HAVING count(*) > 1`,
      mostFindings,
    )
    if (first === null) continue
    const doubled = await rows.engine.rows(
      `SELECT ${columns}, count(*)::INTEGER AS n, min(file_index)::INTEGER AS file_index FROM ${source}
       WHERE hash(${columns}) IN ${first} GROUP BY ${columns} HAVING count(*) > 1`,
    )
    findings.push(...doubled.map((row) => keyFinding(rows, table, row)))
    left += count - doubled.length
  }
  const remarks =
    left > 0 ? [{ table: table.name, message: `${left} more keys of ${table.name} have duplicates.` }] : []
  return { findings: findings.slice(0, mostFindings), remarks }
}

function keyFinding(rows: LakeRows, table: Table, row: AnswerRow): Finding {
  const file = rows.filesOf(table)[row['file_index']]?.path
  return {
    kind: 'rows.key',
    message: `Rows of ${table.name} have the same key.`,
    ...placeOfRow(rows.inventory, table, row),
    ...(file === undefined ? {} : { file }),
    key: Object.fromEntries(table.key.map((name) => [name, String(row[name])])),
    rows: row['n'],
  }
}
