import type { CoverageRow, Inventory } from '../catalog/catalog.ts'
import type { Slice } from '../model.ts'
import { subtract } from '../plan/intervals.ts'
import { changedCoverage, type RemovalPlan } from './plan-removal.ts'

type Sum = { rows: number; bytes: number }
type Written = Sum & { readonly stream: string; readonly table: string }

/** The coverage and row counts after a removal. */
type Recounted = {
  readonly uncovered: readonly CoverageRow[]
  /** The remaining parts of these rows, with the ends of the rows that they were part of. */
  readonly covered: readonly CoverageRow[]
  readonly written: readonly Written[]
}

/**
 * Subtracts the rows of removed files from the counts of their streams, so that the counts still add up to the rows of the files. When
 * several small streams share a file, the catalog does not know how many rows belong to each: their counts are approximate, the sum is exact.
 */
export function recount(inventory: Inventory, plan: RemovalPlan): Recounted {
  const uncovered = changedCoverage(inventory, plan)
  const counts = new Map<string, Sum[]>()
  const add = (table: string, stream: string, sum: Sum): void => {
    const id = `${table} ${stream}`
    counts.set(id, [...(counts.get(id) ?? []), sum])
  }
  const changed = uncovered.map((row) => ({ row, sum: { rows: row.rows, bytes: row.bytes } }))
  const rest = inventory.coverage
    .filter((row) => !uncovered.includes(row))
    .map((row) => ({ row, sum: { rows: row.rows, bytes: row.bytes } }))
  const written = inventory.written.map((row) => ({ ...row }))
  for (const { row, sum } of changed) add(row.table, row.stream, sum)
  for (const row of written) add(row.table, row.stream, row)
  for (const { row, sum } of rest) add(row.table, row.stream, sum)

  for (const { table, file } of plan.files) {
    const streams = [...new Set(file.sources.map(({ stream }) => stream))]
    const own = streams.flatMap((stream) => counts.get(`${table.name} ${stream}`) ?? [])
    const others = [...counts].flatMap(([id, sums]) => (id.startsWith(`${table.name} `) ? sums : []))
    takeOut([...own, ...others], file)
  }

  const covered: CoverageRow[] = []
  for (const { row, sum } of changed) {
    const slices = subtract([row.slice], cutsOf(plan, row))
    let left = { ...sum }
    let length = slices.reduce((total, slice) => total + slice.to - slice.from, 0)
    for (const slice of slices) {
      const own = slice.to - slice.from
      const counts = { rows: part(left.rows, own, length), bytes: part(left.bytes, own, length) }
      left = { rows: left.rows - counts.rows, bytes: left.bytes - counts.bytes }
      length -= own
      covered.push({ ...row, slice, ...counts })
    }
    // Rows that stay although their slice is fetched again.
    if (slices.length === 0 && left.rows > 0) keep(written, row, left)
  }
  for (const { row, sum } of rest)
    if (sum.rows !== row.rows) {
      uncovered.push(row)
      covered.push({ ...row, ...sum })
    }
  const before = new Map(inventory.written.map((row) => [`${row.table} ${row.stream}`, row]))
  return {
    uncovered,
    covered,
    written: written.filter((row) => before.get(`${row.table} ${row.stream}`)?.rows !== row.rows),
  }
}

/** Streams with approximate row counts after a removal, since they share files with other streams. */
export function guessedStreams({ files }: Pick<RemovalPlan, 'files'>): string[] {
  const shared = files.flatMap(({ file }) => {
    const streams = new Set(file.sources.map(({ stream }) => stream))
    return streams.size > 1 ? [...streams] : []
  })
  return [...new Set(shared)].sort()
}

function cutsOf({ cuts }: RemovalPlan, row: CoverageRow): Slice[] {
  return cuts.filter((cut) => cut.stream === row.stream && cut.table === row.table).map(({ slice }) => slice)
}

/** Subtracts rows and bytes from the counts, beginning with the first. */
function takeOut(sums: readonly Sum[], { rows, bytes }: Readonly<Sum>): void {
  let [rowsLeft, bytesLeft] = [rows, bytes]
  for (const sum of sums) {
    const taken = { rows: Math.min(sum.rows, rowsLeft), bytes: Math.min(sum.bytes, bytesLeft) }
    sum.rows -= taken.rows
    sum.bytes -= taken.bytes
    rowsLeft -= taken.rows
    bytesLeft -= taken.bytes
    if (rowsLeft === 0 && bytesLeft === 0) return
  }
}

function part(whole: number, length: number, of: number): number {
  return length === of ? whole : Math.floor((whole * length) / of)
}

function keep(written: Written[], { stream, table }: CoverageRow, { rows, bytes }: Sum): void {
  const known = written.find((row) => row.stream === stream && row.table === table)
  if (known === undefined) written.push({ stream, table, rows, bytes })
  else {
    known.rows += rows
    known.bytes += bytes
  }
}
