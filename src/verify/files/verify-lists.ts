import type { Inventory, ListCounts } from '../../catalog/catalog.ts'
import type { Finding } from '../lake/finding.ts'

type Lists = Pick<Inventory, 'lists' | 'coverage' | 'written' | 'streams' | 'declared'>

/**
 * Checks that every row that commits of lists read is stored. Each row that was read was new or a duplicate, the progress of a stream counts
 * no more than was read, and the new rows are those that the catalog counts.
 */
export function verifyLists(inventory: Lists): Finding[] {
  const stored = storedRows(inventory)
  const ofCommits = [...streamsOf(inventory.lists)].flatMap(([stream, counts]) => [
    ...counts.flatMap((each) => findingsOf(each, stored.get(placeOf(stream, each.table)) ?? 0)),
    ...progressFinding(stream, counts),
  ])
  return [...ofCommits, ...unrecordedFindings(inventory)]
}

function findingsOf({ stream, table, rowsRead, rowsNew, rowsKnown }: ListCounts, stored: number): Finding[] {
  const findings: Finding[] = []
  const lost = rowsRead - rowsNew - rowsKnown
  if (lost !== 0)
    findings.push({
      kind: 'catalog.rows',
      message: `The number of rows of ${table} that commits of a list read differs from the number that they stored or already knew.`,
      table,
      stream,
      expected: `${rowsRead} rows`,
      found: `${rowsNew} new, ${rowsKnown} known`,
      ...(lost > 0 ? { rows: lost } : {}),
    })
  if (rowsNew > stored)
    findings.push({
      kind: 'catalog.rows',
      message: `The catalog no longer counts rows of ${table} that commits of a list stored.`,
      table,
      stream,
      expected: `${rowsNew} rows`,
      found: `${stored} rows`,
      rows: rowsNew - stored,
    })
  return findings
}

/** Progress without rows: a run that resumes there never reads them. Each item has at least one row. */
function progressFinding(stream: string, counts: readonly ListCounts[]): Finding[] {
  const read = sumOf(counts, ({ rowsRead }) => rowsRead)
  const passed = sumOf(counts, ({ progressItems }) => progressItems)
  if (passed <= read) return []
  return [
    {
      kind: 'catalog.rows',
      message: 'The progress of a list counts items that no commit read: rows were lost.',
      table: counts[0]!.table,
      stream,
      expected: `${passed} items`,
      found: `${read} rows read`,
      rows: passed - read,
    },
  ]
}

/** Rows of lists that the catalog counts but no commit of a list recorded. */
function unrecordedFindings(inventory: Lists): Finding[] {
  const ofLists = listTables(inventory)
  const recorded = new Map(inventory.lists.map(({ stream, table, rowsNew }) => [placeOf(stream, table), rowsNew]))
  return [...storedByStream(inventory)].flatMap(({ stream, table, rows }): Finding[] => {
    const known = recorded.get(placeOf(stream, table)) ?? 0
    if (!ofLists.has(table) || rows <= known) return []
    return [
      {
        kind: 'catalog.rows',
        message: `The catalog counts more rows of ${table} than the commits of the list recorded.`,
        table,
        stream,
        expected: `${known} rows`,
        found: `${rows} rows`,
        rows: rows - known,
      },
    ]
  })
}

const isList = /^(pageChain|oldestFirst|blockWindow|timeWindow|heightRange|series|keyed)$/

/** Tables that only lists fill, with rows that never change. */
function listTables({ streams, declared }: Lists): ReadonlySet<string> {
  const filledBy = (lists: boolean) =>
    new Set([...streams.values()].flatMap(({ walk, tables }) => (isList.test(walk) === lists ? tables : [])))
  const [byLists, byOthers] = [filledBy(true), filledBy(false)]
  const lasting = declared.filter(({ name, history }) => history === 'rows' && byLists.has(name) && !byOthers.has(name))
  return new Set(lasting.map(({ name }) => name))
}

function storedByStream({ coverage, written }: Lists) {
  const sums = new Map<string, { readonly stream: string; readonly table: string; rows: number }>()
  for (const { stream, table, rows } of [...coverage, ...written]) {
    const id = placeOf(stream, table)
    const sum = sums.get(id) ?? { stream, table, rows: 0 }
    sums.set(id, sum)
    sum.rows += rows
  }
  return sums.values()
}

function storedRows(inventory: Lists): ReadonlyMap<string, number> {
  return new Map([...storedByStream(inventory)].map(({ stream, table, rows }) => [placeOf(stream, table), rows]))
}

function streamsOf(lists: readonly ListCounts[]): Map<string, ListCounts[]> {
  const streams = new Map<string, ListCounts[]>()
  for (const each of lists) streams.set(each.stream, [...(streams.get(each.stream) ?? []), each])
  return streams
}

function sumOf(counts: readonly ListCounts[], of: (counts: ListCounts) => number): number {
  return counts.reduce((sum, each) => sum + of(each), 0)
}

function placeOf(stream: string, table: string): string {
  return `${table} ${stream}`
}
