import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { addressBalancesPipeline } from '../../pipelines/address-balances.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { rewardsUtxosPipeline } from '../../pipelines/rewards-utxos.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { resolveJob } from '../../src/cli/jobs/jobs.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { isSkipped } from '../../src/run/jobs/run-groups.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { newLake, query } from '../run/lake-run.ts'

type Node = Awaited<ReturnType<typeof startDevnet>>

/** Runs jobs like the command line does: lists that are not given come from the current lake. */
async function runJobs(node: Node, lake: string, ...jobs: readonly (readonly [Pipeline, object?])[]) {
  const results = []
  for (const [pipeline, given = {}] of jobs) {
    const request = { kind: 'requested', name: pipeline.name, pipeline, given: { ...given } } as const
    const job = await resolveJob(request, { folder: lake })
    if (isSkipped(job)) throw new Error(`${pipeline.name} is skipped`)
    const run = { nodeUrl: node.url, lake: { folder: lake }, stop: new AbortController().signal, emit: () => undefined }
    results.push(...(await runPipelines({ ...run, jobs: [job] })).jobs)
  }
  return results
}

const containers = [[pBlocksPipeline], [xBlocksPipeline], [xTransactionsPipeline], [cBlocksPipeline]] as const

describe.each([
  { dialect: 'spec', seed: 5, legacy: false, limit: 1024 },
  { dialect: 'node', seed: 6, legacy: true, limit: 50 },
] as const)('the simulated network ($dialect, legacy: $legacy)', ({ limit, ...options }) => {
  const lake = newLake()
  let node: Node

  beforeAll(async () => {
    node = await startDevnet({ ...options, blocks: 3_000 })
    await runJobs(node, lake, ...containers, [rewardsUtxosPipeline])
    for (const chain of ['P', 'X']) await runJobs(node, lake, [utxoSetPipeline, { chain, limit }])
    await runJobs(node, lake, [utxoSetPipeline, { chain: 'P', 'source-chain': 'X' }])
    await runJobs(node, lake, [utxoSetPipeline, { chain: 'P', 'source-chain': 'C' }])
    await runJobs(node, lake, [utxoSetPipeline, { chain: 'X', 'source-chain': 'P' }])
    await runJobs(node, lake, [utxoSetPipeline, { chain: 'C', 'source-chain': 'P', limit: 5 }])
    await runJobs(node, lake, [addressBalancesPipeline, { chain: 'P' }], [addressBalancesPipeline, { chain: 'X' }])
  })
  afterAll(() => node.close())

  test.each(['p', 'x'])('%s_utxos has the same rows as the node lists', async (chain) => {
    const columns = `utxo_id, tx_id, output_index, asset_id, amount, addresses, threshold, locktime
      ${chain === 'p' ? ', stakeable_locktime' : ', output_type, group_id, payload'}`
    const listed = `SELECT ${columns} FROM node_utxos_latest
      JOIN chains USING (network, blockchain_id) WHERE alias = '${chain.toUpperCase()}' AND source_chain_id IS NULL`
    const [row] = await query(
      lake,
      `SELECT (SELECT count(*) FROM (${listed})) AS listed,
         (SELECT count(*) FROM (SELECT ${columns} FROM ${chain}_utxos EXCEPT ${listed})) AS too_many,
         (SELECT count(*) FROM (${listed} EXCEPT SELECT ${columns} FROM ${chain}_utxos)) AS missing`,
    )
    expect(row).toMatchObject({ too_many: '0', missing: '0' })
    expect(Number(row?.['listed'])).toBeGreaterThan(500)
  })

  test('state outputs have every origin, are in no container and have no duplicates', async () => {
    const origins = await query(lake, 'SELECT origin, count(*) AS n FROM p_state_outputs GROUP BY ALL ORDER BY 1')
    expect(origins.map(({ origin }) => origin)).toEqual(['refund', 'reward'])
    const [row] = await query(
      lake,
      `SELECT (SELECT count(*) - count(DISTINCT utxo_id) FROM p_state_outputs) AS again,
         (SELECT count(*) FROM p_state_outputs SEMI JOIN p_outputs USING (network, utxo_id)) AS in_containers,
         (SELECT count(*) FROM x_state_outputs SEMI JOIN x_outputs USING (network, utxo_id)) AS in_x_containers,
         (SELECT count(*) FROM p_state_outputs WHERE origin = 'reward' AND staked_tx_id IS NULL) AS of_nothing,
         (SELECT count(*) FROM p_utxo_spans WHERE kind = 'state' AND height IS NULL) AS of_no_time`,
    )
    expect(row).toEqual({ again: '0', in_containers: '0', in_x_containers: '0', of_nothing: '0', of_no_time: '0' })
  })

  test('the node lists an export of another chain until it is imported', async () => {
    let waiting = 0
    for (const [chain, source, exports] of [
      ['P', 'X', 'x_outputs'],
      ['P', 'C', 'c_atomic_outputs'],
      ['X', 'P', 'p_outputs'],
      ['C', 'P', 'p_outputs'],
    ]) {
      const listed = `SELECT utxo_id FROM node_utxos_latest AS utxo
        JOIN chains AS own ON own.blockchain_id = utxo.blockchain_id AND own.alias = '${chain}'
        JOIN chains AS source ON source.blockchain_id = utxo.source_chain_id AND source.alias = '${source}'`
      const transactions = {
        x_outputs: 'x_transactions',
        p_outputs: 'p_transactions',
        c_atomic_outputs: 'c_atomic_transactions',
      }
      const imports = { P: 'p_inputs', X: 'x_inputs', C: 'c_atomic_inputs' }[chain!]
      const left = `SELECT output.utxo_id FROM ${exports} AS output
        JOIN ${transactions[exports as 'x_outputs']} AS transaction USING (network, tx_id)
        JOIN chains ON chains.blockchain_id = transaction.destination_chain_id AND alias = '${chain}'
        ANTI JOIN ${imports} AS input ON input.source_tx_id = output.tx_id AND input.source_output_index = output.output_index
        WHERE output.kind = 'export'`
      const [row] = await query(
        lake,
        `SELECT (SELECT count(*) FROM (${listed})) AS n, (SELECT count(*) FROM (${listed} EXCEPT ${left})) AS too_many,
           (SELECT count(*) FROM (${left} EXCEPT ${listed})) AS missing`,
      )
      expect(row, `${source} to ${chain}`).toMatchObject({ too_many: '0', missing: '0' })
      waiting += Number(row?.['n'])
    }
    expect(waiting).toBeGreaterThan(0)
  })

  test('balances on the P-Chain equal the sums of p_utxos at the time of the chain, by lock', async () => {
    const now = '(SELECT max(epoch(known_time)) FROM p_block_times)'
    const sums = `SELECT address, asset_id, least(sum(amount), 18446744073709551615) AS balance,
        sum(CASE WHEN locktime <= ${now} AND coalesce(stakeable_locktime, 0) <= ${now} THEN amount ELSE 0 END) AS unlocked,
        sum(CASE WHEN locktime <= ${now} AND stakeable_locktime > ${now} THEN amount ELSE 0 END) AS locked_stakeable,
        sum(CASE WHEN locktime > ${now} THEN amount ELSE 0 END) AS locked_not_stakeable
      FROM (SELECT *, unnest(addresses) AS address FROM p_utxos) GROUP BY ALL`
    await expectSame('P', sums, 'address, asset_id, balance, unlocked, locked_stakeable, locked_not_stakeable')
  })

  test('balances on the X-Chain equal the sums of unlocked outputs with one owner', async () => {
    const now = '(SELECT max(epoch(block_time)) FROM x_blocks)'
    const sums = `SELECT addresses[1] AS address, asset_id, least(sum(amount), 18446744073709551615) AS balance
      FROM x_utxos WHERE output_type = 'transfer' AND len(addresses) = 1 AND locktime <= ${now} GROUP BY ALL`
    await expectSame('X', sums, 'address, asset_id, balance')
    const aliases = await query(lake, "SELECT DISTINCT asset_id FROM node_balances WHERE asset = 'AVAX'")
    expect(aliases).toEqual(await query(lake, "SELECT native_asset_id AS asset_id FROM chains WHERE alias = 'X'"))
  })

  async function expectSame(chain: string, sums: string, columns: string): Promise<void> {
    const told = `SELECT ${columns} FROM node_balances_latest JOIN chains USING (network, blockchain_id) WHERE alias = '${chain}'`
    const [row] = await query(
      lake,
      `SELECT (SELECT count(*) FROM (${told})) AS told, (SELECT count(*) FROM (${told} EXCEPT SELECT ${columns} FROM (${sums}))) AS too_many,
         (SELECT count(*) FROM (SELECT ${columns} FROM (${sums}) EXCEPT ${told})) AS missing`,
    )
    expect(row).toMatchObject({ too_many: '0', missing: '0' })
    expect(Number(row?.['told'])).toBeGreaterThan(50)
  }

  test.each([400, 2_600])('the ledgers below height %i equal the unspent outputs there', async (height) => {
    const then = newLake()
    await runJobs(node, then, [pBlocksPipeline, { to: height }], [xTransactionsPipeline])
    await runJobs(node, then, [xBlocksPipeline, { to: height }], [rewardsUtxosPipeline])
    for (const chain of ['P', 'X']) await runJobs(node, then, [utxoSetPipeline, { chain }])
    for (const chain of ['p', 'x']) {
      const ledger = `SELECT address, asset_id, sum(amount)::VARCHAR AS amount FROM ${chain}_ledger
        WHERE height < ${height} OR height IS NULL GROUP BY ALL HAVING sum(amount) <> 0 ORDER BY ALL`
      const unspent = `SELECT address, asset_id, sum(amount)::VARCHAR AS amount
        FROM (SELECT *, unnest(addresses) AS address FROM ${chain}_utxos) GROUP BY ALL HAVING sum(amount) <> 0 ORDER BY ALL`
      const found = await query(lake, ledger)
      expect(found.length).toBeGreaterThan(10)
      expect(found).toEqual(await query(then, unspent))
    }
  })

  test('the ledgers contain every kind of entry', async () => {
    const words = async (chain: string) =>
      (await query(lake, `SELECT DISTINCT entry FROM ${chain}_ledger ORDER BY 1`)).map(({ entry }) => entry)
    expect(await words('p')).toEqual([
      'change',
      'credit',
      'credit atomic',
      'credit staking set',
      'debit',
      'debit atomic',
      'debit staking set',
      'reward',
    ])
    expect(await words('x')).toEqual(['change', 'credit', 'credit atomic', 'debit', 'debit atomic'])
  })

  test('the ledger has the right staked amount, and every atomic entry names the other chain', async () => {
    const [row] = await query(
      lake,
      `SELECT
         (SELECT sum(staking_amount) FROM p_ledger) = (SELECT sum(amount * len(addresses)) FROM p_utxo_spans
           WHERE staked_height IS NOT NULL AND height IS NULL) AS staked,
         (SELECT count(*) FROM p_ledger WHERE entry = 'debit atomic')
           = (SELECT count(*) FROM p_inputs WHERE kind = 'import') AS imported,
         (SELECT count(*) FROM p_ledger WHERE other_chain_id IS NULL AND entry LIKE '%atomic') AS from_nowhere`,
    )
    expect(row).toMatchObject({ staked: true, from_nowhere: '0' })
  })

  test('a second run requests no reward again and stores no output twice', async () => {
    const before = await query(lake, 'SELECT count(*) AS n FROM p_state_outputs')
    const [rewards, utxos] = await runJobs(node, lake, [rewardsUtxosPipeline], [utxoSetPipeline, { chain: 'P' }])
    expect(rewards).toMatchObject({ pages: 0, upToDate: true })
    expect(utxos).toMatchObject({ upToDate: false })
    expect(await query(lake, 'SELECT count(*) AS n FROM p_state_outputs')).toEqual(before)
    expect(
      await query(lake, 'SELECT count(DISTINCT observation_id) AS n FROM node_utxos WHERE source_chain_id IS NULL'),
    ).toEqual([{ n: '3' }])
  })
})
