import { type EvmLog, evmLogs, evmTokenTransfers } from '../../schemas/evm-blocks.ts'
import { evmEventFailures } from '../../schemas/evm-contracts.ts'
import { containers } from '../../schemas/lake.ts'
import type { CoverageRow } from '../catalog/catalog.ts'
import { eventDecoder, eventOfTable } from '../decode/events/events.ts'
import { tokenTransfers } from '../decode/evm/token-transfers.ts'
import type { RowOf, Table } from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { sqlText } from '../lib/text.ts'
import type { Container, Slice } from '../model.ts'
import { intersect } from '../plan/intervals.ts'
import { holdsLogs } from '../sources/stored-logs.ts'
import {
  bothChecked,
  type Checked,
  type ComparedWith,
  compareDecoded,
  type DecodedRecord,
  firstFindings,
  type LakeRows,
  nothingFound,
  type Row,
} from './lake.ts'
import type { Finding } from './report.ts'
import {
  type ChainBlocks,
  decoderOf,
  fromBlocks,
  fxsInLake,
  fxsUnknown,
  type StreamDecoder,
  windowCutter,
  windowsOf,
} from './streams.ts'

type ContainerRow = RowOf<typeof containers>

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
  const decoder = await decoderOf(rows, row, fxs, { recovers: true })
  if (decoder === null) return nothingFound
  return firstFindings(async function* () {
    let count = 200
    for (let { from } = row.slice; from < row.slice.to; ) {
      const to = Math.min(row.slice.to, from + count)
      const raw = await containersOf(rows, row, decoder, from, to)
      yield await verifyContainers(rows, row, decoder, raw)
      const bytes = raw.reduce((sum, each) => sum + each.bytes.length, 0)
      count = Math.max(1, Math.min(mostAtOnce, count * 2, Math.floor((raw.length * bytesAtOnce) / Math.max(1, bytes))))
      from = to
    }
  })
}

async function containersOf(
  rows: LakeRows,
  { network, origin }: CoverageRow,
  { chain }: StreamDecoder,
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

async function verifyContainers(
  rows: LakeRows,
  row: CoverageRow,
  decoder: StreamDecoder,
  raw: readonly ContainerRow[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  const decoded: DecodedRecord[] = []
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
      key: { chain: decoder.chain, container_index: String(index) },
      expected,
      found,
    })
    try {
      const id = decoder.derive(each.bytes)
      if (id !== each.container_id) {
        findings.push(wrong('The id of a container does not match its bytes.', each.container_id, id))
        continue
      }
      const container: Container = { index, id, acceptedAtNs: BigInt(each.accepted_at_ns ?? 0), bytes: each.bytes }
      decoded.push({ index: at, rows: decoder.output.read(container, decoder.context) as DecodedRecord['rows'] })
    } catch (error) {
      if (!(error instanceof ChainlakeError)) throw error
      findings.push(wrong('The bytes of a container cannot be decoded.', 'a container', error.message))
    }
  }
  const tables = decoder.output.tables as Record<string, Table>
  return [...findings, ...(await compareDecoded(rows, row, tables, decoded, rawContainer))]
}

const itsLog: ComparedWith = {
  name: 'its log',
  table: evmLogs.name,
  kinds: { different: 'rows.value', missing: 'rows.missing', extra: 'rows.orphan' },
  ignored: [],
}

/** Blocks of a window, without rows. */
const blocksOf = ({ from, to }: Slice): DecodedRecord[] =>
  Array.from({ length: to - from }, (_, at) => ({ index: from + at, rows: {} }))

/** Checks that token transfers equal those that are decoded again from the logs of the lake. */
export const verifyTransfers = (rows: LakeRows): Promise<Checked> =>
  firstFindings(async function* () {
    for await (const window of windowsOf(rows, evmTokenTransfers, [evmLogs])) {
      const decoded = blocksOf(window)
      for await (const log of logsIn(rows, window))
        decoded.push({ index: Number(log.block_number), rows: { transfers: tokenTransfers(log) } })
      yield await compareDecoded(rows, window.row, { transfers: evmTokenTransfers }, decoded, itsLog)
    }
  })

