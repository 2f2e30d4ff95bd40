import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { otherChains } from '../../devnet/x/other-chains.ts'
import { addressBalancesPipeline } from '../../pipelines/address-balances.ts'
import { blocksByIdPipeline } from '../../pipelines/blocks-by-id.ts'
import { transactionsByIdPipeline } from '../../pipelines/transactions-by-id.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import type { Job } from '../../src/run/job.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { lakeRows } from '../run/lake-rows.ts'
import { newLake } from '../run/lake-run.ts'

const seed = 11
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed, blocks: 30, assetChains: true })
})
afterAll(() => node.close())

const run = (lake: string, job: Job) => exportLake({ node, lake, threads: 2, jobs: [job] })

/** Output types that a chain with these feature extensions can have. */
const typesOf = {
  secp256k1fx: ['mint', 'transfer'],
  nftfx: ['nft_mint', 'nft_transfer'],
  propertyfx: ['property_mint', 'property_owned'],
} as const

describe.each(otherChains(seed).map((chain) => [chain.name, chain] as const))('%s', (_, { id: chain, fxs }) => {
  let lake: string
  beforeAll(async () => {
    lake = newLake()
    await run(lake, jobOf(xBlocksPipeline, { chain, source: 'rpc', unit: 25 }))
  })

  test('exports all its blocks, with outputs of all its types', async () => {
    const [blocks] = await lakeRows(
      lake,
      `SELECT count(*) AS n, max(height) AS top, any_value(blockchain_id) AS id FROM x_blocks`,
    )
    expect(blocks!['n']).toBeGreaterThan(100)
    expect(blocks).toMatchObject({ top: blocks!['n'], id: chain })
    const types = await lakeRows(lake, 'SELECT DISTINCT output_type FROM x_outputs')
    expect(types.map(({ output_type }) => output_type).sort()).toEqual(fxs.flatMap((fx) => [...typesOf[fx]]).sort())
  })

  test('lists exactly the UTXOs that its blocks leave unspent', async () => {
    const addresses = (await lakeRows(lake, 'SELECT DISTINCT unnest(addresses) AS a FROM x_outputs')).map(({ a }) => a)
    await run(lake, jobOf(utxoSetPipeline, { chain, addresses }))
    const columns = 'utxo_id, output_type, asset_id, amount::VARCHAR AS amount, group_id, payload'
    const listed = await lakeRows(
      lake,
      `SELECT ${columns} FROM node_utxos WHERE tx_id IN (SELECT tx_id FROM x_transactions) ORDER BY 1`,
    )
    expect(listed.length).toBeGreaterThan(100)
    expect(listed).toEqual(await lakeRows(lake, `SELECT ${columns} FROM x_unspent ORDER BY 1`))
  })

  test('matches the node when verify compares the lake with it', async () => {
    const { findings, remarks } = await verifyLake({
      lake: { folder: lake },
      fast: true,
      node: { nodeUrl: node.url, sample: 10 },
    })
    expect(findings).toEqual([])
    expect(remarks.map(({ message }) => message).join(' ')).toContain(`xvm.getUTXOs of ${chain}`)
  })

  test('exports transactions and blocks by their ids', async () => {
    const ids = await lakeRows(lake, 'SELECT tx_id, tx_type, block_id FROM x_transactions ORDER BY tx_id')
    await run(lake, jobOf(transactionsByIdPipeline, { chain, 'tx-ids': ids.map(({ tx_id }) => tx_id) }))
    await run(lake, jobOf(blocksByIdPipeline, { chain, 'block-ids': ids.map(({ block_id }) => block_id) }))
    const txs = await lakeRows(lake, 'SELECT tx_id, tx_type FROM node_transactions ORDER BY 1')
    expect(txs).toEqual(ids.map(({ tx_id, tx_type }) => ({ tx_id, tx_type })))
    const [compared] = await lakeRows(
      lake,
      `SELECT count(*) AS n, count(*) FILTER (node.height = own.height AND node.tx_count = own.tx_count) AS same
       FROM x_blocks AS own JOIN node_blocks AS node USING (block_id)`,
    )
    expect(compared!['n']).toBeGreaterThan(100)
    expect(compared!['same']).toBe(compared!['n'])
  })

  test('reports its fee asset by an alias, and the lake stores the id of that asset', async () => {
    const [owner] = await lakeRows(
      lake,
      `SELECT addresses[1] AS a, sum(amount)::VARCHAR AS sum FROM node_utxos
       WHERE output_type = 'transfer' AND len(addresses) = 1 AND locktime = 0 AND asset_id = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
       GROUP BY 1 ORDER BY 1 LIMIT 1`,
    )
    await run(lake, jobOf(addressBalancesPipeline, { chain, addresses: [owner!['a']] }))
    const rows = await lakeRows(
      lake,
      "SELECT asset_id, balance::VARCHAR AS sum FROM node_balances WHERE asset = 'feeasset'",
    )
    expect(rows).toEqual([{ asset_id: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe', sum: owner!['sum'] }])
  })
})
