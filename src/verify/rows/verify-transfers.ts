import type { EvmLog } from '../../../schemas/evm-logs.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../../../schemas/evm-token-transfers.ts'
import { tokenTransfers } from '../../decode/evm/token-transfers.ts'
import { type ComparedWith, decodedTables } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { type BlockWindow, blocksOf, inWindow, windowsWithLogs } from './block-windows.ts'

const mostFindings = 100

const itsLog: ComparedWith = {
  name: 'its log',
  table: evmLogs.name,
  kinds: { different: 'rows.value', missing: 'rows.missing', extra: 'rows.orphan' },
  ignored: [],
}

/** Checks that token transfers equal those that are decoded again from the logs of the lake. */
export async function verifyTransfers(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  for (const window of windowsWithLogs(rows, evmTokenTransfers)) {
    const byBlock = await transfersOf(rows, window)
    const decoded = decodedTables({ tokenTransfers: evmTokenTransfers })
    for (let at = window.from; at < window.to; at++) decoded.add(at, { tokenTransfers: byBlock.get(at) ?? [] })
    findings.push(...(await decoded.compare(rows, window.row, itsLog)))
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

async function transfersOf(
  rows: LakeRows,
  window: BlockWindow,
): Promise<Map<number, ReturnType<typeof tokenTransfers>>> {
  const files = await rows.filesBetween(evmLogs, 'block_number', { from: window.from, to: window.to - 1 })
  const from = `FROM ${rows.relation(evmLogs, files)} WHERE ${inWindow(blocksOf(window))}`
  const found = new Map<number, ReturnType<typeof tokenTransfers>>()
  for await (const some of rows.engine.tableRows(evmLogs, from))
    for (const log of some as EvmLog[]) {
      const own = found.get(Number(log.block_number)) ?? []
      found.set(Number(log.block_number), own)
      for (const each of tokenTransfers(log)) own.push(each)
    }
  return found
}
