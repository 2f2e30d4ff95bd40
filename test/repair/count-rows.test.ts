import { expect, test } from 'vitest'
import { repairText } from '../../src/cli/commands/run-repair.ts'
import type { RemovalPlan } from '../../src/repair/plan-removal.ts'
import { guessedStreams } from '../../src/repair/plan-removal.ts'

const removed = (table: string, ...streams: readonly string[]): RemovalPlan['files'][number] => ({
  table: { id: 1, name: table, columns: [], files: [] },
  file: {
    id: 1,
    path: `data/${table}/1.parquet`,
    rows: 3,
    bytes: 9,
    partition: [],
    footerBytes: 1,
    network: 'n',
    sha256: null,
    committedRows: null,
    sources: streams.map((stream) => ({ stream, slice: null })),
  },
  damaged: true,
})

test('a repair reports approximate row counts for streams that shared a removed file', () => {
  const files = [
    removed('rest_rewards', 'n/a', 'n/b'),
    removed('rest_rewards', 'n/b', 'n/c'),
    removed('p_blocks', 'n/d'),
  ]
  expect(guessedStreams({ files })).toEqual(['n/a', 'n/b', 'n/c'])
  const repair = {
    lake: 'l',
    findings: [],
    again: [],
    needsCode: [],
    plan: { files, cuts: [], lists: [], lost: [] },
    snapshotId: 2,
  }
  const text = repairText(repair, { dryRun: false, acceptLoss: false })
  expect(text).toContain('their row counts in chainlake status are approximate from now on; the sum is exact:\n  n/a')
})

test('a repair reports which lost outputs of utxo-set can be read again', () => {
  const lost = [removed('p_state_outputs', 'n/node/utxo-set/P')]
  const repair = {
    lake: 'l',
    findings: [],
    again: [],
    needsCode: [],
    plan: { files: [], cuts: [], lists: [], lost },
    snapshotId: null,
  }
  expect(repairText(repair, { dryRun: false, acceptLoss: false })).toContain(
    'fetches the outputs that are still unspent',
  )
})
