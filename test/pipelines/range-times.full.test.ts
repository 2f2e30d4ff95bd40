import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBalancesPipeline } from '../../pipelines/evm-balances.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmLogsPipeline } from '../../pipelines/evm-logs.ts'
import { evmTracesPipeline } from '../../pipelines/evm-traces.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { planPipelines } from '../../src/run/jobs/plan-pipelines.ts'
import { gapsOf, lakeStatus } from '../../src/run/status/lake-status.ts'
import { chainlake } from '../cli/in-process.ts'
import { recordingFolder } from '../recorded.ts'
import { committedSlices, exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { lakeRows } from '../run/lake-rows.ts'
import { newLake } from '../run/lake-run.ts'

const account = '0x0000000000000000000000000000000000000001'

/** Each source of blocks, with its table and the column of its coordinates. */
const sources: readonly (readonly [
  name: string,
  Pipeline,
  values: Readonly<Record<string, unknown>>,
  table: string,
  column: string,
])[] = [
  ['P/block', pBlocksPipeline, {}, 'p_blocks', 'height'],
  ['the P chain by height', pBlocksPipeline, { source: 'rpc' }, 'p_blocks', 'height'],
  ['X/block', xBlocksPipeline, {}, 'x_blocks', 'height'],
  ['the X chain by height', xBlocksPipeline, { source: 'rpc' }, 'x_blocks', 'height'],
  ['C/block', cBlocksPipeline, {}, 'c_blocks', 'block_number'],
  ['evm-blocks', evmBlocksPipeline, {}, 'evm_blocks', 'block_number'],
  ['evm-balances', evmBalancesPipeline, { addresses: [account] }, 'evm_balances', 'block_number'],
]

type Row = { readonly at: number; readonly time: number | null }

/** The coordinates and times (Unix seconds, rounded down) of rows in order. */
async function rowsOf(lake: string, table: string, column: string): Promise<Row[]> {
  const rows = await lakeRows(lake, `SELECT ${column} AS at, floor(epoch(block_time)) AS time FROM ${table} ORDER BY 1`)
  return rows.map((row) => ({ at: Number(row['at']), time: row['time'] === null ? null : Number(row['time']) }))
}

/** The first coordinate at or after a time, by looking at every row; null for none. */
function scanned(rows: readonly Row[], seconds: number): number | null {
  const row = rows.find(({ time }) => time !== null && time >= seconds)
  if (row === undefined) return null
  return rows.every(({ at, time }) => at >= row.at || time === null) ? rows[0]!.at : row.at
}

const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

describe.each([
  ['a simulated network', { seed: 7, blocks: 240 }],
  ['a recorded network', { replay: recordingFolder('granite') }],
] as const)('%s', (network, options) => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet(options)
  })
  afterAll(() => node.close())
  const readable = network.startsWith('a recorded')
    ? sources.filter(([, , values]) => !('addresses' in values))
    : sources

  test.each(readable)(
    '%s: ranges between times hold the blocks of these times',
    async (_, pipeline, values, table, column) => {
      const full = newLake()
      await exportLake({ node, lake: full, jobs: [jobOf(pipeline, values)] })
      const rows = await rowsOf(full, table, column)
      const times = rows.flatMap(({ time }) => time ?? [])
      const [first, last] = [Math.min(...times), Math.max(...times)]
      const cuts = [0.2, 0.5, 0.8].map((part) => Math.floor(first + part * (last - first)))
      const bounds = [...cuts, first, last, last + 1, first - 1, times[Math.floor(times.length / 3)]!]
      const plans = await planPipelines({
        nodeUrl: node.url,
        lake: { folder: newLake() },
        jobs: bounds.map((bound) => jobOf(pipeline, { ...values, from: text(bound) })),
      })
      expect(plans.map(({ times }) => times[0]?.record)).toEqual(bounds.map((bound) => scanned(rows, bound)))

      const parts = newLake()
      const [one, two, three] = cuts.map(text)
      for (const part of [{ to: one }, { from: one, to: two }, { range: { from: two, to: three } }, { from: three }]) {
        const { events } = await exportLake({ node, lake: parts, jobs: [jobOf(pipeline, { ...values, ...part })] })
        const [from] = [...committedSlices(events)].flat()
        const bound = part.from ?? part.range?.from
        // Blocks of a recorded network are crowded: there may be none between two times.
        if (bound !== undefined && from !== undefined) expect(from).toBe(scanned(rows, Date.parse(bound) / 1000))
      }
      expect(await rowsOf(parts, table, column)).toEqual(rows)
      expect(gapsOf(await lakeStatus({ folder: parts }))).toEqual([])
    },
  )
})

