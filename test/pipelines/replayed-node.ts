import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { assetsPipeline } from '../../pipelines/assets.ts'
import { blockchainsPipeline } from '../../pipelines/blockchains.ts'
import { blocksByIdPipeline } from '../../pipelines/blocks-by-id.ts'
import { evmStatePipeline } from '../../pipelines/evm-state.ts'
import { healthPipeline } from '../../pipelines/health.ts'
import { pFeesPipeline } from '../../pipelines/p-fees.ts'
import { subnetsPipeline } from '../../pipelines/subnets.ts'
import { supplyPipeline } from '../../pipelines/supply.ts'
import { transactionsByIdPipeline } from '../../pipelines/transactions-by-id.ts'
import { validatorsPipeline } from '../../pipelines/validators.ts'
import { validatorsAtPipeline } from '../../pipelines/validators-at.ts'
import { type RecordedCall, recordedCalls } from '../decode/node/calls.ts'
import { contextOf } from '../decode/recordings.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query } from '../run/lake-run.ts'

const primary = '11111111111111111111111111111111LpoYY'

/** Successful calls of a method in a recording. */
export function answered(recording: string, method: string): RecordedCall[] {
  return recordedCalls(method).filter((call) => call.recording === recording && call.refusal === null)
}

const named = (calls: readonly RecordedCall[], name: string): string[] => [
  ...new Set(calls.map(({ params }) => params[name]).filter((value) => value !== undefined)),
]

