import type { Inventory } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { type RowPart, rowParts } from '../lake/row-parts.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { findSuspects } from '../lake/suspects.ts'
import { waitingCondition, waitingFor } from '../lake/waiting.ts'
import type { Count } from './counts.ts'

/** How many rows of both tables are counted at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/**
 * Checks that numbers in rows of `of` equal the numbers of rows of `rows`, and that each row of `rows` belongs to a row of `of`. Only slices
 * that both tables cover are compared.
 */
export async function verifyCount(rows: LakeRows, count: Count): Promise<Checked> {
  const findings: Finding[] = []
  let found = 0
  for (const part of await rowParts(rows, [count.of, count.rows], { place: count.place, rowsAtOnce })) {
    const wrong = await wrongCounts(rows, count, part, mostFindings - findings.length)
    findings.push(...wrong.rows.map((row) => countFinding(rows, count, row)))
    found += wrong.count
  }
  const more = found - findings.length
  const message = `${more} more rows of ${count.of.name} state a wrong number of rows of ${count.rows.name}.`
  return { findings, remarks: more === 0 ? [] : [{ table: count.rows.name, message }] }
}

/** The number of keys of a part with wrong counts, and the first rows of these. */
async function wrongCounts(
  rows: LakeRows,
  count: Count,
  part: RowPart,
  most: number,
): Promise<{ count: number; rows: AnswerRow[] }> {
  const { engine } = rows
  const names = keyNames(count)
  const hash = `hash(${names.map(sqlName).join(', ')})`
  const place = count.place === null ? '0' : sqlName(count.place)
  const counted = await countedRows(rows, count, part)
  const isWrong = wrongCondition(rows.inventory, count)
  const { count: all, first } = await findSuspects(
    engine,
    `SELECT h, min(place) AS place FROM (SELECT ${hash} AS h, ${place} AS place, said, there, is_of, waits FROM (${counted}))
     GROUP BY h HAVING ${isWrong}`,
    most,
  )
  if (first === null) return { count: all, rows: [] }
  const keys = names.map(sqlName).join(', ')
  const wrong = await engine.rows(
    `SELECT ${keys}, sum(said)::BIGINT::VARCHAR AS said, sum(there)::BIGINT::VARCHAR AS there, max(is_of) AS has FROM (${counted})
     WHERE ${hash} IN ${first} GROUP BY ${keys} HAVING ${isWrong} ORDER BY ALL`,
  )
  return { count: all, rows: wrong }
}

/** The columns that rows of both tables are counted by. */
function keyNames({ by, place, as }: Count): string[] {
  return [...(place === null ? [] : [place]), ...by, ...(as === undefined ? [] : [as.of])]
}

/** An SQL condition that selects keys with wrong sums. */
function wrongCondition(inventory: Inventory, { of, number, rows: counted, alone }: Count): string {
  const isOther = '(max(is_of) AND NOT bool_or(is_of AND waits) AND sum(said) <> sum(there))'
  // It is unknown which rows without a height the next run reads again, so none of them is called an orphan.
  const mayBeAlone = alone === true || (!isPlaced(counted) && waitingFor(inventory, of, counted).length > 0)
  const isOrphan = '(NOT max(is_of) AND NOT bool_or(waits))'
  return `${number === null ? 'false' : isOther} OR ${mayBeAlone ? 'false' : isOrphan}`
}

function isPlaced({ columns }: Table): boolean {
  return 'height' in columns || 'block_number' in columns
}

/**
 * The rows of both tables with their keys: each row of `of` states a number, each row of `rows` counts as one. An optional table, such as
 * senders, may cover less, and the next run reads again what a repair removed: such rows are marked as waiting. Rows that another stream wrote
 * without the rows they belong to, such as logs by filter, are not orphans. They are counted if the lake has the rows they belong to.
 */
async function countedRows(rows: LakeRows, count: Count, part: RowPart): Promise<string> {
  const { inventory } = rows
  const { of, number, rows: counted, by, place, as } = count
  const uncounted = waitingCondition(inventory, of, waitingFor(inventory, counted, of))
  const unclaimed = isPlaced(counted)
    ? waitingCondition(inventory, counted, waitingFor(inventory, of, counted))
    : 'false'
  const names = [...(place === null ? [] : [place]), ...by]
  const select = async (table: Table, own: string | undefined, more: string) => {
    const files = await part.filesOf(table)
    const keys = [...names.map(sqlName), ...(as === undefined ? [] : [`${sqlName(own ?? '')} AS ${sqlName(as.of)}`])]
    const isIn = part.condition([sqlName(as === undefined ? (names.at(-1) ?? '') : (own ?? ''))])
    const isThere = place === null ? '' : ` AND ${sqlName(place)} IS NOT NULL`
    return `SELECT ${keys.join(', ')}, ${more} FROM ${rows.relation(table, files)} WHERE ${isIn}${isThere}`
  }
  const said = await select(
    of,
    as?.of,
    `${number ?? '0'} AS said, 0 AS there, true AS is_of, ${uncounted} IS TRUE AS waits`,
  )
  const there = await select(counted, as?.rows, `0, 1, false, ${unclaimed} IS TRUE`)
  return `${said} UNION ALL ${there}`
}

function countFinding(rows: LakeRows, count: Count, row: AnswerRow): Finding {
  const { of, rows: counted } = count
  const key = Object.fromEntries(keyNames(count).map((name) => [name, String(row[name])]))
  const where = placeOfRow(rows.inventory, counted, row)
  if (row['has'] === false)
    return {
      kind: 'rows.orphan',
      message: `Rows of ${counted.name} belong to no row of ${of.name}.`,
      ...where,
      otherTable: of.name,
      key,
      rows: Number(row['there']),
    }
  return {
    kind: 'rows.count',
    message: `The number of rows of ${counted.name} differs from the number that ${of.name} states.`,
    ...where,
    otherTable: of.name,
    key,
    expected: `${row['said']} rows`,
    found: `${row['there']} rows`,
  }
}
