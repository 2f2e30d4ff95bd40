import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { txpoolPipeline } from '../../pipelines/txpool.ts'
import { command, newLake, query, strayFiles } from '../run/lake-run.ts'
import { runState } from './state-runs.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 120 })
})
afterEach(() => node.setFaults(null))
afterAll(() => node.close())

const select =
  'SELECT * EXCLUDE (observation_id, observed_at) FROM node_txpool_latest ORDER BY pool, from_address, nonce'

test('the pool of the simulated node continues the nonces of its chain, and each run observes it again', async () => {
  const lake = newLake()
  const chain = `${node.url}/ext/bc/C/rpc`
  await runState(lake, chain, [[txpoolPipeline, {}]])
  const rows = await query(lake, select)
  expect(rows.length).toBeGreaterThan(4)
  for (const row of rows) {
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionCount', params: [row['from_address'], 'latest'] }
    const headers = { 'content-type': 'application/json' }
    const answer = (await (await fetch(chain, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as any
    expect(Number(row['nonce'])).toBe(Number(answer.result) + (row['pool'] === 'pending' ? 0 : 2))
  }
  node.setFaults({ every: 2, kinds: transientFaults, seed: 3 })
  await runState(lake, chain, [[txpoolPipeline, {}]])
  expect(await query(lake, select)).toEqual(rows)
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM node_txpool')).toEqual([{ n: rows.length * 2 }])
})

test('an observation is visible as a whole or not at all after kills', async () => {
  const lake = newLake()
  const args = ['run', 'txpool', '--node-url', node.url, '--lake', lake, '--log-level', 'error']
  for (const point of ['write.after-fsync', 'commit.after-files']) {
    const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
    expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
  }
  expect((await command(args)).code).toBe(0)
  const [counts] = await query(
    lake,
    'SELECT count(*)::INT AS n, count(DISTINCT (pool, from_address, nonce))::INT AS keys FROM node_txpool_latest',
  )
  expect(counts!['n']).toBe(counts!['keys'])
  expect(counts!['n']).toBeGreaterThan(4)
  expect(await strayFiles(lake)).toEqual([])
})
