import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../pipelines/x-vertices.ts'
import { type ContainerRow, containers } from '../../schemas/containers.ts'
import type { CoverageRow } from '../catalog/catalog.ts'
import { containerId, plainContainerId } from '../codec/container-id.ts'
import type { Columns, Facts, NetworkIdentity, Pipeline, Range, RangeOutput, Table } from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { sqlName, sqlText } from '../lib/sql-quote.ts'
import type { Container } from '../model.ts'
import type { Finding } from './finding.ts'
import type { Checked, LakeRows } from './lake-rows.ts'
import { numberOf, placeOfRow } from './row-place.ts'

const told = 100

/** Bytes of containers that are in memory at once, about; how many that are follows from those before. */
const bytesAtOnce = 8 * 1024 * 1024
const mostAtOnce = 2_000

/**
 * Where containers are stored as they were, their ids are derived again from the bytes, and their rows decoded again and compared. Null in
 * a row that was read by RPC, or by a version that had no such column, is not held against it.
 */
export async function verifyRaw(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  for (const row of rows.inventory.coverage)
    if (row.table === containers.name) findings.push(...(await verifyStream(rows, row)))
  return { findings, remarks: [] }
}

async function verifyStream(rows: LakeRows, row: CoverageRow): Promise<Finding[]> {
  const reading = await readingOf(rows, row)
  if (reading === null) return []
  const findings: Finding[] = []
  let count = 200
  for (let from = row.slice.from; from < row.slice.to && findings.length < told; ) {
    const to = Math.min(row.slice.to, from + count)
    const raw = await containersOf(rows, row, reading, from, to)
    findings.push(...(await verifyWindow(rows, row, reading, raw)))
    const bytes = raw.reduce((sum, each) => sum + each.bytes.length, 0)
    count = Math.max(1, Math.min(mostAtOnce, count * 2, Math.floor((raw.length * bytesAtOnce) / Math.max(1, bytes))))
    from = to
  }
  return findings.slice(0, told)
}

/** How containers of a stream become rows again. */
type Reading = {
  /** As the column `chain` of raw containers names it. */
  readonly chain: string
  readonly derive: (bytes: Uint8Array) => string
  readonly output: RangeOutput<Container>
  readonly context: unknown
}

const pipelinesByIndex: Readonly<Record<string, Pipeline>> = {
  tx: xTransactionsPipeline,
  vtx: xVerticesPipeline,
}
const pipelinesByChain: Readonly<Record<string, Pipeline>> = { P: pBlocksPipeline, C: cBlocksPipeline }

async function readingOf({ inventory }: LakeRows, { network, stream }: CoverageRow): Promise<Reading | null> {
  const [name, index, ...rest] = stream.slice(network.length + 1).split('/')
  const known = inventory.networks.find((each) => each.network === network)
  if (name === undefined || index === undefined || rest.length > 0 || known === undefined) return null
  const pipeline = pipelinesByIndex[index] ?? pipelinesByChain[name] ?? xBlocksPipeline
  const identity = { ...known, warnings: [] } as unknown as NetworkIdentity
  const [declared] = await pipeline.streams(pipeline === pipelinesByChain[name] ? {} : { chain: name }, {
    node: async () => identity,
  } as unknown as Facts)
  if (declared === undefined) return null
  const { outputs, context } = declared.walk as Range<Container>
  return {
    chain: index === 'block' ? name : `${name}/${index}`,
    derive: index === 'block' ? containerId : plainContainerId,
    output: outputs[0],
    context,
  }
}

async function containersOf(
  rows: LakeRows,
  { network }: CoverageRow,
  { chain }: Reading,
  from: number,
  to: number,
): Promise<ContainerRow[]> {
  const files = await rows.filesBetween(containers, 'container_index', { from, to: to - 1 })
  const columns = Object.keys(containers.columns).map(sqlName).join(', ')
  const found: ContainerRow[] = []
  const sql = `SELECT ${columns} FROM ${rows.relation(containers, files)}
    WHERE network = ${sqlText(network)} AND chain = ${sqlText(chain)} AND container_index >= ${from} AND container_index < ${to}`
  for await (const some of rows.engine.tableRows(containers, sql)) found.push(...(some as ContainerRow[]))
  return found.sort((a, b) => Number(a.container_index) - Number(b.container_index))
}

type Rows = Record<string, Record<string, unknown>[]>

