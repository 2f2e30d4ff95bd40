import { type ContainerRow, containers } from '../../../schemas/containers.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { ChainlakeError } from '../../errors.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { Container } from '../../model.ts'
import { type ComparedWith, type DecodedRow, decodedTables } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import { fxsInLake, fxsUnknown } from '../lake/lake-fxs.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { type Reading, readingWithSignatures } from '../lake/stream-reading.ts'

const mostFindings = 100

/** Approximately how many bytes of containers are in memory at once. The previous containers determine how many containers that is. */
const bytesAtOnce = 8 * 1024 * 1024
const mostAtOnce = 2_000

/**
 * Derives the ids of raw containers again from their bytes, decodes their rows again and compares these with the lake. Null is not a
 * difference, because rows that were read by RPC, or by a version without the column, hold null.
 */
export async function verifyRaw(rows: LakeRows): Promise<Checked> {
  let checked = nothingFound
  for (const row of rows.inventory.coverage)
    if (row.table === containers.name) checked = bothChecked(checked, await verifyStream(rows, row))
  return checked
}

async function verifyStream(rows: LakeRows, row: CoverageRow): Promise<Checked> {
  const fxs = await fxsInLake(rows, row)
  if (fxs === 'unknown') return { findings: [], remarks: [], unverifiable: [fxsUnknown(row)] }
  const reading = await readingWithSignatures(rows, row, fxs)
  if (reading === null) return nothingFound
  const findings: Finding[] = []
  let count = 200
  for (let from = row.slice.from; from < row.slice.to && findings.length < mostFindings; ) {
    const to = Math.min(row.slice.to, from + count)
    const raw = await containersOf(rows, row, reading, from, to)
    findings.push(...(await verifyWindow(rows, row, reading, raw)))
    const bytes = raw.reduce((sum, each) => sum + each.bytes.length, 0)
    count = Math.max(1, Math.min(mostAtOnce, count * 2, Math.floor((raw.length * bytesAtOnce) / Math.max(1, bytes))))
    from = to
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

async function containersOf(
  rows: LakeRows,
  { network, origin }: CoverageRow,
  { chain }: Reading,
  from: number,
  to: number,
): Promise<ContainerRow[]> {
  const by = heightOver(origin)
  const files = await rows.filesBetween(containers, 'container_index', { from: from - by, to: to - by - 1 })
  const found: ContainerRow[] = []
  const stored = `FROM ${rows.relation(containers, files)}
    WHERE network = ${sqlText(network)} AND chain = ${sqlText(chain)} AND container_index >= ${from - by} AND container_index < ${to - by}`
  for await (const some of rows.engine.tableRows(containers, stored)) found.push(...(some as ContainerRow[]))
  return found.sort((a, b) => Number(a.container_index) - Number(b.container_index))
}

/** What the coordinate is above the index of a container: the index of blocks does not count the genesis block. */
function heightOver({ kind }: CoverageRow['origin']): 0 | 1 {
  return kind === 'block' ? 1 : 0
}

const rawContainer: ComparedWith = {
  name: 'its raw container',
  table: containers.name,
  kinds: { different: 'rows.raw', missing: 'rows.raw', extra: 'rows.raw' },
  ignored: [],
}

async function verifyWindow(
  rows: LakeRows,
  row: CoverageRow,
  reading: Reading,
  raw: readonly ContainerRow[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  const decoded = decodedTables(reading.output.tables as Record<string, Table>)
  for (const each of raw) {
    const index = Number(each.container_index)
    const at = index + heightOver(row.origin)
    const wrong = (message: string, expected: string, found: string): Finding => ({
      kind: 'rows.raw',
      message,
      network: row.network,
      table: containers.name,
      stream: row.stream,
      slice: { from: at, to: at + 1 },
      key: { chain: reading.chain, container_index: String(index) },
      expected,
      found,
    })
    try {
      const id = reading.derive(each.bytes)
      if (id !== each.container_id) {
        findings.push(wrong('The id of a container does not match its bytes.', each.container_id, id))
        continue
      }
      const container: Container = { index, id, acceptedAtNs: BigInt(each.accepted_at_ns ?? 0), bytes: each.bytes }
      decoded.add(at, reading.output.read(container, reading.context) as Record<string, DecodedRow[]>)
    } catch (error) {
      if (!(error instanceof ChainlakeError)) throw error
      findings.push(wrong('The bytes of a container cannot be decoded.', 'a container', error.message))
    }
  }
  findings.push(...(await decoded.compare(rows, row, rawContainer)))
  return findings
}
