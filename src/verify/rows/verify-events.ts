import { evmEventFailures } from '../../../schemas/evm-event-failures.ts'
import { type EvmLog, evmLogs } from '../../../schemas/evm-logs.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { type EventDecoder, eventDecoder } from '../../decode/events/event-decoder.ts'
import { eventOfTable } from '../../decode/events/event-table.ts'
import type { Table } from '../../define/index.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { Slice } from '../../model.ts'
import { intersect } from '../../plan/intervals.ts'
import { holdsLogs } from '../../sources/logs/holds-logs.ts'
import { type ComparedWith, type DecodedRow, decodedTables } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { cutWindows, inWindow } from './block-windows.ts'

const mostFindings = 100

/** The stream of an event with what its rows are decoded by. */
type EventStream = {
  readonly row: CoverageRow
  readonly chainId: string
  /** Null: any contract. */
  readonly contract: string | null
  readonly table: Table
  readonly decoder: EventDecoder
}

/**
 * Checks that rows of events, and failures, equal those that are decoded again from the logs of the lake, where it has all logs of the
 * contract and the event. Of an anonymous event only the existing rows are checked: a log without a row may be one of another event, which
 * only the ABI shows.
 */
export async function verifyEvents(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  for (const stream of eventStreams(rows))
    for (const slice of intersect([stream.row.slice], logsOf(rows, stream)))
      for (const window of cutWindows(rows, slice, [evmLogs, stream.table])) {
        findings.push(...(await verifyWindow(rows, stream, window)))
        if (findings.length >= mostFindings) return { findings: findings.slice(0, mostFindings), remarks: [] }
      }
  return { findings, remarks: [] }
}

function eventStreams({ inventory: { coverage, declared } }: LakeRows): EventStream[] {
  const tables = new Map(declared.map((table) => [table.name, table]))
  return coverage.flatMap((row): EventStream[] => {
    const { kind, chain: chainId = '', parameters } = row.origin
    const table = kind === 'evm-events' ? tables.get(row.table) : undefined
    const event = table === undefined ? null : eventOfTable(table)
    if (table === undefined || event === null) return []
    const contract = parameters['contract']?.toString() ?? null
    return [{ row, chainId, contract, table, decoder: eventDecoder(event, table) }]
  })
}

/** The blocks of which the lake has all logs of the event and the contract. */
function logsOf({ inventory }: LakeRows, { row, chainId, contract, decoder }: EventStream): Slice[] {
  const wanted = { network: row.network, chainId, contract, topic: decoder.topic }
  return inventory.coverage
    .filter((covered) => covered.table === evmLogs.name && holdsLogs(covered, wanted))
    .map(({ slice }) => slice)
}

async function verifyWindow(rows: LakeRows, stream: EventStream, window: Slice): Promise<Finding[]> {
  const { row, table, decoder, contract } = stream
  const stored = decoder.topic === null ? await storedLogs(rows, stream, window) : null
  const found = new Map<number, { events: DecodedRow[]; failures: DecodedRow[] }>()
  for await (const log of logsIn(rows, stream, window)) {
    if (!decoder.isOf(log) || stored?.has(logPlace(log)) === false) continue
    const number = Number(log.block_number)
    const own = found.get(number) ?? { events: [], failures: [] }
    found.set(number, own)
    const decoded = decoder.decode(log)
    if ('row' in decoded) own.events.push(decoded.row)
    else own.failures.push(decoded.failure)
  }
  const events = decodedTables({ events: table })
  const failures = decodedTables({ failures: evmEventFailures })
  for (let at = window.from; at < window.to; at++) {
    const own = found.get(at)
    events.add(at, { events: own?.events ?? [] })
    failures.add(at, { failures: own?.failures ?? [] })
  }
  const ofContract = contract === null ? 'true' : `contract = ${sqlText(contract)}`
  return [
    ...(await events.compare(rows, row, { ...itsLog, only: ofContract })),
    ...(await failures.compare(rows, row, {
      ...itsLog,
      only: `${ofContract} AND table_name = ${sqlText(table.name)}`,
    })),
  ]
}

/** What identifies a log of a chain. */
function logPlace({ block_number, transaction_index, log_index }: Readonly<Record<LogKey, unknown>>): string {
  return `${block_number} ${transaction_index} ${log_index}`
}

type LogKey = 'block_number' | 'transaction_index' | 'log_index'

/** The places of the rows and failures in a window. */
async function storedLogs(rows: LakeRows, stream: EventStream, window: Slice): Promise<ReadonlySet<string>> {
  const { row, chainId, contract, table } = stream
  const places = new Set<string>()
  for (const each of [table, evmEventFailures]) {
    const files = await rows.filesBetween(each, 'block_number', { from: window.from, to: window.to - 1 })
    const conditions = [
      inWindow({ network: row.network, chainId, ...window }),
      ...(contract === null ? [] : [`contract = ${sqlText(contract)}`]),
      ...(each === table ? [] : [`table_name = ${sqlText(table.name)}`]),
    ]
    const sql = `SELECT block_number, transaction_index, log_index FROM ${rows.relation(each, files)} WHERE ${conditions.join(' AND ')}`
    for (const found of await rows.engine.rows(sql)) places.add(logPlace(found as Record<LogKey, unknown>))
  }
  return places
}

const itsLog: ComparedWith = {
  name: 'its log',
  table: evmLogs.name,
  kinds: { different: 'rows.value', missing: 'rows.missing', extra: 'rows.orphan' },
  ignored: [],
}

async function* logsIn(
  rows: LakeRows,
  { row, chainId, contract, decoder }: EventStream,
  window: Slice,
): AsyncGenerator<EvmLog> {
  const files = await rows.filesBetween(evmLogs, 'block_number', { from: window.from, to: window.to - 1 })
  const conditions = [
    inWindow({ network: row.network, chainId, ...window }),
    ...(decoder.topic === null ? [] : [`topic0 = ${sqlText(decoder.topic)}`]),
    ...(contract === null ? [] : [`address = ${sqlText(contract)}`]),
  ]
  const from = `FROM ${rows.relation(evmLogs, files)} WHERE ${conditions.join(' AND ')}`
  for await (const some of rows.engine.tableRows(evmLogs, from)) yield* some as EvmLog[]
}