describe('a simulated network', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 3, blocks: 240 })
  })
  afterAll(() => node.close())

  test('logs and traces find the same blocks as blocks, with small requests', async () => {
    const from = '2025-11-01T02:00:00Z'
    const jobs = [evmBlocksPipeline, evmLogsPipeline, evmTracesPipeline].map((pipeline) => jobOf(pipeline, { from }))
    const plans = await planPipelines({ nodeUrl: node.url, lake: { folder: newLake() }, jobs })
    const [blocks, ...others] = plans.map(({ times }) => times)
    expect(blocks).toEqual([
      { time: from, record: expect.any(Number), text: expect.stringContaining(`${from} is block`) },
    ])
    expect(others).toEqual([blocks, blocks])
  })

  test('the accounts of a job share one search', async () => {
    const requests = async (addresses: string[]) => {
      const before = node.requests().paths['/ext/bc/C/rpc'] ?? 0
      const from = '2025-11-01T02:00:00Z'
      const jobs = [jobOf(evmBalancesPipeline, { addresses, from })]
      await planPipelines({ nodeUrl: node.url, lake: { folder: newLake() }, jobs })
      return (node.requests().paths['/ext/bc/C/rpc'] ?? 0) - before
    }
    const many = Array.from({ length: 20 }, (_, at) => `0x${String(at + 1).padStart(40, '0')}`)
    expect(await requests(many)).toBe(await requests(many.slice(0, 1)))
  })

  test('plan, run and doctor name the block', async () => {
    const flags = ['--node-url', node.url, '--lake', newLake()]
    const bounds = ['--range', '2025-11-01T01:00:00Z:2025-11-01 03:00:00']
    const planned = await chainlake(['plan', 'evm-blocks', ...flags, ...bounds])
    expect(planned.stdout).toMatch(/^evm-blocks: 2025-11-01T01:00:00Z is block \d+ \(2025-11-01T01:\d\d:\d\dZ\)\.\n/)
    expect(planned.stdout).toMatch(/\nevm-blocks: 2025-11-01 03:00:00 is block \d+ \(2025-11-01T0\d:\d\d:\d\dZ\)\.\n/)
    const ran = await chainlake(['run', 'evm-blocks', ...flags, ...bounds])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/2025-11-01T01:00:00Z is block \d+/)
    const again = await chainlake(['run', 'evm-blocks', ...flags, ...bounds])
    expect(again.stdout).toContain('up to date')
    const examined = await chainlake(['doctor', 'p-blocks', ...flags, '--from', '2025-11-01T01:00:00Z'])
    expect(examined.stdout).toMatch(/p-blocks: 2025-11-01T01:00:00Z is block \d+ \(/)
  })

  test('an index that began late begins with its first block, and so does a time before it', async () => {
    const late = await startDevnet({ seed: 3, blocks: 240, indexFrom: 150 })
    try {
      const at = async (from: string) => {
        const jobs = [jobOf(xBlocksPipeline, { from })]
        const [plan] = await planPipelines({ nodeUrl: late.url, lake: { folder: newLake() }, jobs })
        return plan!.times[0]
      }
      expect(await at('2020-01-01')).toMatchObject({
        record: 150,
        text: expect.stringMatching(/has no block before it\.$/),
      })
      const [whole] = await planPipelines({
        nodeUrl: node.url,
        lake: { folder: newLake() },
        jobs: [jobOf(xBlocksPipeline, { from: '2025-11-01T05:00:00Z' })],
      })
      expect(await at('2025-11-01T05:00:00Z')).toEqual(whole!.times[0])
    } finally {
      await late.close()
    }
  })

  test('a run with follow ends its range at a time that comes later', async () => {
    const growing = await startDevnet({ seed: 3, blocks: 60 })
    try {
      const lake = newLake()
      const full = newLake()
      const stopping = new AbortController()
      const to = '2025-11-01T01:30:00Z'
      let rounds = 0
      await exportLake({
        node: growing,
        lake,
        jobs: [jobOf(xBlocksPipeline, { from: '2025-11-01T00:10:00Z', to })],
        follow: { maxLagMs: 20 },
        stop: stopping.signal,
        onEvent: (event) => {
          if (event.kind !== 'waiting') return
          if (rounds++ === 12) stopping.abort()
          else void growing.grow(10)
        },
      })
      await exportLake({ node: growing, lake: full, jobs: [jobOf(xBlocksPipeline)] })
      const expected = await lakeRows(
        full,
        `SELECT height FROM x_blocks WHERE block_time >= '2025-11-01T00:10:00Z' AND block_time < '${to}' ORDER BY 1`,
      )
      expect(await lakeRows(lake, 'SELECT height FROM x_blocks ORDER BY 1')).toEqual(expected)
      const [beyond] = await lakeRows(full, `SELECT count(*) AS n FROM x_blocks WHERE block_time >= '${to}'`)
      expect(Number(beyond!['n'])).toBeGreaterThan(0)
    } finally {
      await growing.close()
    }
  })

  test('a program that gives a time for the index of transactions gets the reason', async () => {
    const legacy = await startDevnet({ seed: 3, blocks: 60, legacy: true })
    try {
      const jobs = [jobOf(xTransactionsPipeline, { from: '2025-01-01' })]
      await expect(exportLake({ node: legacy, lake: newLake(), jobs })).rejects.toMatchObject({
        code: 'config.range',
        exitCode: 2,
        message: "2025-01-01 cannot be a bound: the node's index X/tx does not say the time of a container.",
      })
      const wrong = [jobOf(pBlocksPipeline, { from: 'yesterday' })]
      await expect(exportLake({ node: legacy, lake: newLake(), jobs: wrong })).rejects.toThrow(
        '"yesterday" is no time.',
      )
    } finally {
      await legacy.close()
    }
  })
})
