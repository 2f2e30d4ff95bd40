import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { oldStreams, oldText, staleStreams, staleText } from '../../../src/cli/commands/show-status.ts'
import { streamOf } from '../../lib/stream-of.ts'
import { newLake } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 12, blocks: 30 })
})
afterAll(() => node.close())

test('status --max-age reports stale streams, and a run on an idle chain refreshes its stream without a snapshot', async () => {
  const lake = newLake()
  const run = (...args: string[]) =>
    chainlake(['run', ...args, '--node-url', node.url, '--lake', lake, '--json', '--log-level', 'error'])
  const status = async (...args: string[]) => {
    const { code, stdout } = await chainlake(['status', '--lake', lake, '--json', ...args])
    return { code, ...JSON.parse(stdout) }
  }
  const reachedOf = (streams: { stream: string; reached: string }[]) =>
    Date.parse(streams.find(({ stream }) => stream === 'local/P/block')?.reached ?? '')

  expect((await run('p-blocks')).code).toBe(0)
  const first = await status('--max-age', '10m')
  expect(first).toMatchObject({ code: 0, stale: [] })
  expect(await status('--max-age', '1ms')).toMatchObject({ code: 9, stale: [{ stream: 'local/P/block' }] })

  // The simulated chain stands still since 2025: a run that looks at it is not stale, but its newest block is old.
  expect(await status('--max-age', '10m', '--max-block-age', '1d')).toMatchObject({
    code: 9,
    stale: [],
    old: [{ stream: 'local/P/block', newest: expect.stringMatching(/^20/) }],
  })
  expect(await status('--max-block-age', '36000d')).toMatchObject({ code: 0, old: [] })

  expect((await run('p-blocks')).code).toBe(0)
  const second = await status('local/P/block')
  expect(second.code).toBe(0)
  expect(second.streams.map(({ stream }: { stream: string }) => stream)).toEqual(['local/P/block'])
  expect(reachedOf(second.streams)).toBeGreaterThan(reachedOf(first.streams))
  expect(second.snapshotId).toBe(first.snapshotId)

  // While a service is down, the other stream stays fresh.
  node.setFaults({ every: 1, kinds: ['bad-gateway'], pathPrefix: '/ext/index/X' })
  expect((await run('x-blocks', '--tries', '1')).code).toBe(3)
  node.setFaults(null)
  expect(await status('--max-age', '10m')).toMatchObject({
    code: 9,
    stale: [{ stream: 'local/X/block', reached: null }],
  })
  expect((await status('local/P/block', '--max-age', '10m')).code).toBe(0)
  expect((await chainlake(['status', 'local/P/blocks', '--lake', lake])).code).toBe(2)
  // --except leaves out a stream that no longer runs.
  expect(await status('--max-age', '10m', '--except', 'local/X/block')).toMatchObject({ code: 0, stale: [] })
  expect((await status('--except', 'local')).streams).toEqual([])
  expect((await chainlake(['status', '--except', 'local/x', '--lake', lake])).code).toBe(2)
  const { stdout } = await chainlake(['status', '--lake', lake, '--max-age', '1ms'])
  expect(stdout).toContain('leave out streams that are not run any more: --except local/P/block,local/X/block')
})

test('a stream that never reached its head is stale, but the stream of network facts never is', () => {
  const stream = {
    pipeline: 'p-blocks',
    unit: 'containers',
    tables: [],
    stretches: null,
    observations: null,
    lastRun: null,
  }
  const at = (ms: number) => new Date(ms)
  const streams = [
    { ...stream, ...streamOf('fuji/chains'), reached: null },
    { ...stream, ...streamOf('fuji/a'), reached: null },
    { ...stream, ...streamOf('fuji/b'), reached: at(1_000) },
    { ...stream, ...streamOf('fuji/c'), reached: at(3_000) },
  ]
  const stale = staleStreams(streams, 5_000, 8_000)
  expect(staleText(stale, 5_000, 8_000)).toBe(
    'stale: fuji/a: never reached its head\nstale: fuji/b: last reached its head 7.0 s ago\nNo run of these has started in that time. Run them, or leave out streams that are not run any more: --except fuji/a,fuji/b',
  )
  const running = stale.map((each) => ({ ...each, begun: at(7_000) }))
  expect(staleText(running, 5_000, 8_000)).not.toContain('--except')
  expect(staleText([...stale.slice(1), ...running.slice(0, 1)], 5_000, 8_000)).toContain('some of these')
})

test('a stream is old when its newest block is; streams without block times are not', () => {
  const stream = { network: 'fuji', stream: 'fuji/P/block' } as Parameters<typeof oldStreams>[0][number]
  const streams = [stream, { ...stream, stream: 'fuji/node/supply' }]
  const old = oldStreams(streams, new Map([['fuji/P/block', new Date(1_000)]]), { maxAgeMs: 5_000, nowMs: 8_000 })
  expect(oldText(old, 8_000)).toBe(
    'old: fuji/P/block: the newest block is 7.0 s old; the node may stand still, or the chain is quiet',
  )
})
