import type { StretchTimes } from '../../catalog/commit/stretches.ts'
import { coordinateOf } from '../../decode/requested-rows.ts'
import {
  type Columns,
  observationColumns,
  type PageItem,
  type StreamDeclaration,
  type Table,
} from '../../define/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { keySql, keyText } from '../../lookup/key-text.ts'
import { type Slice, streamId } from '../../model.ts'
import { union } from '../../plan/intervals.ts'
import { timeAfter } from '../../run/lists/interval.ts'
import { type ComparedWith, comparable, type DecodedRow, rowFinding } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import type { LakeRows } from '../lake/lake-rows.ts'
import type { ListedPage } from './list-pages.ts'
import { kinds } from './node-sample.ts'

/** A row of an answer. `isDue`: the lake must have it. */
export type Answered = { readonly stream: StreamDeclaration; readonly row: DecodedRow; readonly isDue: boolean }

/** The tables of a stream with something to compare. */
export function comparedTables(rows: LakeRows, stream: StreamDeclaration): Table[] {
  const { tables, walk } = stream
  return (Object.values(tables) as Table[]).filter(
    (table) =>
      rows.looksAt(table) &&
      !rows.torn(table) &&
      rows.filesOf(table).length > 0 &&
      (fixedColumns(table, stream).length > 0 || (walk.kind !== 'scan' && walk.kind !== 'snapshot')),
  )
}

/** What identifies a row, whenever it is read. At one block, only the subject says which block. */
function identityOf({ key, history }: Table, stream: StreamDeclaration): string[] {
  const names = key.filter((name) => !observationColumns.includes(name))
  return history === 'observations' && isAtBlock(stream) ? [...names, 'subject'] : names
}

/** Whether a list has the state at one block, which stays the same. */
function isAtBlock({ stream }: StreamDeclaration): boolean {
  return stream.parameters['block-number'] !== undefined
}

/**
 * The columns with the same value whenever a source is asked: those that never change, and facts of blocks, which other tables hold as well.
 * The points of a series do not change once they are final. Nodes write JSON in different ways.
 */
function fixedColumns(table: Table, stream: StreamDeclaration): string[] {
  const { key, history, lasting, notCompared, unproven, columns } = table
  const facts = history === 'rows' || isAtBlock(stream) ? (unproven.partly ?? []) : []
  const points = stream.walk.kind === 'series' ? Object.keys(columns as Columns) : []
  const not = new Set([...key, ...notCompared, ...observationColumns, 'version_hash', 'present'])
  return [...new Set([...lasting, ...facts, ...points])].filter((name) => !not.has(name) && !name.endsWith('_json'))
}

/** What the lake has read of a stream. */
export type Known = {
  readonly covered: readonly Slice[]
  readonly stretches: readonly StretchTimes[]
  /** Whether the rows are all rows of the lake. */
  readonly isWhole: boolean
}

export function knownOf({ inventory }: LakeRows, { stream }: StreamDeclaration, isWhole: boolean): Known {
  const id = streamId(stream)
  const covered = union(inventory.coverage.flatMap((row) => (row.stream === id ? [row.slice] : [])))
  return { covered, stretches: inventory.stretches.get(id) ?? [], isWhole }
}

/** The rows of a page by table. */
export function answeredRows(
  rows: LakeRows,
  stream: StreamDeclaration,
  listed: ListedPage,
  known: Known,
): ReadonlyMap<Table, readonly Answered[]> {
  const isDue = dueRows(stream, listed, known)
  const found = new Map<Table, Answered[]>()
  const compared = comparedTables(rows, stream)
  for (const [name, table] of Object.entries(stream.tables) as [string, Table][]) {
    if (!compared.includes(table)) continue
    const keeps = known.isWhole && table.history !== 'observations' && !rows.inventory.withLosses.has(table.name)
    const own = (listed.page.rows[name] ?? []) as readonly DecodedRow[]
    const final = stream.walk.kind === 'series' ? own.filter((row) => isFinal(stream, table, row, known)) : own
    found.set(
      table,
      final.map((row, position) => ({ stream, row, isDue: keeps && isDue(row, position, own.length) })),
    )
  }
  return found
}

/**
 * Whether the lake must have a row of a page. Services may list rows late: those of the newest `trailing` seconds or blocks may be missing.
 * A list without ranges must be there between the ends of a stretch.
 */
