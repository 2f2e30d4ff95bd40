import { describe, expect, test } from 'vitest'
import type { StreamStatus } from '../../../src/catalog/catalog.ts'
import { lakeText } from '../../../src/cli/commands/show-status.ts'
import { streamStatus } from './stream-status.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const before = (minutes: number): Date => new Date(nowMs - minutes * 60_000)

const items = { table: 'items', slices: [], gaps: [], rows: 1_234, bytes: 5_000 }
const stream = (name: string, more: Partial<StreamStatus> = {}) => streamStatus(name, { tables: [items], ...more })

function run(id: string, minutes: number, state = 'done') {
  return { id, pid: 1, host: 'h', command: 'run', streams: [], started: before(minutes), ended: before(minutes), state }
}

const table = (name: string, from: number, to: number, gaps: { from: number; to: number }[] = []) => ({
  table: name,
  slices: [{ from, to }],
  gaps,
  rows: to - from,
  bytes: 1_000_000,
})

const wallet = (digit: number) =>
  stream(`fuji/wallet-transfers/43113?wallet=0x${String(digit).repeat(40)}`, {
    unit: 'blocks',
    tables: [table('rest_native_transactions', 0, 50)],
    lastRun: run('r2', 90),
  })

const whole = [
  stream('fuji/P/block', {
    unit: 'containers',
    tables: [table('p_blocks', 0, 2_000), table('p_transactions', 0, 2_000)],
    lastRun: run('r1', 3),
    reached: before(3),
  }),
  stream('fuji/evm-blocks/43113', {
    unit: 'blocks',
    tables: [table('evm_blocks', 0, 500)],
    lastRun: run('r1', 3),
  }),
  stream('fuji/rest-utxos/P?addresses=…', {
    parameters: { addresses: Array.from({ length: 64 }, (_, at) => `fuji1${at}`), includeSpent: 'true' },
    observations: { complete: 3, lastCompleted: before(3), openSince: null },
    lastRun: run('r1', 3),
  }),
  ...[1, 2, 3, 4, 5].map(wallet),
]

describe('the text of status', () => {
  test('has totals, problems, and a line for each group of streams', () => {
    expect(
      lakeText({ snapshotId: 7, viewsSnapshotId: 7, streams: whole }, { nowMs, width: Number.POSITIVE_INFINITY }),
    ).toMatchInlineSnapshot(`
      "rows      5,984 in 5 tables, 8.0 MB
      networks  fuji
      newest    fuji/P/block: container 1,999; at the head 3 min ago
      newest    fuji/evm-blocks/43113: block 499; not at the head yet
      snapshot  7

      No problems.

      streams of fuji                                 rows   bytes  last run   extent
      P/block                                        4,000  2.0 MB  3 min ago  containers 0 to 2,000
      evm-blocks/43113                                 500  1.0 MB  3 min ago  blocks 0 to 500
      rest-utxos/P, 64 addresses, includeSpent=true  1,234  5.0 kB  3 min ago  3 observations
      wallet-transfers/43113, 5 streams                250  5.0 MB  1 h ago    blocks 0 to 50

      The tables of a stream: chainlake status NAME, or --streams for all."
    `)
  })

  test('of a lake with problems names them before the streams', () => {
    const streams = [
      stream('fuji/P/block', {
        unit: 'containers',
        tables: [
          table('p_blocks', 0, 2_000),
          { ...table('p_outputs', 0, 90), slices: [], gaps: [{ from: 0, to: 90 }] },
        ],
        lastRun: run('20261121T115000000Zabcdef', 10, 'died'),
      }),
      stream('mainnet/rest-chains', {
        tables: [{ table: 'rest_evm_chains', slices: [], gaps: [], isAwaited: true, rows: 0, bytes: 0 }],
        lastRun: run('20261121T115500000Zabcdef', 5, 'failed'),
      }),
    ]
    const text = lakeText({ snapshotId: 7, viewsSnapshotId: 7, streams }, { nowMs, width: Number.POSITIVE_INFINITY })
    expect(text.slice(text.indexOf('Problems'))).toMatchInlineSnapshot(`
      "Problems:
        fuji/P/block: 2,000 containers missing; chainlake gaps shows them, and the next run of the job reads them
        mainnet/rest-chains: a repair removed rows; the next run of the job reads the list again
        fuji/P/block: the run 20261121T115000000Zabcdef of 2026-11-21T11:50Z crashed; the next run continues after its last commit
        mainnet/rest-chains: the run 20261121T115500000Zabcdef of 2026-11-21T11:55Z failed; the next run continues after its last commit

      streams of fuji   rows   bytes  last run          extent
      P/block          2,090  2.0 MB  died, 10 min ago  containers 0 to 2,000

      streams of mainnet  rows  bytes  last run           extent
      rest-chains            0    0 B  failed, 5 min ago

      The tables of a stream: chainlake status NAME, or --streams for all."
    `)
  })

  test.each([80, 110])('fits a terminal of %i columns', (width) => {
    const lines = lakeText({ snapshotId: 7, viewsSnapshotId: 7, streams: whole }, { nowMs, width }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    expect(lines.some((line) => line.includes('extent'))).toBe(width > 100)
  })

  test.each<[number | null, boolean]>([
    [6, true],
    [7, false],
    [null, false],
  ])('with views of snapshot %j of 7 says which they show: %j', (viewsSnapshotId, isSaid) => {
    const text = lakeText({ snapshotId: 7, viewsSnapshotId, streams: whole }, { nowMs, width: 80 })
    expect(text.includes('\nviews     show snapshot 6; for the latest one: chainlake views\n')).toBe(isSaid)
  })

  test('of an empty lake says so', () =>
    expect(lakeText({ snapshotId: 0, viewsSnapshotId: null, streams: [] }, { nowMs, width: 80 })).toBe(
      'The lake is empty: no job has run on it yet.',
    ))
})
