import type { CoverageRow, InventoryFile } from '../../catalog/catalog.ts'
import type { Columns, Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import { computedColumns } from './computed-values.ts'
import type { Finding, FindingKind } from './finding.ts'
import type { LakeRows } from './lake-rows.ts'
import { chainId, numberOf, placeOfRow } from './row-place.ts'

const mostFindings = 100

export type DecodedRow = Record<string, unknown>

/** The other side of a comparison, and the kinds of findings that differences become. */
export type ComparedWith = {
  /** Its name in messages, such as `its raw container`. */
  readonly name: string
  readonly kinds: { readonly different: FindingKind; readonly missing: FindingKind; readonly extra: FindingKind }
  /** The table of the lake that the rows were decoded from, if any: then either of the two tables may be wrong. */
  readonly table?: string
  /** Columns that may differ. */
  readonly ignored: readonly string[]
  /** SQL condition: the other rows of the table are not compared. */
  readonly only?: string
}

type Comparison = {
  /** The covered slice that the rows belong to. */
  readonly row: CoverageRow
  readonly table: Table
  readonly decoded: readonly Decoded[]
  /** The coordinates of all decoded rows, in order. */
  readonly indices: readonly number[]
  /** The coordinate of each decoded transaction, by id, because some tables of the X-Chain have rows without a height. */
  readonly transactions: ReadonlyMap<string, number>
  readonly from: ComparedWith
}

/** Rows of one table that were decoded from the record at `index`. */
export type Decoded = { readonly index: number; readonly rows: readonly DecodedRow[] }

/** Rows of all tables that were decoded from the records of a stream. */
type DecodedTables = {
  readonly add: (index: number, rows: Readonly<Record<string, readonly DecodedRow[]>>) => void
  readonly compare: (rows: LakeRows, row: CoverageRow, from: ComparedWith) => Promise<Finding[]>
}

/** `tables` by the names that the reader of the stream gives them. */
export function decodedTables(tables: Readonly<Record<string, Table>>): DecodedTables {
  const decoded = new Map<string, Decoded[]>(Object.keys(tables).map((name) => [name, []]))
  const indices: number[] = []
  const transactions = new Map<string, number>()
  return {
    add(index, own) {
      indices.push(index)
      for (const [name, list] of Object.entries(own)) decoded.get(name)?.push({ index, rows: list })
      for (const { tx_id: id } of own['transactions'] ?? []) if (typeof id === 'string') transactions.set(id, index)
    },
    async compare(rows, row, from) {
      const findings: Finding[] = []
      for (const [name, table] of Object.entries(tables))
        findings.push(
          ...(await compareRows(rows, { row, table, decoded: decoded.get(name) ?? [], indices, transactions, from })),
        )
      return findings
    },
  }
}

/** Compares decoded rows of a table with the rows of the lake at the same coordinates. */
async function compareRows(rows: LakeRows, comparison: Comparison): Promise<Finding[]> {
  const { table, decoded, indices, from: source } = comparison
  if (rows.torn(table) || !rows.looksAt(table)) return []
  const covered = new Set(indices.filter((index) => isCovered(rows, comparison, index)))
  const expected = new Map(
    decoded.flatMap((each) => (covered.has(each.index) ? each.rows.map((one) => [keyOf(table, one), one]) : [])),
  )
  const findings: Finding[] = []
  for await (const found of storedRows(rows, comparison, [...covered])) {
    const key = keyOf(table, found)
    const derived = expected.get(key)
    expected.delete(key)
    if (derived === undefined)
      findings.push(rowFinding(rows, table, found, source, 'extra', `A row of ${table.name} is not in ${source.name}.`))
    else {
      const column = differentColumn(table, derived, found, [...source.ignored, ...computedColumns(table)])
      if (column !== null)
        findings.push({
          ...rowFinding(
            rows,
            table,
            found,
            source,
            'different',
            `${column} of a row of ${table.name} differs from ${source.name}.`,
          ),
          columns: [column],
          expected: comparable(derived[column]).slice(0, 200),
          found: comparable(found[column]).slice(0, 200),
        })
    }
  }
  for (const derived of expected.values())
    findings.push(
      rowFinding(
        rows,
        table,
        derived,
        source,
        'missing',
        `${table.name} does not have a row that is in ${source.name}.`,
      ),
    )
  return findings.slice(0, mostFindings)
}

function isCovered({ inventory }: LakeRows, { row, table }: Comparison, index: number): boolean {
  return inventory.coverage.some(
    (other) =>
      other.table === table.name && other.stream === row.stream && other.slice.from <= index && other.slice.to > index,
  )
}

async function* storedRows(
  rows: LakeRows,
  comparison: Comparison,
  indices: readonly number[],
): AsyncGenerator<DecodedRow> {
  const { row, table } = comparison
  if (indices.length === 0) return
  const { files, condition } = await whereStored(rows, comparison, indices)
  const { chain = '' } = row.origin
  const conditions = [
    `network = ${sqlText(row.network)}`,
    ...('blockchain_id' in table.columns && !table.name.startsWith('p_')
      ? [`blockchain_id = ${sqlText(chainId(rows.inventory, row.network, chain))}`]
      : []),
    ...('chain_id' in table.columns ? [`chain_id = ${sqlText(chain)}`] : []),
    condition,
    ...(comparison.from.only === undefined ? [] : [comparison.from.only]),
  ]
  const from = `FROM ${rows.relation(table, files)} WHERE ${conditions.join(' AND ')}`
  for await (const some of rows.engine.tableRows(table, from)) yield* some as DecodedRow[]
}

type Stored = { readonly files: readonly InventoryFile[]; readonly condition: string }

/** Finds rows by the coordinates of their containers or, if the table has none, by their transactions. */
async function whereStored(
  rows: LakeRows,
  { row, table, transactions }: Comparison,
  indices: readonly number[],
): Promise<Stored> {
  const at = placeOf(table, row)
  if (at === null) return storedByTransaction(rows, row, table, indices, transactions)
  const [from, to] = [Math.min(...indices), Math.max(...indices)]
  const isDense = to - from + 1 === indices.length
  const conditions = [
    `${sqlName(at.column)} BETWEEN ${from} AND ${to}`,
    ...(isDense ? [] : [`${sqlName(at.column)} IN (${indices.join(', ')})`]),
    ...(at.only === undefined ? [] : [at.only]),
  ]
  return {
    files: await rows.filesBetween(table, at.column, { from, to }),
    condition: conditions.join(' AND '),
  }
}

function storedByTransaction(
  rows: LakeRows,
  { stream }: CoverageRow,
  table: Table,
  indices: readonly number[],
  transactions: ReadonlyMap<string, number>,
): Stored {
  const [first, last] = [Math.min(...indices), Math.max(...indices)]
  const wanted = new Set(indices)
  const ids = [...transactions].flatMap(([id, index]) => (wanted.has(index) ? [sqlText(id)] : []))
  const files = rows
    .filesOf(table)
    .filter(
      ({ sources }) =>
        sources.length === 0 ||
        sources.some(
          (source) =>
            source.stream === stream &&
            (source.slice === null || (source.slice.from <= last && source.slice.to > first)),
        ),
    )
  const column = 'tx_id' in table.columns ? 'tx_id' : 'asset_id'
  return { files, condition: ids.length === 0 ? 'false' : `${column} IN (${ids.join(', ')})` }
}

type Place = { readonly column: string; readonly only?: string }

/**
 * The column that locates rows of a table by the coordinates of the stream. Null for rows without a height, which are found by their
 * transactions: assets, and all rows of the legacy index of transactions.
 */
function placeOf(table: Table, { origin: { kind = '' } }: CoverageRow): Place | null {
  if (kind === 'tx')
    return table.name === 'x_transactions' ? { column: 'container_index', only: "timestamp_source = 'accepted'" } : null
  if (kind === 'vtx') return { column: 'container_index' }
  const column = ['height', 'block_number'].find((name) => name in table.columns)
  return column === undefined ? null : { column }
}

function keyOf(table: Table, row: Record<string, unknown>): string {
  return table.key.map((name) => comparable(row[name])).join('\u0000')
}

/** The first column with a different value; null if there is none. */
export function differentColumn(
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

/** A value as text. Whole numbers may be numbers or bigints, depending on their size; both give the same text. */
export function comparable(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return `[${value.map(comparable).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, item]) => `${name}: ${comparable(item)}`)
      .join(', ')}}`
  return String(value)
}

export function rowFinding(
  rows: LakeRows,
  table: Table,
  row: DecodedRow,
  { kinds, table: otherTable }: ComparedWith,
  kind: keyof ComparedWith['kinds'],
  message: string,
): Finding {
  const height = numberOf(row['height'] ?? row['block_number'])
  return {
    kind: kinds[kind],
    message,
    ...placeOfRow(rows.inventory, table, { ...row, height }),
    ...(otherTable === undefined ? {} : { otherTable }),
    key: Object.fromEntries(table.key.map((name) => [name, comparable(row[name])])),
  }
}
