import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { tokenContracts } from '../../devnet/c/contracts.ts'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { evmTokensPipeline } from '../../pipelines/evm-tokens.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { command, newLake, query, strayFiles } from '../run/lake-run.ts'
import { runState } from './state-runs.ts'

describe('the tokens of the simulated chain', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 200 })
  })
  afterEach(() => node.setFaults(null))
  afterAll(() => node.close())

  const argumentsOf = (lake: string, ...jobs: readonly string[]) => [
    ...['run', ...jobs, '--node-url', node.url, '--lake', lake, '--log-level', 'error'],
  ]
  const quietly = async (lake: string, ...jobs: readonly string[]): Promise<void> => {
    const { code, stderr } = await command(argumentsOf(lake, ...jobs))
    expect(code, stderr).toBe(0)
  }
  const tokensOf = (lake: string) =>
    query(lake, 'SELECT * EXCLUDE (block_number, block_time, block_hash) FROM evm_tokens ORDER BY ALL')

  test('of the lake are read once each, with what the contracts return', async () => {
    const lake = newLake()
    await quietly(lake, 'evm-blocks', '--to', '60')
    await quietly(lake, 'evm-tokens')
    const before = await tokensOf(lake)
    await quietly(lake, 'evm-blocks')
    await quietly(lake, 'evm-tokens')
    await quietly(lake, 'evm-tokens')
    const rows = await tokensOf(lake)
    expect(rows).toEqual(expect.arrayContaining(before))
    const known = await query(lake, 'SELECT DISTINCT token_address, standard FROM evm_token_transfers ORDER BY 1')
    const transfers = await query(
      lake,
      'SELECT token_address, from_address, to_address, amount_raw FROM evm_token_transfers',
    )
    const nowhere = `0x${'0'.repeat(40)}`
    const supplyOf = (token: unknown) =>
      transfers
        .filter((each) => each['token_address'] === token)
        .map(({ from_address: from, to_address: to, amount_raw: amount }) => {
          const moved = BigInt(amount as string)
          return (from === nowhere ? moved : 0n) - (to === nowhere ? moved : 0n)
        })
        .reduce((sum, each) => sum + each, 0n)
    expect(rows.map((row) => row['token_address'])).toEqual(known.map((row) => row['token_address']))
    expect(rows.length).toBeGreaterThan(2)
    for (const [at, row] of rows.entries()) {
      const { name, symbol } = tokenContracts.find(({ address }) => address === row['token_address'])!
      expect(row).toMatchObject({ name, symbol, name_form: 'string', name_error: null })
      const { standard } = known[at]!
      const supply = String(supplyOf(row['token_address']))
      if (standard === 'erc20') expect(row).toMatchObject({ total_supply_raw: supply, decimals_form: 'uint256' })
      else expect(row).toMatchObject({ total_supply_raw: null, decimals_error: 'execution reverted' })
    }
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
  })

  test('are each read once after kills', async () => {
    const lake = newLake()
    await quietly(lake, 'evm-blocks')
    for (const point of ['write.after-fsync', 'commit.after-commit', 'commit.after-close#2']) {
      const args = argumentsOf(lake, 'evm-tokens', '--unit-pages', '1')
      const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
    }
    await quietly(lake, 'evm-tokens')
    const [counts] = await query(
      lake,
      `SELECT count(*)::INT AS rows, count(DISTINCT token_address)::INT AS tokens,
         (SELECT count(DISTINCT token_address) FROM evm_token_transfers)::INT AS known FROM evm_tokens`,
    )
    expect(counts).toEqual({ rows: counts!['known'], tokens: counts!['known'], known: counts!['known'] })
    expect(await strayFiles(lake)).toEqual([])
  })

  test('have the same rows at every n-th block when requests fail for a while', async () => {
    const [lake, whole] = [newLake(), newLake()]
    const chain = `${node.url}/ext/bc/C/rpc`
    const jobs = [[evmTokensPipeline, { tokens: tokenContracts.map(({ address }) => address), step: 40 }]] as const
    await runState(whole, chain, jobs)
    node.setFaults({ every: 3, kinds: transientFaults, seed: 3 })
    await runState(lake, chain, jobs)
    const select = 'SELECT * FROM evm_tokens ORDER BY ALL'
    expect(await query(lake, select)).toEqual(await query(whole, select))
    expect((await query(lake, select)).length).toBe(tokenContracts.length * 6)
  })
})
