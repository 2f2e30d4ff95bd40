import type { Table } from '../define/index.ts'
import { sqlName } from '../lib/sql-quote.ts'
import type { Count } from './counts.ts'
import type { AnswerRow } from './engine.ts'
import type { Finding } from './finding.ts'
import { type Bounds, type Checked, type LakeRows, rowCount } from './lake-rows.ts'
import { placeOfRow } from './row-place.ts'
import { waitingCondition, waitingFor } from './waiting.ts'

/** Rows of both tables that are counted together. */
const rowsAtOnce = 2_000_000
const told = 100

/**
 * The numbers that rows of one table say of another are those of its rows, and each of these belongs to one. Counted where both are covered;
 * each row of the one adds its number, each of the other takes one away: what is left is wrong.
 */
export async function verifyCount(rows: LakeRows, count: Count): Promise<Checked> {
  const findings: Finding[] = []
  const parts = count.place === null ? hashParts(rows, count) : await placeParts(rows, count, count.place)
  let more = 0
  for (const part of parts) {
    const wrong = await wrongCounts(rows, count, part)
    for (const row of wrong) {
      if (findings.length < told) findings.push(countFinding(rows, count, row))
      else more++
    }
  }
  const message = `${more} more rows of ${count.of.name} have another number of rows in ${count.rows.name} than they say.`
  return { findings, remarks: more === 0 ? [] : [{ table: count.rows.name, message }] }
}

/** A part of both tables: rows of a range of heights, or those whose names have a hash of a kind. */
type Part = { readonly range: Bounds | null; readonly condition: (name: string) => string }

function hashParts(rows: LakeRows, { of, rows: counted }: Count): Part[] {
  const all = rowCount(rows.filesOf(of)) + rowCount(rows.filesOf(counted))
  const parts = Math.max(1, Math.ceil(all / rowsAtOnce))
  return Array.from({ length: parts }, (_, part) => ({
    range: null,
    condition: (name) => `hash(${name}) % ${parts} = ${part}`,
  }))
}

/** Ranges of heights with few enough rows, as far as their spread over the files tells. */
async function placeParts(rows: LakeRows, { of, rows: counted }: Count, place: string): Promise<Part[]> {
  const all = rowCount(rows.filesOf(of)) + rowCount(rows.filesOf(counted))
  const low = await extreme(rows, [of, counted], place, 'min')
  const high = await extreme(rows, [of, counted], place, 'max')
  if (low === null || high === null) return []
  const width = Math.max(1, Math.ceil((high - low + 1) / Math.max(1, Math.ceil(all / rowsAtOnce))))
  const parts: Part[] = []
  for (let from = low; from <= high; from += width) {
    const to = Math.min(high, from + width - 1)
    parts.push({ range: { from, to }, condition: () => `${sqlName(place)} BETWEEN ${from} AND ${to}` })
  }
  return parts
}

async function extreme(
  rows: LakeRows,
  tables: readonly Table[],
  place: string,
  which: 'min' | 'max',
): Promise<number | null> {
  const found: number[] = []
  for (const table of tables) {
    const files = rows.filesOf(table)
    if (files.length === 0) continue
    const [row] = await rows.engine.rows(
      `SELECT ${which}(${sqlName(place)})::VARCHAR AS at FROM ${rows.relation(table, files)}`,
    )
    if (row?.['at'] != null) found.push(Number(row['at']))
  }
  return found.length === 0 ? null : which === 'min' ? Math.min(...found) : Math.max(...found)
}

async function wrongCounts(rows: LakeRows, count: Count, { range, condition }: Part): Promise<AnswerRow[]> {
  const { of, number, rows: counted, by, place, as, alone } = count
  const within = async (table: Table) =>
    rows.relation(
      table,
      range === null || place === null ? rows.filesOf(table) : await rows.filesBetween(table, place, range),
    )
  const names = [...(place === null ? [] : [place]), ...by]
  const columns = (own?: string) => [
    ...names.map(sqlName),
    ...(as === undefined ? [] : [`${sqlName(own ?? '')} AS ${sqlName(as.of)}`]),
  ]
  const keys = [...names, ...(as === undefined ? [] : [as.of])].map(sqlName).join(', ')
  const spread = (own: string | undefined) => condition(sqlName(as === undefined ? (names.at(-1) ?? '') : (own ?? '')))
  // A table that is filled when it is asked for, such as senders, may cover less; and what a repair took out of one table comes back with
  // the next run. Rows that another stream wrote without those they belong to, such as logs by filter, are nobody's orphans; but where
  // what they belong to is in the lake all the same, they count.
  const { inventory } = rows
  const uncounted = waitingCondition(inventory, of, waitingFor(inventory, counted, of))
  const waiting = waitingFor(inventory, of, counted)
  // Of rows without a place nobody can say which: then none is called an orphan.
  const isPlaced = 'height' in counted.columns || 'block_number' in counted.columns
  const unclaimed = isPlaced ? waitingCondition(inventory, counted, waiting) : 'false'
  const mayBeAlone = alone === true || (!isPlaced && waiting.length > 0)
  const notNull = place === null ? '' : ` AND ${sqlName(place)} IS NOT NULL`
  const [said, there] = [await within(of), await within(counted)]
  return rows.engine.rows(
    `SELECT * FROM (
       SELECT ${keys}, sum(said)::BIGINT::VARCHAR AS said, sum(there)::BIGINT::VARCHAR AS there, max(is_of) AS has FROM (
         SELECT ${columns(as?.of).join(', ')}, ${number ?? '0'} AS said, 0 AS there, true AS is_of, ${uncounted} IS TRUE AS waits FROM ${said} WHERE ${spread(as?.of)}${notNull}
         UNION ALL
         SELECT ${columns(as?.rows).join(', ')}, 0, 1, false, ${unclaimed} IS TRUE FROM ${there} WHERE ${spread(as?.rows)}${notNull})
       GROUP BY ${keys} HAVING ${number === null ? 'false' : '(max(is_of) AND NOT bool_or(is_of AND waits) AND sum(said) <> sum(there))'} OR ${mayBeAlone ? 'false' : '(NOT max(is_of) AND NOT bool_or(waits))'})
     ORDER BY ALL LIMIT 1000`,
  )
}

function countFinding(rows: LakeRows, { of, rows: counted, by, place, as }: Count, row: AnswerRow): Finding {
  const names = [...(place === null ? [] : [place]), ...by, ...(as === undefined ? [] : [as.of])]
  const key = Object.fromEntries(names.map((name) => [name, String(row[name])]))
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
    message: `${counted.name} has another number of rows than ${of.name} says.`,
    ...where,
    otherTable: of.name,
    key,
    expected: `${row['said']} rows`,
    found: `${row['there']} rows`,
  }
}
