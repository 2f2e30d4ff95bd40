import type { EvmLog } from '../../../schemas/evm-logs.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../../../schemas/evm-token-transfers.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { tokenTransfers } from '../../decode/evm/token-transfers.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { subtract } from '../../plan/intervals.ts'
import { type ComparedWith, decodedTables } from '../lake/compare-rows.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { waitingFor } from '../lake/waiting.ts'
import { blockWindows, inBlocks } from './block-windows.ts'

const mostFindings = 100

const itsLog: ComparedWith = {
  name: 'its log',
  table: evmLogs.name,
  kinds: { different: 'rows.value', missing: 'rows.missing', extra: 'rows.orphan' },
  ignored: [],
}

/** Checks that token transfers equal those that are decoded again from the logs of the lake. */
export async function verifyTransfers(rows: LakeRows): Promise<Checked> {
  let checked: Checked = nothingFound
  const waiting = waitingFor(rows.inventory, evmLogs, evmTokenTransfers)
  for (const row of rows.inventory.coverage) {
    if (row.table !== evmTokenTransfers.name) continue
    // After a repair removed logs, their transfers stay: the next run reads the logs again.
    const without = waiting.find(({ stream }) => stream === row.stream)?.slices ?? []
    for (const slice of subtract([row.slice], without))
      checked = bothChecked(checked, await verifyStream(rows, { ...row, slice }))
  }
  return { ...checked, findings: checked.findings.slice(0, mostFindings) }
}

async function verifyStream(rows: LakeRows, row: CoverageRow): Promise<Checked> {
  let checked: Checked = nothingFound
  for (const { from, to } of blockWindows(rows, row.slice, [evmLogs])) {
    if (checked.findings.length >= mostFindings) break
    const byBlock = await transfersOf(rows, row, from, to)
    const decoded = decodedTables({ tokenTransfers: evmTokenTransfers })
    for (let at = from; at < to; at++) decoded.add(at, { tokenTransfers: byBlock.get(at) ?? [] })
    checked = bothChecked(checked, { findings: await decoded.compare(rows, row, itsLog), remarks: [] })
  }
  return checked
}

async function transfersOf(
  rows: LakeRows,
  row: CoverageRow,
  from: number,
  to: number,
): Promise<Map<number, ReturnType<typeof tokenTransfers>>> {
  const files = await rows.filesBetween(evmLogs, 'block_number', { from, to: to - 1 })
  const columns = Object.keys(evmLogs.columns).map(sqlName).join(', ')
  const sql = `SELECT ${columns} FROM ${rows.relation(evmLogs, files)} WHERE ${inBlocks(row, from, to)}`
  const found = new Map<number, ReturnType<typeof tokenTransfers>>()
  for await (const some of rows.engine.tableRows(evmLogs, sql))
    for (const log of some as EvmLog[]) {
      const own = found.get(Number(log.block_number)) ?? []
      found.set(Number(log.block_number), own)
      for (const each of tokenTransfers(log)) own.push(each)
    }
  return found
}
