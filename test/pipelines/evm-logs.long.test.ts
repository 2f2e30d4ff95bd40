import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { tokenContracts } from '../../devnet/c/contracts.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { command, newLake, query } from '../run/lake-run.ts'
import { contracts, endNodes, expected, granite, logs, ofBlocks, ofLogs, rowsOf, run, serve } from './evm-log-runs.ts'

afterEach(endNodes)

describe('evm-logs', () => {
  test('without a filter stores the same logs as evm-blocks', async () => {
    const lake = newLake()
    await run(lake, await serve(), ofLogs())
    expect(await rowsOf(lake)).toEqual(await expected())
  })

  test('resumes when the chain has grown', async () => {
    const lake = newLake()
    await run(lake, await serve({}, granite.slice(0, 100)), ofLogs())
    await run(lake, await serve(), ofLogs())
    expect(await rowsOf(lake)).toEqual(await expected())
  })
})

describe('evm-logs that overlaps with evm-blocks', () => {
  const few = contracts.slice(0, 3)

  test.each([
    ['before it', [ofLogs({ contracts: few }), ofBlocks()]],
    ['after it', [ofBlocks(), ofLogs({ contracts: few })]],
    ['with filters that overlap', [ofLogs({ contracts: few }), ofLogs({ contracts: contracts.slice(1) }), ofBlocks()]],
    ['with ranges that overlap', [ofLogs({ from: 30, to: 90 }), ofBlocks({ from: 60, to: 200, unit: 17 }), ofLogs()]],
    ['with some blocks only', [ofBlocks({ step: 3 }), ofLogs({ contracts: few }), ofBlocks({ unit: 50 })]],
  ])('stores each row once: %s', async (_, jobs) => {
    const lake = newLake()
    const node = await serve()
    await run(lake, node, ...jobs)
    await run(lake, node, ofLogs(), ofBlocks())
    expect(await rowsOf(lake)).toEqual(await expected())
    const blocks = await query(
      lake,
      'SELECT count(*)::INT AS rows, count(DISTINCT block_number)::INT AS keys FROM evm_blocks',
    )
    expect(blocks).toEqual([{ rows: granite.length, keys: granite.length }])
  })

  test('stores each row once when filters overlap, without evm-blocks', async () => {
    const lake = newLake()
    const node = await serve()
    const half = Math.ceil(contracts.length / 2)
    await run(
      lake,
      node,
      ofLogs({ contracts: contracts.slice(0, half + 2) }),
      ofLogs({ contracts: contracts.slice(half - 2) }),
      ofLogs({ topics: [logs[0].topics[0]] }),
    )
    expect(await rowsOf(lake)).toEqual(await expected())
  })

  test('stores each row once when both run at the same time as a third run with other contracts', async () => {
    const lake = newLake()
    const slow = await serve({
      refuse: () => (Math.random() < 0.1 ? { status: 503, body: 'busy' } : undefined),
    })
    // The lake exists before the runs begin, so that they meet only at their commits.
    await run(lake, slow, ofBlocks({ to: 1 }))
    await Promise.all([
      run(lake, slow, ofBlocks({ unit: 11 })),
      run(lake, slow, ofLogs({ contracts: few })),
      run(lake, slow, ofLogs({ contracts: contracts.slice(1) })),
    ])
    expect(await rowsOf(lake)).toEqual(await expected())
  })
})

describe('evm-logs of the simulated network', () => {
  let node: Devnet
  const few = tokenContracts.slice(0, 3).map(({ address }) => address)
  beforeAll(async () => {
    node = await startDevnet({ seed: 31, blocks: 300, mostLogBlocks: 48 })
  })
  afterAll(() => node.close())

  const argumentsOf = (lake: string, pipeline: string, ...more: string[]) => [
    'run',
    pipeline,
    ...more,
    ...['--node-url', node.url, '--lake', lake, '--log-level', 'error'],
  ]
  const quietly = async (lake: string, pipeline: string, ...more: string[]): Promise<void> => {
    const { code, stderr } = await command(argumentsOf(lake, pipeline, ...more))
    expect(code, stderr).toBe(0)
  }

  test('leaves each row once after many kills, in turns with evm-blocks', async () => {
    const whole = newLake()
    await quietly(whole, 'evm-blocks')
    const lake = newLake()
    const deaths: [string, readonly string[]][] = [
      ['fetch.after#2', ['evm-logs', '--contracts', few.join(',')]],
      ['commit.after-coverage', ['evm-logs', '--contracts', few.join(','), '--to', '170']],
      ['commit.after-commit', ['evm-blocks', '--unit', '40']],
      ['write.after-fsync', ['evm-blocks', '--unit', '40']],
      ['commit.after-close#2', ['evm-blocks', '--unit', '40']],
      ['commit.after-files', ['evm-logs', '--contracts', few.join(',')]],
      ['commit.after-close', ['evm-logs']],
      ['commit.before-begin', ['evm-blocks', '--unit', '40']],
    ]
    for (const [point, [pipeline, ...more]] of deaths) {
      const { signal, stderr } = await command(argumentsOf(lake, pipeline!, ...more), { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
    }
    await quietly(lake, 'evm-logs', '--contracts', few.join(','))
    await quietly(lake, 'evm-blocks')
    await quietly(lake, 'evm-logs')
    expect(await rowsOf(lake)).toEqual(await rowsOf(whole))
  })

  test('stores the same logs as evm-blocks when processes run at the same time', async () => {
    const [whole, lake] = [newLake(), newLake()]
    await quietly(whole, 'evm-blocks')
    await quietly(lake, 'evm-blocks', '--to', '1')
    await Promise.all([
      quietly(lake, 'evm-blocks', '--unit', '20'),
      quietly(lake, 'evm-logs', '--contracts', few.join(',')),
      quietly(lake, 'evm-logs', '--topics', logs[0].topics[0]),
    ])
    expect(await rowsOf(lake)).toEqual(await rowsOf(whole))
  })
})
