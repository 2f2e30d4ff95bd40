import { createHash } from 'node:crypto'
import type { Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { type CoveredSequence, coveredSequences } from '../lake/covered-sequences.ts'
import { type LakeRows, tablesWithFiles } from '../lake/lake-rows.ts'
import { canonicalRow } from './canonical-row.ts'

/**
 * A short summary of the data of a lake: equal certificates mean equal chains. It leaves out values that describe the node or the run (times
 * of acceptance, wrappers, P-Chain times that may come from wrappers, ids of observations), and all observations and versions.
 */
export type Certificate = {
  readonly format: 5
  /** One entry for each covered range of blocks. */
  readonly streams: readonly StreamCertificate[]
  readonly tables: readonly TableCertificate[]
  /** The SHA-256 of each file that was verified, by its path in the lake. Lakes with other files may have the same chains. */
  readonly files: Readonly<Record<string, string>>
}

export type StreamCertificate = {
  readonly network: string
  readonly stream: string
  readonly table: string
  /** Heights or block numbers, both included. */
  readonly from: number
  readonly to: number
  readonly count: number
  readonly firstId: string
  readonly lastId: string
  /** SHA-256 of the ids of the blocks in the order of height, each followed by a line feed. */
  readonly sha256: string
}

type TableCertificate = {
  readonly network: string
  readonly table: string
  readonly rows: number
  /** SHA-256 of two sums: of the first and of the second eight bytes of the SHA-256 of each row. The order of rows does not matter. */
  readonly sha256: string
}

/** How many heights are sorted at once. */
const atOnce = 500_000

export async function certify(rows: LakeRows): Promise<Certificate> {
  const streams: StreamCertificate[] = []
  for (const covered of coveredSequences(rows.inventory)) {
    const certificate = await certifyStream(rows, covered)
    if (certificate !== null) streams.push(certificate)
  }
  const tables: TableCertificate[] = []
  for (const table of tablesWithFiles(rows))
    if (table.history === 'rows' && table.name !== 'observations') tables.push(...(await certifyTable(rows, table)))
  return { format: 5, streams, tables, files: checksumsOf(rows) }
}

function checksumsOf({ inventory }: LakeRows): Record<string, string> {
  const files = inventory.tables.flatMap((table) => table.files)
  return Object.fromEntries(files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256]])))
}

/** Returns null if the sequence is not a chain of blocks or has none. */
async function certifyStream(
  rows: LakeRows,
  { sequence, row, condition, from, to, step }: CoveredSequence,
): Promise<StreamCertificate | null> {
  const { table, link } = sequence
  if (link === undefined) return null
  const place = sqlName(sequence.place)
  const hash = createHash('sha256')
  let count = 0
  let first: { at: number; id: string } | null = null
  let last: { at: number; id: string } | null = null
  for (let start = from; start < to; start += atOnce * step) {
    const end = Math.min(to, start + atOnce * step)
    const files = await rows.filesBetween(table, sequence.place, { from: start, to: end - 1 })
    const found = rows.engine.texts(
      `SELECT ${place}::VARCHAR, ${sqlName(link.id)} FROM ${rows.relation(table, files)}
       WHERE ${condition} AND ${place} >= ${start} AND ${place} < ${end} AND ${place} % ${step} = 0 ORDER BY ${place}`,
    )
    for await (const [places = [], ids = []] of found)
      for (const [position, id] of ids.entries()) {
        hash.update(`${id}\n`)
        last = { at: Number(places[position]), id }
        first ??= last
        count++
      }
  }
  if (first === null || last === null) return null
  return {
    network: row.network,
    stream: row.stream,
    table: table.name,
    from: first.at,
    to: last.at,
    count,
    firstId: first.id,
    lastId: last.id,
    sha256: hash.digest('hex'),
  }
}

async function certifyTable(rows: LakeRows, table: Table): Promise<TableCertificate[]> {
  const half = (start: number) => `sum(('0x' || substr(h, ${start}, 16))::UBIGINT::HUGEINT)::VARCHAR`
  const found = await rows.engine.rows(
    `SELECT network, count(*)::VARCHAR AS n, ${half(1)} AS a, ${half(17)} AS b
     FROM (SELECT network, sha256(${canonicalRow(table)}) AS h FROM ${rows.relation(table, rows.filesOf(table))}) GROUP BY network ORDER BY network`,
  )
  return found.map(({ network, n, a, b }) => ({
    network,
    table: table.name,
    rows: Number(n),
    sha256: createHash('sha256').update(`${n} ${a} ${b}`).digest('hex'),
  }))
}
