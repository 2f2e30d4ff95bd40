import type { CoverageRow } from '../catalog/catalog.ts'
import type { Columns, Table } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/sql-quote.ts'
import { computedColumns } from './computed-values.ts'
import type { Finding, FindingKind } from './finding.ts'
import type { LakeRows } from './lake-rows.ts'
import { chainId, numberOf, placeOfRow } from './row-place.ts'

const told = 100

export type DecodedRow = Record<string, unknown>

/** What rows are compared with, and what differences are then. */
export type ComparedWith = {
  /** As messages call it, such as `its raw container`. */
  readonly name: string
  readonly kinds: { readonly different: FindingKind; readonly missing: FindingKind; readonly extra: FindingKind }
  /** Columns that may differ. */
  readonly ignored: readonly string[]
}

type Comparison = {
  /** The slice that they are of; its network and stream. */
  readonly row: CoverageRow
  readonly table: Table
  readonly decoded: readonly DecodedRow[]
  /** The coordinates whose rows were decoded, all of them and in order. */
  readonly indices: readonly number[]
  readonly from: ComparedWith
}

/** Rows of a table that were decoded again, against those that the lake has of the same coordinates. */
export async function compareRows(rows: LakeRows, comparison: Comparison): Promise<Finding[]> {
  const { row, table, decoded, indices, from: source } = comparison
  const at = placeOf(table, row)
  if (at === null || rows.torn(table) || !rows.looksAt(table)) return []
  const covered = indices.filter((index) => isCovered(rows, comparison, index))
  const wanted = new Set(covered.map((index) => index + at.first))
  const expected = new Map(
    decoded.filter((each) => wanted.has(Number(each[at.column]))).map((each) => [keyOf(table, each), each]),
  )
  const findings: Finding[] = []
  for await (const found of storedRows(rows, comparison, at, [...wanted])) {
    const key = keyOf(table, found)
    const derived = expected.get(key)
    expected.delete(key)
    if (derived === undefined)
      findings.push(
        rowFinding(rows, table, found, source.kinds.extra, `A row of ${table.name} is not in ${source.name}.`),
      )
    else {
      const column = differentColumn(table, derived, found, [...source.ignored, ...computedColumns(table)])
      if (column !== null)
        findings.push({
          ...rowFinding(
            rows,
            table,
            found,
            source.kinds.different,
            `A row of ${table.name} has another ${column} than ${source.name}.`,
          ),
          expected: comparable(derived[column]).slice(0, 200),
          found: comparable(found[column]).slice(0, 200),
        })
    }
  }
  for (const derived of expected.values())
    findings.push(
      rowFinding(rows, table, derived, source.kinds.missing, `${table.name} lacks a row that is in ${source.name}.`),
    )
  return findings.slice(0, told)
}

function isCovered({ inventory }: LakeRows, { row, table }: Comparison, index: number): boolean {
  return inventory.coverage.some(
    (other) =>
      other.table === table.name && other.stream === row.stream && other.slice.from <= index && other.slice.to > index,
  )
}

async function* storedRows(
  rows: LakeRows,
  { row, table }: Comparison,
  { column, only }: Place,
  places: readonly number[],
): AsyncGenerator<DecodedRow> {
  const [first, last] = [Math.min(...places), Math.max(...places)]
  if (places.length === 0) return
  const files = await rows.filesBetween(table, column, { from: first, to: last })
  const columns = Object.keys(table.columns).map(sqlName).join(', ')
  const path = row.stream
    .slice(row.network.length + 1)
    .replace(/\?.*$/s, '')
    .split('/')
  const isDense = last - first + 1 === places.length
  const conditions = [
    `network = ${sqlText(row.network)}`,
    `${sqlName(column)} BETWEEN ${first} AND ${last}`,
    ...(isDense ? [] : [`${sqlName(column)} IN (${places.join(', ')})`]),
    ...('blockchain_id' in table.columns && !table.name.startsWith('p_')
      ? [`blockchain_id = ${sqlText(chainId(rows.inventory, row.network, path[0] ?? ''))}`]
      : []),
    ...('chain_id' in table.columns ? [`chain_id = ${sqlText(path[1] ?? '')}`] : []),
    ...(only === undefined ? [] : [only]),
  ]
  const sql = `SELECT ${columns} FROM ${rows.relation(table, files)} WHERE ${conditions.join(' AND ')}`
  for await (const some of rows.engine.tableRows(table, sql)) yield* some as DecodedRow[]
}

type Place = { readonly column: string; readonly first: number; readonly only?: string }

/** By which column rows of a table are found that a container of the stream has. */
function placeOf(table: Table, { stream }: CoverageRow): Place | null {
  if (stream.endsWith('/tx'))
    return table.name === 'x_transactions'
      ? { column: 'container_index', first: 0, only: "timestamp_source = 'accepted'" }
      : null
  if (stream.endsWith('/vtx')) return { column: 'container_index', first: 0 }
  const column = ['height', 'block_number'].find((name) => name in table.columns)
  return column === undefined ? null : { column, first: table.name.startsWith('evm_') ? 0 : 1 }
}

function keyOf(table: Table, row: Record<string, unknown>): string {
  return table.key.map((name) => comparable(row[name])).join('\u0000')
}

/** The first column with another value; null: none. */
function differentColumn(
  table: Table,
  derived: Record<string, unknown>,
  found: Record<string, unknown>,
  ignored: readonly string[],
): string | null {
  const names = Object.keys(table.columns as Columns)
  return (
    names.find(
      (name) =>
        !ignored.includes(name) && found[name] !== null && comparable(derived[name]) !== comparable(found[name]),
    ) ?? null
  )
}

/** Whole numbers are numbers or bigints, by their size. */
function comparable(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return `[${value.map(comparable).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, item]) => `${name}: ${comparable(item)}`)
      .join(', ')}}`
  return String(value)
}

function rowFinding(rows: LakeRows, table: Table, row: DecodedRow, kind: FindingKind, message: string): Finding {
  const height = numberOf(row['height'] ?? row['block_number'])
  return {
    kind,
    message,
    ...placeOfRow(rows.inventory, table, { ...row, height }),
    key: Object.fromEntries(table.key.map((name) => [name, comparable(row[name])])),
  }
}