/**
 * Checks that rows of events, and failures, equal those that are decoded again from the logs of the lake, where it has all logs of the
 * contract and the event. Of an anonymous event only the existing rows are checked: a log without a row may be one of another event, which
 * only the ABI shows.
 */
export const verifyEvents = (rows: LakeRows): Promise<Checked> =>
  firstFindings(async function* () {
    for (const stream of eventStreams(rows)) {
      const cut = await windowCutter(rows, [evmLogs, stream.table])
      for (const slice of intersect([stream.row.slice], logsOf(rows, stream)))
        for (const window of cut(slice)) yield await verifyEventWindow(rows, stream, window)
    }
  })

type EventStream = ReturnType<typeof eventStreams>[number]

/** The streams of events with what their rows are decoded by. `contract`: null for any. */
function eventStreams({ inventory: { coverage, declared } }: LakeRows) {
  const tables = new Map(declared.map((table) => [table.name, table]))
  return coverage.flatMap((row) => {
    const { kind, chain: chainId = '', parameters } = row.origin
    const table = kind === 'evm-events' ? tables.get(row.table) : undefined
    const event = table === undefined ? null : eventOfTable(table)
    if (table === undefined || event === null) return []
    const contract = parameters['contract']?.toString() ?? null
    return [{ row, chainId, contract, table, decoder: eventDecoder(event, table) }]
  })
}

/** The blocks for which the lake has every log of the event and the contract. */
function logsOf({ inventory }: LakeRows, { row, chainId, contract, decoder }: EventStream): Slice[] {
  const wanted = { network: row.network, chainId, contract, topic: decoder.topic }
  return inventory.coverage
    .filter((covered) => covered.table === evmLogs.name && holdsLogs(covered, wanted))
    .map(({ slice }) => slice)
}

async function verifyEventWindow(rows: LakeRows, stream: EventStream, window: Slice): Promise<Finding[]> {
  const { row, chainId, table, decoder, contract } = stream
  const { topic } = decoder
  const blocks = { network: row.network, chainId, ...window }
  const ofContract = contract === null ? [] : [`contract = ${sqlText(contract)}`]
  const sides = [
    { events: table, only: ['true', ...ofContract] },
    { failures: evmEventFailures, only: [`table_name = ${sqlText(table.name)}`, ...ofContract] },
  ]
  const stored = topic === null ? await storedLogs(rows, sides, blocks) : null
  const wanted = [
    ...(topic === null ? [] : [`topic0 = ${sqlText(topic)}`]),
    ...(contract === null ? [] : [`address = ${sqlText(contract)}`]),
  ]
  const decoded = blocksOf(window)
  for await (const log of logsIn(rows, blocks, wanted)) {
    if (!decoder.isOf(log) || stored?.has(placeOf(log)) === false) continue
    const one = decoder.decode(log)
    const own = 'row' in one ? { events: [one.row] } : { failures: [one.failure] }
    decoded.push({ index: Number(log.block_number), rows: own })
  }
  const findings: Finding[] = []
  for (const { only, ...tables } of sides)
    findings.push(...(await compareDecoded(rows, row, tables, decoded, { ...itsLog, only: only.join(' AND ') })))
  return findings
}

/** What identifies a log of a chain. */
const placeOf = (log: Row): string => `${log['block_number']} ${log['transaction_index']} ${log['log_index']}`

/** The places of the rows and failures in a window. */
async function storedLogs(
  rows: LakeRows,
  sides: readonly { readonly events?: Table; readonly failures?: Table; readonly only: readonly string[] }[],
  blocks: ChainBlocks,
): Promise<ReadonlySet<string>> {
  const places = new Set<string>()
  for (const { events, failures, only } of sides) {
    const from = await fromBlocks(rows, (events ?? failures)!, blocks, only)
    for (const found of await rows.engine.rows(`SELECT block_number, transaction_index, log_index ${from}`))
      places.add(placeOf(found))
  }
  return places
}

/** The logs of blocks that meet SQL conditions. */
async function* logsIn(
  rows: LakeRows,
  blocks: ChainBlocks,
  conditions: readonly string[] = [],
): AsyncGenerator<EvmLog> {
  const from = await fromBlocks(rows, evmLogs, blocks, conditions)
  for await (const some of rows.engine.tableRows(evmLogs, from)) yield* some as EvmLog[]
}
