import type { InventoryFile } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { placeAmong, rowParts } from '../lake/row-parts.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { findSuspects } from '../lake/suspects.ts'

/** How many hashes of keys are in memory at once. */
const keysAtOnce = 3_000_000
/** How many findings of a table are reported one by one. */
const mostFindings = 100

/** Checks that no two rows of a table have the same key. Keys are counted by hash, some at a time. */
export async function verifyKeys(rows: LakeRows, table: Table): Promise<Checked> {
  const columns = table.key.map(sqlName)
  const key = columns.join(', ')
  const findings: Finding[] = []
  let left = 0
  const place = placeAmong(table.key, [table])
  for (const part of await rowParts(rows, [table], { place, rowsAtOnce: keysAtOnce })) {
    const files = await part.filesOf(table)
    const own = `FROM ${rows.relation(table, files)} WHERE ${part.condition(columns)}`
    const { count, first } = await findSuspects(
      rows.engine,
      `SELECT h, 0 AS place FROM (SELECT hash(${key}) AS h ${own}) GROUP BY h HAVING count(*) > 1`,
      mostFindings,
    )
    if (first === null) continue
    const doubled = await rows.engine.rows(
      `SELECT ${key}, count(*)::INTEGER AS n, min(file_index)::INTEGER AS file_index ${own} AND hash(${key}) IN ${first}
       GROUP BY ${key} HAVING count(*) > 1`,
    )
    findings.push(...doubled.map((row) => keyFinding(rows, table, files, row)))
    left += count - doubled.length
  }
  const remarks =
    left > 0 ? [{ table: table.name, message: `${left} more keys of ${table.name} have duplicates.` }] : []
  return { findings: findings.slice(0, mostFindings), remarks }
}

function keyFinding(rows: LakeRows, table: Table, files: readonly InventoryFile[], row: AnswerRow): Finding {
  const file = files[row['file_index']]?.path
  return {
    kind: 'rows.key',
    message: `Rows of ${table.name} have the same key.`,
    ...placeOfRow(rows.inventory, table, row),
    ...(file === undefined ? {} : { file }),
    key: Object.fromEntries(table.key.map((name) => [name, String(row[name])])),
    rows: row['n'],
  }
}
