import { expect, test } from 'vitest'
import { verifyText } from '../../../src/cli/commands/run-verify.ts'
import type { VerifyReport } from '../../../src/verify/report.ts'

const report: VerifyReport = {
  lake: './lake',
  snapshot: { snapshotId: 7, time: new Date(0) } as unknown as VerifyReport['snapshot'],
  mode: 'full',
  findings: [],
  remarks: [],
  unverifiable: [
    { table: 'node_fees', columns: ['tx_fee', 'create_asset_tx_fee'], reason: 'only the node knows it.' },
    { table: 'p_blocks', stream: 'local/P/block', columns: ['wrapper'], reason: 'no raw containers.' },
    { table: 'rest_utxos', reason: 'only the node knows it.' },
  ],
  checked: { tables: 3, files: 3, bytes: 10, rows: 3 },
  certificate: null,
  seconds: 1,
}

test('a sound lake ends with the result, after what cannot be verified, each reason once with its tables and columns', () => {
  const lines = verifyText({ ...report, remarks: [{ message: 'Gas.' } as VerifyReport['remarks'][number]] }).split('\n')
  expect(lines.at(-1)).toBe('No errors in ./lake at snapshot 7.')
  expect(lines[0]).toBe('note: Gas.')
  expect(lines.slice(1, 6)).toEqual([
    'cannot be verified here: only the node knows it.',
    '  node_fees: tx_fee, create_asset_tx_fee',
    '  rest_utxos',
    'cannot be verified here: no raw containers.',
    '  p_blocks of local/P/block: wrapper',
  ])
})

test('of many lists of a table that cannot be verified, some are named', () => {
  const streams = Array.from({ length: 12 }, (_, at) => `local/tps/${at}`)
  const unverifiable = streams.map((stream) => ({ table: 'metrics_chain_tps', stream, reason: 'no answer.' }))
  const lines = verifyText({ ...report, unverifiable }).split('\n')
  expect(lines.slice(0, 2)).toEqual(['cannot be verified here: no answer.', '  metrics_chain_tps of local/tps/0'])
  expect(lines[11]).toBe('  … and 2 more of this kind; --json lists all')
})

test('a long list of unverifiable columns is shortened with a hint to --json', () => {
  const columns = ['a', 'b', 'c', 'd', 'e', 'f']
  const unverifiable = [{ table: 'evm_blocks', columns: ['size'], partly: columns, reason: 'only the node knows it.' }]
  expect(verifyText({ ...report, unverifiable }).split('\n')[1]).toBe(
    '  evm_blocks: size; in some rows also a, b, c, d and 2 more (--json lists all)',
  )
})