/** Tests that jobs over the state of a recorded node store its answers. */
export function describeReplayedNode(recording: 'granite' | 'helicon'): void {
  describe(`jobs over the state of a recorded node: ${recording}`, () => {
    const lake = newLake()
    const subnets = named(answered(recording, 'platform.getCurrentValidators'), 'subnetID')
    const supplySubnets = [
      primary,
      ...named(
        recordedCalls('platform.getCurrentSupply').filter((call) => call.recording === recording),
        'subnetID',
      ).filter((id) => id !== 'x'),
    ]
    const blockchains = named(answered(recording, 'platform.getBlockchainStatus'), 'blockchainID').filter(
      (id) => id.length > 1,
    )
    const assets = named(answered(recording, 'avm.getAssetDescription'), 'assetID').filter((id) => id !== 'AVAX')
    const xTxs = named(answered(recording, 'avm.getTx'), 'txID')
    const cTxs = named(answered(recording, 'avax.getAtomicTx'), 'txID')
    const pBlocks = named(answered(recording, 'platform.getBlock'), 'blockID')
    const xBlocks = named(answered(recording, 'avm.getBlock'), 'blockID')
    const [described] = answered(recording, 'platform.getSubnets')
    const [atHeight] = answered(recording, 'platform.getValidatorsAt')
    const jobs = [
      jobOf(validatorsPipeline, { subnets: [primary, ...subnets] }),
      jobOf(blockchainsPipeline, { 'blockchain-ids': blockchains }),
      jobOf(supplyPipeline, { subnets: supplySubnets }),
      jobOf(pFeesPipeline),
      jobOf(subnetsPipeline, { subnets: described!.params.ids }),
      jobOf(validatorsAtPipeline, { subnets: [primary], heights: [String(atHeight!.params.height)] }),
      jobOf(healthPipeline),
      jobOf(evmStatePipeline),
      jobOf(assetsPipeline, { 'asset-ids': [...assets, primary] }),
      jobOf(transactionsByIdPipeline, { 'tx-ids': [...xTxs, primary] }),
      { ...jobOf(transactionsByIdPipeline, { 'tx-ids': [...cTxs, primary], chain: 'C' }), name: 'atomic' },
      jobOf(blocksByIdPipeline, { 'block-ids': pBlocks, chain: 'P' }),
      { ...jobOf(blocksByIdPipeline, { 'block-ids': xBlocks, chain: 'X' }), name: 'x' },
      ...['P', 'X'].map((chain) => ({
        ...jobOf(blocksByIdPipeline, { 'block-ids': [primary], chain, encoding: 'json' }),
        name: `absent ${chain}`,
      })),
    ]
    let node: Devnet

    beforeAll(async () => {
      node = await startDevnet({ replay: recordingFolder(recording) })
      await exportLake({ node, lake, jobs })
    })
    afterAll(() => node.close())

    const count = async (sql: string): Promise<unknown> => Object.values((await query(lake, `select ${sql}`))[0]!)[0]

    test('store validators of every kind', async () => {
      const answers = answered(recording, 'platform.getCurrentValidators').filter(
        ({ params }) => params.subnetID !== undefined || Object.keys(params).length === 0,
      )
      const whole = new Map(answers.map(({ params, result }) => [params.subnetID ?? primary, result.validators]))
      const all = [...whole.values()].flat()
      const ofL1 = all.filter(({ validationID }) => validationID !== undefined)
      expect(await count('count(*) from node_validators_latest')).toBe(String(all.length - ofL1.length))
      expect(await count('count(*) from node_l1_validators_latest')).toBe(String(ofL1.length))
      const subjects = await query(lake, `select subject from observations where pipeline = 'validators' order by 1`)
      expect(subjects.map(({ subject }) => subject)).toEqual([...whole.keys()].map((id) => `subnet/${id}`).sort())
    })

    test('store all blockchains, and a status for those that the job names', async () => {
      const [call] = answered(recording, 'platform.getBlockchains')
      expect(await count('count(*) from node_blockchains_latest')).toBe(String(call!.result.blockchains.length + 1))
      const rows = await query(
        lake,
        'select blockchain_id, blockchain_status from node_blockchains_latest where blockchain_status is not null',
      )
      const expected = answered(recording, 'platform.getBlockchainStatus').filter(
        ({ params }) => params.blockchainID.length > 1,
      )
      expect(Object.fromEntries(rows.map((row) => [row['blockchain_id'], row['blockchain_status']]))).toEqual(
        Object.fromEntries(expected.map(({ params, result }) => [params.blockchainID, result.status])),
      )
      expect(
        await query(lake, `select blockchain_name from node_blockchains_latest where blockchain_id = '${primary}'`),
      ).toEqual([{ blockchain_name: null }])
    })

    test('store supplies, an error for each missing supply, and fees', async () => {
      const rows = await query(lake, 'select subnet_id, supply::varchar as supply, error from node_supply_latest')
      const supply = answered(recording, 'platform.getCurrentSupply')[0]!.result.supply
      const error = 'fetching current supply failed: not found'
      const none = supplySubnets.slice(1).map((subnet_id) => ({ subnet_id, supply: null, error }))
      expect(rows.sort(byId)).toEqual([{ subnet_id: primary, supply, error: null }, ...none].sort(byId))
      expect(
        await query(lake, 'select blockchain_id, tx_fee::int as a, create_asset_tx_fee::int as b from node_fees'),
      ).toEqual([{ blockchain_id: contextOf(recording, 'X').blockchainId, a: 1_000_000, b: 1_000_000 }])
    })

    test('store the fees of the P-Chain, subnets, and validators at a height', async () => {
      const [fees] = answered(recording, 'platform.getFeeState')
      expect(await count('price_per_gas::varchar from node_p_fees_latest')).toBe(String(fees!.result.price))
      expect(await count('fee_per_second::int from node_validator_fees_latest')).toBe(1)
      const rows = await query(lake, 'select subnet_id from node_subnets_latest order by 1')
      expect(rows.map(({ subnet_id }) => subnet_id)).toEqual([...described!.params.ids].sort())
      const set = await query(lake, 'select validator_count::int as n, height::int as height from node_validator_sets')
      const nodes = Object.keys(atHeight!.result)
      expect(set).toEqual([{ n: nodes.length, height: atHeight!.params.height }])
      expect(await count('count(*) from node_validators_at')).toBe(String(nodes.length))
    })

    test('store health in seven reports', async () => {
      const rows = await query(
        lake,
        'select endpoint, transport, status::int as status from node_health_reports_latest',
      )
      expect(rows.length).toBe(7)
      expect(rows.filter(({ transport }) => transport === 'rpc').map(({ status }) => status)).toEqual([200, 200, 200])
      expect(rows.filter(({ endpoint, transport }) => transport === 'get' && endpoint !== 'liveness')).toContainEqual({
        endpoint: 'root',
        transport: 'get',
        status: 503,
      })
      expect(await count('count(*) from node_health')).toBe(
        String(await count('sum(check_count)::bigint from node_health_reports')),
      )
    })

    test('store the state of the C-Chain as one row', async () => {
      expect(
        await query(lake, 'select chain_id, net_version, base_fee::int as fee from node_evm_state_latest'),
      ).toEqual([{ chain_id: '43112', net_version: '43112', fee: 1 }])
    })

    test('store assets, transactions and blocks, except those that the node does not know', async () => {
      expect(await count('count(*) from node_assets')).toBe(String(assets.length))
      expect(await count('count(*) from node_transactions')).toBe(String(xTxs.length + cTxs.length))
      expect(await count(`count(*) from node_transactions where tx_status = 'Accepted'`)).toBe(
        String(xTxs.length + cTxs.length),
      )
      expect(await count('count(*) from node_transactions where height is not null')).toBe(String(cTxs.length))
      expect(await count('count(*) from node_blocks')).toBe(String(pBlocks.length + xBlocks.length))
    })

    test('store a second observation and request no id again that has an answer', async () => {
      const before = await count('count(*) from node_transactions')
      await exportLake({ node, lake, jobs })
      expect(await count('count(*) from node_transactions')).toBe(before)
      expect(await count('count(distinct observation_id) from node_health_reports')).toBe('2')
      expect(await count('count(*) from node_health_reports_latest')).toBe('7')
    })
  })
}

type Row = Record<string, unknown>
const byId = (a: Row, b: Row): number => (String(a['subnet_id']) < String(b['subnet_id']) ? -1 : 1)