function dueRows({ walk }: StreamDeclaration, { page, list }: ListedPage, { covered, stretches }: Known) {
  const trailing = 'trailing' in walk && typeof walk.trailing === 'number' ? walk.trailing : 0
  if (walk.kind === 'blockWindow' || walk.kind === 'timeWindow' || walk.kind === 'heightRange') {
    const range = list.requested?.range
    if (range === undefined) return () => false
    return (row: DecodedRow) => {
      const at = coordinateOf(row, range)
      return covered.some(({ from, to }) => at >= from && at < to - trailing)
    }
  }
  if (walk.kind !== 'pageChain' && walk.kind !== 'oldestFirst') return () => false
  const isWithin = ({ time }: PageItem): boolean =>
    stretches.some(
      ({ topTime, bottomTime }) =>
        time !== null && topTime !== null && bottomTime !== null && time < topTime - trailing && time > bottomTime,
    )
  // Most decoders give one row per item. The rows of other pages are due if all their items are.
  return (_: DecodedRow, position: number, of: number) =>
    page.items.length === of ? isWithin(page.items[position]!) : page.items.every(isWithin)
}

/** Whether a point of a series is older than the points that a run reads again. */
function isFinal(stream: StreamDeclaration, table: Table, row: DecodedRow, { covered }: Known): boolean {
  const { walk } = stream
  const column = identityOf(table, stream).find((name) => table.columns[name].type.kind === 'timestamp')
  const end = Math.max(...covered.map(({ to }) => to))
  if (walk.kind !== 'series' || column === undefined || covered.length === 0) return false
  return coordinateOf(row, { column, holds: 'times' }) < timeAfter(end, walk.interval, -(walk.again + 1))
}

export async function compareTable(
  rows: LakeRows,
  table: Table,
  answered: readonly Answered[],
  source: string,
): Promise<Finding[]> {
  const from = { name: `the answer of the ${source}`, kinds, ignored: [] }
  const of = groupBy(answered, ({ stream }) => identityOf(table, stream).join())
  const findings: Finding[] = []
  for (const some of of.values()) findings.push(...(await compareRows(rows, table, some, from)))
  return findings
}

async function compareRows(
  rows: LakeRows,
  table: Table,
  answered: readonly Answered[],
  from: ComparedWith,
): Promise<Finding[]> {
  const names = identityOf(table, answered[0]!.stream)
  const keyOf = keyText(table, names)
  const stored = await storedRows(rows, table, answered, names)
  const findings = new Map<string, Finding>()
  for (const { stream, row, isDue } of answered) {
    const key = keyOf(row)
    const place = { stream: streamId(stream.stream) }
    const known = stored.get(key)
    if (known === undefined && isDue) {
      const message = `${table.name} does not have a row that is in ${from.name}.`
      findings.set(key, { ...rowFinding(rows, table, row, from, 'missing', message), ...place })
    }
    const columns = fixedColumns(table, stream)
    for (const found of known ?? []) {
      const column = columns.find((name) => isDifferent(row[name], found[name]))
      if (column === undefined) continue
      const message = `${column} of a row of ${table.name} differs from ${from.name}.`
      findings.set(key, {
        ...rowFinding(rows, table, found, from, 'different', message),
        ...place,
        columns: [column],
        expected: comparable(row[column]).slice(0, 200),
        found: comparable(found[column]).slice(0, 200),
      })
    }
  }
  return [...findings.values()]
}

/** Null says nothing: services leave fields out. Services do not keep the order of addresses and ids. */
function isDifferent(said: unknown, found: unknown): boolean {
  if (said === null || said === undefined || found === null || found === undefined) return false
  return comparable(sorted(said)) !== comparable(sorted(found))
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? [...value].sort() : value
}

/** The rows of the lake with the keys of answered rows: all observations of a row, and its latest version. */
async function storedRows(
  rows: LakeRows,
  table: Table,
  answered: readonly Answered[],
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly DecodedRow[]>> {
  const keyOf = keyText(table, names)
  const texts = [...new Set(answered.map(({ row }) => sqlText(keyOf(row))))]
  const found = new Map<string, DecodedRow[]>()
  if (texts.length === 0) return found
  const relation = rows.relation(table, rows.filesOf(table))
  const source = `FROM ${relation} WHERE ${keySql(table, names)} IN (${texts.join(', ')})`
  for await (const some of rows.engine.tableRows(table, source))
    for (const row of some as DecodedRow[]) {
      const key = keyOf(row)
      const [known] = found.get(key) ?? []
      if (table.history !== 'versions' || known === undefined) found.set(key, [...(found.get(key) ?? []), row])
      else if ((row['observed_at'] as bigint) > (known['observed_at'] as bigint)) found.set(key, [row])
    }
  return found
}
