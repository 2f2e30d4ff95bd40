import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { evmBalancesPipeline } from '../../pipelines/evm-balances.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmCallsPipeline } from '../../pipelines/evm-calls.ts'
import { evmCodesPipeline } from '../../pipelines/evm-codes.ts'
import { evmNoncesPipeline } from '../../pipelines/evm-nonces.ts'
import { evmStoragePipeline } from '../../pipelines/evm-storage.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { command, newLake, query, strayFiles } from '../run/lake-run.ts'
import { listOf } from '../run/lists/devnet-jobs.ts'
import { runState } from './state-runs.ts'

describe('the state of the simulated chain', () => {
  let node: Devnet
  let addresses: string[]
  let contracts: string[]
  let chain: string
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 130 })
    chain = `${node.url}/ext/bc/C/rpc`
    addresses = (await listOf(node, 'evm')).slice(0, 6)
    contracts = (await listOf(node, 'contracts')).slice(0, 3)
  })
  afterEach(() => node.setFaults(null))
  afterAll(() => node.close())

  const supply = '0x2'
  const totalSupply = 'function totalSupply() view returns (uint256)'
  const balanceOf = 'function balanceOf(address) view returns (uint256)'
  const jobs = (values: object) =>
    [
      [evmBalancesPipeline, { addresses, ...values }],
      [evmNoncesPipeline, { addresses, ...values }],
      [evmCodesPipeline, { addresses: contracts, ...values }],
      [evmStoragePipeline, { addresses: contracts, slots: [supply, '0x0'], ...values }],
      [evmCallsPipeline, { contracts, calls: [totalSupply, balanceOf], arguments: addresses.slice(0, 2), ...values }],
    ] as const
  const tables = ['evm_balances', 'evm_nonces', 'evm_codes', 'evm_storage', 'evm_calls']
  const rowsOf = async (lake: string) => {
    const found: unknown[] = []
    for (const table of tables) found.push(await query(lake, `SELECT * FROM ${table} ORDER BY ALL`))
    expect(await strayFiles(lake)).toEqual([])
    return found as any[][]
  }

  test('has the same rows from a range with a step as from listed blocks, and both store each row once', async () => {
    const [range, listed, both] = [newLake(), newLake(), newLake()]
    const every = Array.from({ length: 14 }, (_, at) => String(at * 10))
    await runState(range, chain, jobs({ step: 10 }))
    await runState(listed, chain, jobs({ blocks: every.filter((block) => Number(block) <= 130) }))
    await runState(both, chain, jobs({ blocks: ['20', '50', '60'] }))
    await runState(both, chain, jobs({ step: 30, to: 100 }))
    await runState(both, chain, jobs({ step: 10 }))
    const rows = await rowsOf(range)
    expect(rows.map(({ length }) => length)).toEqual([6 * 14, 6 * 14, 3 * 14, 3 * 2 * 14, 3 * 3 * 14])
    expect(await rowsOf(listed)).toEqual(rows)
    // Blocks 30, 60 and 90 come twice from ranges, and 0, 20 … from lists.
    expect(await rowsOf(both)).toEqual(rows)
    expect((await runState(range, chain, jobs({ step: 10 }))).every(({ upToDate }) => upToDate)).toBe(true)
  })

  test('reads only new subjects and new blocks, in requests that subjects share', async () => {
    const [lake, whole] = [newLake(), newLake()]
    await runState(whole, chain, [[evmBalancesPipeline, { addresses, step: 5 }]])
    await runState(lake, chain, [[evmBalancesPipeline, { addresses: addresses.slice(0, 2), step: 5, to: 60 }]])
    await runState(lake, chain, [[evmBalancesPipeline, { addresses, step: 5 }]])
    const select = 'SELECT * FROM evm_balances ORDER BY ALL'
    expect(await query(lake, select)).toEqual(await query(whole, select))
  })

  test('agrees with the blocks of the lake, and verify finds nothing wrong', async () => {
    const lake = newLake()
    await runState(lake, chain, [[evmBlocksPipeline, {}], ...jobs({ step: 20 }), ...jobs({ blocks: ['7', '20'] })])
    const { findings } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toEqual([])
    const [row] = await query(
      lake,
      `SELECT count(*)::INT AS n FROM evm_balances b JOIN evm_blocks USING (network, chain_id, block_number, block_hash, block_time)`,
    )
    expect(row).toEqual({ n: 6 * 8 })
    // The supply that a token returns is the one in its storage.
    const supplies = await query(
      lake,
      `SELECT outputs, slot_value FROM evm_calls c
       JOIN evm_storage s ON s.address = c.contract AND s.block_number = c.block_number AND s.slot LIKE '%2'
       WHERE c.status = 'ok' AND c.function LIKE '%totalSupply%'`,
    )
    expect(supplies.length).toBeGreaterThan(5)
    for (const { outputs, slot_value: slot } of supplies)
      expect(JSON.parse(outputs as string)).toEqual([String(BigInt(slot as string))])
  })

  test('has the same rows when requests fail for a while', async () => {
    const [lake, whole] = [newLake(), newLake()]
    await runState(whole, chain, jobs({ step: 10 }))
    node.setFaults({ every: 4, kinds: transientFaults, seed: 3 })
    await runState(lake, chain, jobs({ step: 10 }))
    node.setFaults(null)
    expect(await rowsOf(lake)).toEqual(await rowsOf(whole))
  })

  test.each([
    ['a range', ['--step', '2']],
    ['listed blocks', ['--blocks', Array.from({ length: 60 }, (_, at) => at * 2).join(','), '--unit-pages', '50']],
  ])('has each row once after many kills of jobs with %s', async (_, blocks) => {
    const [lake, whole] = [newLake(), newLake()]
    const args = (folder: string, own: readonly string[]) => [
      ...['run', 'evm-balances', '--addresses', own.join(','), ...blocks],
      ...['--node-url', node.url, '--lake', folder, '--log-level', 'error'],
    ]
    const quietly = async (folder: string): Promise<void> => {
      const { code, stderr } = await command(args(folder, addresses))
      expect(code, stderr).toBe(0)
    }
    await quietly(whole)
    const deaths: [string, readonly string[]][] = [
      ['fetch.after#2', addresses.slice(0, 2)],
      ['write.after-fsync', addresses.slice(0, 2)],
      ['commit.after-coverage', addresses.slice(0, 2)],
      ['commit.after-commit', addresses.slice(0, 4)],
      ['commit.after-files', addresses],
      ['commit.after-close', addresses.slice(3)],
    ]
    for (const [point, own] of deaths) {
      // Listed blocks have no coverage and no windows.
      if (blocks[0] === '--blocks' && /^fetch|coverage/.test(point)) continue
      const { signal, stderr } = await command(args(lake, own), { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
    }
    await quietly(lake)
    const select = 'SELECT * FROM evm_balances ORDER BY ALL'
    expect(await query(lake, select)).toEqual(await query(whole, select))
    expect(await strayFiles(lake)).toEqual([])
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
  })
})
