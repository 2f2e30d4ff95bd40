import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { bloomOf } from '../../codec/bloom.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { type BlockWindow, blocksOf, inWindow, windowsWithLogs } from './block-windows.ts'

const mostFindings = 100

/** Some chains return filters without a bit in all receipts. */
const empty = /^0*$/

/** Checks that the Bloom filters of receipts follow from the logs of the lake. */
export async function verifyBlooms(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  for (const window of windowsWithLogs(rows, evmTransactions)) {
    findings.push(...(await wrongBlooms(rows, window)))
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

async function wrongBlooms(rows: LakeRows, window: BlockWindow): Promise<Finding[]> {
  const between = { from: window.from, to: window.to - 1 }
  const logs = rows.relation(evmLogs, await rows.filesBetween(evmLogs, 'block_number', between))
  const transactions = rows.relation(evmTransactions, await rows.filesBetween(evmTransactions, 'block_number', between))
  const texts = rows.engine.texts(`
    SELECT network, chain_id, block_number::VARCHAR, transaction_index::VARCHAR, lower(hex(logs_bloom)), topics
    FROM ${transactions} LEFT JOIN (
      SELECT block_number, transaction_index, string_agg(concat_ws(' ', address, topic0, topic1, topic2, topic3), ' ') AS topics
      FROM ${logs} WHERE ${inWindow(blocksOf(window))} GROUP BY ALL
    ) USING (block_number, transaction_index)
    WHERE ${inWindow(blocksOf(window))} AND logs_bloom IS NOT NULL`)
  const findings: Finding[] = []
  for await (const [networks = [], chainIds = [], blocks = [], indices = [], blooms = [], topics = []] of texts)
    for (const [row, bloom] of blooms.entries()) {
      const ofLogs = topics[row] as string | null
      const expected = Buffer.from(bloomOf(ofLogs?.split(' ') ?? [])).toString('hex')
      if (bloom === expected || (ofLogs !== null && empty.test(bloom))) continue
      const key = {
        network: networks[row]!,
        chain_id: chainIds[row]!,
        block_number: blocks[row]!,
        transaction_index: indices[row]!,
      }
      findings.push({
        kind: 'rows.value',
        message: 'The Bloom filter of a transaction does not follow from its logs.',
        ...placeOfRow(rows.inventory, evmTransactions, key),
        otherTable: evmLogs.name,
        key,
        columns: ['logs_bloom'],
        expected,
        found: bloom,
      })
    }
  return findings
}