async function verifyWindow(
  rows: LakeRows,
  row: CoverageRow,
  reading: Reading,
  raw: readonly ContainerRow[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  const decoded: Rows = {}
  const indices: number[] = []
  for (const each of raw) {
    const index = Number(each.container_index)
    const wrong = (message: string, expected: string, found: string): Finding => ({
      kind: 'rows.raw',
      message,
      network: row.network,
      table: containers.name,
      stream: row.stream,
      slice: { from: index, to: index + 1 },
      key: { chain: reading.chain, container_index: String(index) },
      expected,
      found,
    })
    try {
      const id = reading.derive(each.bytes)
      if (id !== each.container_id) {
        findings.push(wrong('The bytes of a container do not give its id.', each.container_id, id))
        continue
      }
      const container: Container = { index, id, acceptedAtNs: BigInt(each.accepted_at_ns ?? 0), bytes: each.bytes }
      const own = reading.output.read(container, reading.context) as Rows
      for (const [name, list] of Object.entries(own)) {
        const all = decoded[name] ?? []
        decoded[name] = all
        for (const one of list) all.push(one)
      }
      indices.push(index)
    } catch (error) {
      if (!(error instanceof ChainlakeError)) throw error
      findings.push(wrong('The bytes of a container cannot be decoded.', 'a container', error.message))
    }
  }
  for (const [name, table] of Object.entries(reading.output.tables as Record<string, Table>))
    findings.push(...(await verifyTable(rows, row, table, decoded[name] ?? [], indices)))
  return findings
}

/** Rows of a table that were decoded again, against those that the lake has of the same containers. */
async function verifyTable(
  rows: LakeRows,
  row: CoverageRow,
  table: Table,
  decoded: readonly Record<string, unknown>[],
  indices: readonly number[],
): Promise<Finding[]> {
  const at = placeOf(table, row)
  const [first, last] = [indices[0], indices.at(-1)]
  const isCovered = rows.inventory.coverage.some(
    (other) =>
      other.table === table.name &&
      other.stream === row.stream &&
      other.slice.from <= (first ?? 0) &&
      other.slice.to > (last ?? 0),
  )
  if (at === null || first === undefined || last === undefined || !isCovered || rows.torn(table)) return []
  const expected = new Map(decoded.map((each) => [keyOf(table, each), each]))
  const wanted = new Set(indices.map((index) => index + at.first))
  const range = { from: first + at.first, to: last + at.first }
  const files = await rows.filesBetween(table, at.column, range)
  const chain = decoded[0]
  const columns = Object.keys(table.columns).map(sqlName).join(', ')
  const conditions = [
    `network = ${sqlText(row.network)}`,
    `${sqlName(at.column)} BETWEEN ${range.from} AND ${range.to}`,
    ...(chain?.['blockchain_id'] === undefined ? [] : [`blockchain_id = ${sqlText(String(chain['blockchain_id']))}`]),
    ...(at.only === undefined ? [] : [at.only]),
  ]
  if (chain === undefined && 'blockchain_id' in table.columns) return []
  const findings: Finding[] = []
  const sql = `SELECT ${columns} FROM ${rows.relation(table, files)} WHERE ${conditions.join(' AND ')}`
  for await (const some of rows.engine.tableRows(table, sql))
    for (const found of some as Record<string, unknown>[]) {
      if (!wanted.has(Number(found[at.column]))) continue
      const key = keyOf(table, found)
      const derived = expected.get(key)
      expected.delete(key)
      if (derived === undefined) findings.push(rawFinding(rows, table, found, 'A row is in no raw container.', null))
      else {
        const column = differentColumn(table, derived, found)
        if (column !== null)
          findings.push(
            rawFinding(rows, table, found, `A row of ${table.name} has another ${column} than its raw container.`, [
              comparable(derived[column]),
              comparable(found[column]),
            ]),
          )
      }
    }
  for (const derived of expected.values())
    findings.push(rawFinding(rows, table, derived, `${table.name} lacks a row that a raw container has.`, null))
  return findings.slice(0, told)
}

/** By which column rows of a table are found that a container of the stream has. */
function placeOf(table: Table, { stream }: CoverageRow): { column: string; first: number; only?: string } | null {
  if (stream.endsWith('/tx'))
    return table.name === 'x_transactions'
      ? { column: 'container_index', first: 0, only: "timestamp_source = 'accepted'" }
      : null
  if (stream.endsWith('/vtx')) return { column: 'container_index', first: 0 }
  const column = ['height', 'block_number'].find((name) => name in table.columns)
  return column === undefined ? null : { column, first: 1 }
}

function keyOf(table: Table, row: Record<string, unknown>): string {
  return table.key.map((name) => comparable(row[name])).join('\u0000')
}

/** The first column with another value; null: none. */
function differentColumn(
  table: Table,
  derived: Record<string, unknown>,
  found: Record<string, unknown>,
): string | null {
  const names = Object.keys(table.columns as Columns)
  return names.find((name) => found[name] !== null && comparable(derived[name]) !== comparable(found[name])) ?? null
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

function rawFinding(
  rows: LakeRows,
  table: Table,
  row: Record<string, unknown>,
  message: string,
  values: readonly [string, string] | null,
): Finding {
  const [expected, found] = values ?? []
  const height = numberOf(row['height'] ?? row['block_number'])
  return {
    kind: 'rows.raw',
    message,
    ...placeOfRow(rows.inventory, table, { ...row, height }),
    key: Object.fromEntries(table.key.map((name) => [name, comparable(row[name])])),
    ...(expected === undefined ? {} : { expected: expected.slice(0, 200) }),
    ...(found === undefined ? {} : { found: found.slice(0, 200) }),
  }
}
