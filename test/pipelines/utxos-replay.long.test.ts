import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { addressBalancesPipeline } from '../../pipelines/address-balances.ts'
import { rewardsUtxosPipeline } from '../../pipelines/rewards-utxos.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import type { Pipeline } from '../../src/define/index.ts'
import type { Job } from '../../src/run/job.ts'
import { recordedCalls } from '../decode/node/calls.ts'
import { contextOf } from '../decode/recordings.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake, query } from '../run/lake-run.ts'

const requested = (recording: string, method: string) =>
  recordedCalls(method).filter((call) => call.recording === recording && call.refusal === null)

const job = (name: string, pipeline: Pipeline, values: object): Job => ({ name, pipeline, values: { ...values } })

describe('jobs over UTXOs of a recorded node', () => {
  const lake = newLake()
  const addresses: string[] = requested('live', 'platform.getBalance')[0]!.params.addresses
  let node: Devnet

  beforeAll(async () => {
    node = await startDevnet({ replay: recordingFolder('live') })
    await exportLake({
      node,
      lake,
      networkId: 12_345,
      jobs: [
        job('p', utxoSetPipeline, { addresses, limit: 5 }),
        job('x', utxoSetPipeline, { addresses, limit: 5, chain: 'X' }),
        job('p-from-x', utxoSetPipeline, { addresses, 'source-chain': 'X' }),
        job('c-from-x', utxoSetPipeline, { addresses, chain: 'C', 'source-chain': 'X' }),
        job('balances', addressBalancesPipeline, { addresses }),
      ],
    })
  })
  afterAll(() => node.close())

  test.each([
    ['P', 'platform.getUTXOs'],
    ['X', 'avm.getUTXOs'],
  ])('%s: pages of five have the same UTXOs as one page of 1,024, without duplicates', async (alias, method) => {
    const whole = requested('live', method).find(({ params }) => params.limit === 1024 && !params.sourceChain)!
    const rows = await query(
      lake,
      `select count(*) as n, count(distinct utxo_id) as utxos, any_value(subject) as subject from node_utxos_latest
       join chains using (network, blockchain_id) where alias = '${alias}'`,
    )
    const { utxos } = whole.result
    const subject = `utxo-set/${alias}?addresses=${addresses[0]!.slice(2)}`
    expect(rows).toEqual([{ n: String(utxos.length), utxos: String(utxos.length), subject }])
  })

  test('store the genesis output, which is in no container', async () => {
    expect(await query(lake, `select tx_id, origin, addresses from p_state_outputs where origin = 'genesis'`)).toEqual([
      { tx_id: '11111111111111111111111111111111LpoYY', origin: 'genesis', addresses: [addresses[0]!.slice(2)] },
    ])
  })

  test('store an observation without rows when the other chain exported nothing', async () => {
    const subjects = await query(lake, `select subject from observations where pipeline = 'utxo-set' order by 1`)
    expect(subjects).toHaveLength(4)
    expect(await query(lake, 'select count(*) as n from node_utxos where source_chain_id is not null')).toEqual([
      { n: '0' },
    ])
  })

  test('store a balance that equals the sum of the UTXOs', async () => {
    const [row] = await query(
      lake,
      `select balance, unlocked, len(utxo_ids)::int as utxos,
         (select sum(amount)::varchar from node_utxos_latest where blockchain_id = balances.blockchain_id) as sum
       from node_balances_latest as balances`,
    )
    expect(row).toMatchObject({ balance: row?.['sum'], unlocked: row?.['sum'], utxos: 26 })
  })
})

describe('balances of a recorded X-Chain', () => {
  const lake = newLake()
  const { nativeAssetId } = contextOf('granite', 'X')
  const all = requested('granite', 'avm.getAllBalances')
  const one = requested('granite', 'avm.getBalance')
  const addresses = all.map(({ params }) => params.address)
  const assets = [...new Set(one.map(({ params }) => params.assetID))]
  let node: Devnet

  beforeAll(async () => {
    node = await startDevnet({ replay: recordingFolder('granite') })
    await exportLake({
      node,
      lake,
      jobs: [
        job('all', addressBalancesPipeline, { chain: 'X', addresses }),
        job('by-asset', addressBalancesPipeline, { chain: 'X', addresses, assets }),
      ],
    })
  })
  afterAll(() => node.close())

  test('of all assets are stored under the asset id and under the name from the node', async () => {
    // Not from the view of the latest balances: newer readings by asset replace some of these there.
    const rows = await query(
      lake,
      `select address, asset, asset_id, balance from node_balances where utxo_ids is null order by all`,
    )
    const expected = all.flatMap(({ params, result }) =>
      result.balances.map(({ asset, balance }: { asset: string; balance: string }) => ({
        address: params.address.slice(2),
        asset,
        asset_id: asset === 'AVAX' ? nativeAssetId : asset,
        balance,
      })),
    )
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set(expected.map((row: object) => JSON.stringify(row))),
    )
  })

  test('of single assets are stored once, whatever name the job uses for the asset', async () => {
    const rows = await query(
      lake,
      `select address, asset_id, balance, len(utxo_ids)::int as utxos from node_balances_latest
       where utxo_ids is not null order by all`,
    )
    const expected = one.map(({ params, result }) => ({
      address: params.address.slice(2),
      asset_id: params.assetID === 'AVAX' ? nativeAssetId : params.assetID,
      balance: result.balance,
      utxos: (result.utxoIDs ?? []).length,
    }))
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(new Set(expected.map((row) => JSON.stringify(row))))
    expect(rows).toHaveLength(new Set(expected.map((row) => JSON.stringify(row))).size)
  })
})

describe('rewards of a recorded node', () => {
  const lake = newLake()
  const rewards = requested('granite', 'platform.getRewardUTXOs')
  const paying = rewards.filter(({ result }) => result.utxos.length > 0)
  let node: Devnet

  beforeAll(async () => {
    node = await startDevnet({ replay: recordingFolder('granite') })
  })
  afterAll(() => node.close())

  const askFor = (items: readonly string[]) =>
    exportLake({ node, lake, jobs: [job('rewards', rewardsUtxosPipeline, { 'tx-ids': items })] })

  const rows = () =>
    query(
      lake,
      `select count(*) as n, sum(len(utxo_ids))::int as paid,
         (select count(*) from p_state_outputs where origin = 'reward') as outputs from node_reward_utxos`,
    )

  test('are requested once; unpaid ones are stored when the node has the deciding block, and not requested again', async () => {
    const paid = paying.flatMap(({ result }) => result.utxos).length
    await askFor(rewards.map(({ params }) => params.txID))
    expect(await rows()).toEqual([{ n: String(paying.length), paid, outputs: String(paid) }])
    await askFor(rewards.map(({ params }) => `${params.txID}@1`))
    expect(await rows()).toEqual([{ n: String(rewards.length), paid, outputs: String(paid) }])
    expect([paying.length > 0, rewards.length > paying.length]).toEqual([true, true])
    const { events } = await askFor(rewards.map(({ params }) => params.txID))
    expect(events.filter(({ kind }) => kind === 'committed')).toEqual([])
  })
})
