import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keccak256 } from '../../codec/keccak.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { assetsPipeline } from '../../pipelines/assets.ts'
import { blockchainsPipeline } from '../../pipelines/blockchains.ts'
import { blocksByIdPipeline } from '../../pipelines/blocks-by-id.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmProofsPipeline } from '../../pipelines/evm-proofs.ts'
import { evmStatePipeline } from '../../pipelines/evm-state.ts'
import { healthPipeline } from '../../pipelines/health.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { pFeesPipeline } from '../../pipelines/p-fees.ts'
import { subnetsPipeline } from '../../pipelines/subnets.ts'
import { supplyPipeline } from '../../pipelines/supply.ts'
import { transactionsByIdPipeline } from '../../pipelines/transactions-by-id.ts'
import { validatorsPipeline } from '../../pipelines/validators.ts'
import { validatorsAtPipeline } from '../../pipelines/validators-at.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import type { nodeEvmProofs } from '../../schemas/node-state.ts'
import type { RowOf } from '../../src/define/index.ts'
import type { Job } from '../../src/run/job.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { lakeRows } from '../run/lake-rows.ts'
import { newLake, query } from '../run/lake-run.ts'
import { settledRows } from '../run/lists/devnet-jobs.ts'

type NodeEvmProof = RowOf<typeof nodeEvmProofs>

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 11, blocks: 1_500 })
})
afterAll(() => node.close())

const run = (lake: string, ...jobs: readonly Job[]) => exportLake({ node, lake, jobs })

async function column(lake: string, sql: string): Promise<string[]> {
  return (await query(lake, sql)).map((row) => String(Object.values(row)[0]))
}

describe('a lake of the simulated network', () => {
  const lake = newLake()
  let subnets: string[]
  beforeAll(async () => {
    await run(lake, jobOf(pBlocksPipeline), jobOf(xBlocksPipeline))
    const own = `select tx_id from p_transactions where tx_type = 'CreateSubnetTx' order by tx_id`
    subnets = ['11111111111111111111111111111111LpoYY', ...(await column(lake, own))]
  })

  const validators = () => jobOf(validatorsPipeline, { subnets, delegators: true })

  test('has as many delegators of each validator as the validator counts', async () => {
    await run(lake, validators())
    const rows = await query(
      lake,
      `select delegator_count::int as counted, delegator_weight::varchar as weight, count(d.tx_id)::int as found,
              coalesce(sum(d.weight), 0)::varchar as found_weight, bool_and(d.start_time >= v.start_time) as inside
       from node_validators_latest v left join node_delegators_latest d using (subnet_id, node_id)
       where delegator_count is not null
       group by all`,
    )
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect([row['found'], row['found_weight']]).toEqual([row['counted'], row['weight']])
    expect(rows.some(({ counted }) => counted !== 0)).toBe(true)
    const [kinds] = await query(
      lake,
      `select (select count(*)::int from node_l1_validators_latest) as l1,
              (select count(*)::int from node_validators_latest where potential_reward is null) as permissioned`,
    )
    expect(kinds!['l1']).toBeGreaterThan(10)
    expect(kinds!['permissioned']).toBeGreaterThan(0)
  })

  test('has all delegators in p_validations, with the same weight, owner and end', async () => {
    const [row] = await query(
      lake,
      `select count(*)::int as all, count(*) filter (v.weight = s.weight and v.end_time = s.end_time
                and v.reward_owner_addresses = s.validation_reward_owner_addresses)::int as same
       from node_delegators_latest v join p_validations s using (tx_id)`,
    )
    expect(row!['all']).toBeGreaterThan(5)
    expect(row!['same']).toBe(row!['all'])
  })

  test.each([1, 4])('resumes an observation that stopped after %i pages and completes it', async (pages) => {
    const stopped = newLake()
    const stop = new AbortController()
    let read = 0
    const few = subnets.slice(0, 2)
    const job = jobOf(validatorsPipeline, { subnets: few, delegators: true, 'unit-pages': 2 })
    const { summary } = await exportLake({
      node,
      lake: stopped,
      jobs: [job],
      stop: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === 'progress' && ++read === pages) stop.abort(new Error('stopped'))
      },
    })
    expect(summary.stopped).toBe(true)
    expect(await column(stopped, 'select count(*) from node_validators')).toEqual(['0'])
    await run(stopped, job)
    const whole = newLake()
    await run(whole, job)
    const tables = Object.values({ ...validatorsPipeline.tables, ...validatorsPipeline.optional['delegators'] })
    expect(await settledRows(stopped, tables)).toEqual(await settledRows(whole, tables))
    expect(await column(stopped, 'select count(*) > 3 from node_delegators')).toEqual(['true'])
  })

  test('has only the validators of the given node ids, and the name of the observation contains the ids', async () => {
    const few = newLake()
    const ids = await column(
      lake,
      'select node_id from node_validators_latest where delegator_count > 0 order by 1 limit 2',
    )
    await run(few, jobOf(validatorsPipeline, { 'node-ids': ids }))
    expect(await column(few, 'select node_id from node_validators order by 1')).toEqual(ids)
    expect(await column(few, 'select subject from observations')).toEqual([
      `subnet/${subnets[0]}?node-ids=${ids.join(',')}`,
    ])
  })

  test('has a status of each blockchain and the same names as the transactions that created them', async () => {
    await run(lake, jobOf(blockchainsPipeline))
    const [row] = await query(
      lake,
      `select count(*)::int as all, count(b.blockchain_status)::int as told,
              count(*) filter (b.blockchain_name = t.blockchain_name and b.subnet_id = t.subnet_id and b.vm_id = t.vm_id)::int as same,
              count(t.tx_id)::int as created
       from node_blockchains_latest b left join p_transactions t on t.tx_id = b.blockchain_id`,
    )
    expect(row!['told']).toBe(row!['all'])
    expect(row!['same']).toBe(row!['created'])
    expect(row!['created']).toBe(Number(row!['all']) - 2)
  })

  test('has the supply of each subnet with elastic staking, and an error for each other subnet', async () => {
    await run(lake, jobOf(supplyPipeline, { subnets }))
    const [row] = await query(
      lake,
      `select count(*)::int as all, count(supply)::int as told, count(error)::int as refused,
              count(*) filter (supply is null and error is null)::int as silent from node_supply_latest`,
    )
    const elastic = await column(lake, `select count(*) from p_transactions where tx_type = 'TransformSubnetTx'`)
    expect(row).toEqual({
      all: subnets.length,
      told: Number(elastic[0]) + 1,
      refused: subnets.length - Number(elastic[0]) - 1,
      silent: 0,
    })
    expect(await column(lake, 'select tx_fee from node_fees')).toEqual(['1000000'])
  })

  test('has every subnet but the Primary Network, with its owner and whether it is an L1, like its transactions', async () => {
    await run(lake, jobOf(subnetsPipeline), jobOf(pFeesPipeline))
    const [row] = await query(
      lake,
      `select count(*)::int as all, count(*) filter (conversion_id is not null)::int as l1s,
              count(*) filter (s.manager_address = c.manager_address and s.manager_chain_id = c.manager_chain_id)::int as same,
              count(*) filter (len(owner_addresses) >= owner_threshold)::int as owned
       from node_subnets_latest s left join (
         select subnet_id, manager_address, manager_chain_id from p_transactions where tx_type = 'ConvertSubnetToL1Tx'
       ) c using (subnet_id)`,
    )
    const converted = await column(
      lake,
      `select count(distinct subnet_id) from p_transactions where tx_type = 'ConvertSubnetToL1Tx'`,
    )
    const l1s = Number(converted[0])
    expect(l1s).toBeGreaterThan(0)
    expect(row).toEqual({ all: subnets.length - 1, l1s, same: l1s, owned: subnets.length - 1 })
    expect(await column(lake, 'select price_per_gas from node_p_fees_latest')).toEqual(['1'])
  })

  test('has the validators at the last height as they are now, and requests no height twice', async () => {
    const [head] = await column(lake, 'select max(height) from p_blocks')
    const job = jobOf(validatorsAtPipeline, { subnets: [subnets[0]!], heights: ['1', head!] })
    await run(lake, job)
    const now = `select node_id, weight + delegator_weight as weight from node_validators_latest where subnet_id = '${subnets[0]}'`
    const then = `select node_id, weight from node_validators_at where height = ${head}`
    expect(await column(lake, `select count(*) > 5 from (${then})`)).toEqual(['true'])
    expect(await query(lake, `(${now} except ${then}) union all (${then} except ${now})`)).toEqual([])
    expect(
      await query(
        lake,
        `select count(*)::int as sets, (select count(*) from node_validators_at) = sum(validator_count) as counted,
                (select sum(weight) from node_validators_at) = sum(total_weight) as weighed from node_validator_sets`,
      ),
    ).toEqual([{ sets: 2, counted: true, weighed: true }])
    await run(lake, job)
    expect(await column(lake, 'select count(*) from node_validator_sets')).toEqual(['2'])
  })

  test('describes assets like the transactions that created them', async () => {
    const ids = await column(lake, 'select asset_id from x_assets order by 1')
    await run(lake, jobOf(assetsPipeline, { 'asset-ids': ids }))
    const same = 'n.name = x.name and n.symbol = x.symbol and n.denomination = x.denomination'
    expect(
      await column(lake, `select count(*) filter (${same}) from node_assets n join x_assets x using (asset_id)`),
    ).toEqual([String(ids.length)])
  })

  test('gets transactions and blocks of a chain by the id of the chain', async () => {
    const [x] = await column(lake, `select blockchain_id from chains where alias = 'X'`)
    const [id] = await column(lake, 'select tx_id from x_transactions order by 1 desc limit 1')
    const [block] = await column(lake, 'select block_id from x_blocks order by 1 limit 1')
    await run(
      lake,
      jobOf(transactionsByIdPipeline, { 'tx-ids': [id], chain: x }),
      jobOf(blocksByIdPipeline, { 'block-ids': [block], chain: x }),
    )
    expect(
      await query(
        lake,
        `select t.tx_type = x.tx_type as same, tx_status from node_transactions t join x_transactions x using (tx_id)`,
      ),
    ).toEqual([{ same: true, tx_status: 'Accepted' }])
    expect(
      await column(lake, 'select n.height = x.height from node_blocks n join x_blocks x using (block_id)'),
    ).toEqual(['true'])
  })
})

describe('the C-Chain of the simulated network', () => {
  const lake = newLake()

  test('has one state row, with a value from every method', async () => {
    await run(lake, jobOf(evmBlocksPipeline, { to: 40 }), jobOf(evmStatePipeline))
    expect(
      await query(
        lake,
        `select chain_id, net_version, base_fee >= 0 as fee, max_priority_fee_per_gas >= 0 as tip,
                client_version <> '' as version, (chain_config::json->>'chainId') = chain_id as same
         from node_evm_state_latest`,
      ),
    ).toEqual([{ chain_id: '43112', net_version: '43112', fee: true, tip: true, version: true, same: true }])
  })

  test('proves accounts: the first node of each proof hashes to the root', async () => {
    const addresses = await column(lake, 'select distinct from_address from evm_transactions order by 1 limit 2')
    const contracts = await column(lake, 'select distinct address from evm_logs order by 1 limit 2')
    const job = (block: string, slots: readonly string[]) =>
      jobOf(evmProofsPipeline, { addresses: [...addresses, ...contracts], slots, block })
    await run(lake, job('latest', ['0x0', '0x2']))
    const rows = (await lakeRows(lake, 'select * from node_evm_proofs order by address')) as NodeEvmProof[]
    expect(rows.map(({ address }) => address)).toEqual([...addresses, ...contracts].sort())
    const roots = new Set(rows.map(({ account_proof }) => hashOf(account_proof[0]!)))
    expect(roots.size).toBe(1)
    for (const { storage_hash, storage_proofs, block_number } of rows) {
      expect(block_number).toBe(1_500)
      expect(storage_proofs.map(({ slot }) => slot)).toEqual(['0x0', '0x2'])
      for (const { proof } of storage_proofs) if (proof[0] !== undefined) expect(hashOf(proof[0])).toBe(storage_hash)
    }
    expect(rows.some(({ nonce }) => nonce > 0n)).toBe(true)
    // The finalized block is the same block, so the second run adds no row.
    await run(lake, job('finalized', []))
    expect(await column(lake, 'select count(*) from node_evm_proofs')).toEqual(['4'])
  })

  test('refuses proofs of blocks that the node does not have', async () => {
    await expect(run(newLake(), jobOf(evmProofsPipeline, { addresses: [nobody], block: '9000' }))).rejects.toThrow(
      'The chain has no block 9000 yet.',
    )
    await expect(run(newLake(), jobOf(evmProofsPipeline, { addresses: [nobody], block: '1' }))).rejects.toThrow(
      'The node has no state of block 1 to prove anything with',
    )
  })
})

const nobody = `0x${'1'.repeat(40)}`

function hashOf(node: Uint8Array): string {
  return `0x${Buffer.from(keccak256(node)).toString('hex')}`
}

test('a run requests ids that the node did not know before, and a later run requests none again', async () => {
  const [older, newer, lake] = [newLake(), newLake(), newLake()]
  const grown = await startDevnet({ seed: 13, blocks: 80 })
  await exportLake({ node: grown, lake: newer, jobs: [jobOf(pBlocksPipeline), jobOf(xBlocksPipeline)] })
  const blocks = await column(newer, 'select block_id from p_blocks order by height')
  const txs = await column(newer, 'select tx_id from x_transactions order by height, tx_index')
  await grown.close()
  const young = await startDevnet({ seed: 13, blocks: 60 })
  await exportLake({ node: young, lake: older, jobs: [jobOf(xBlocksPipeline)] })
  const [known] = await column(older, 'select count(*) from x_transactions')
  const jobs = [
    jobOf(blocksByIdPipeline, { 'block-ids': blocks, chain: 'P' }),
    jobOf(transactionsByIdPipeline, { 'tx-ids': txs }),
  ]
  const counts = () =>
    query(
      lake,
      'select (select count(*)::int from node_blocks) as b, (select count(*)::int from node_transactions) as t',
    )
  const told = await runPipelines({
    nodeUrl: young.url,
    lake: { folder: lake },
    jobs,
    stop: new AbortController().signal,
    emit: () => undefined,
  })
  expect(await counts()).toEqual([{ b: 60, t: Number(known) }])
  expect(told.jobs.map(({ unanswered }) => unanswered?.ids)).toEqual([blocks.slice(60), txs.slice(Number(known))])
  await young.grow(20)
  await exportLake({ node: young, lake, jobs })
  expect(await counts()).toEqual([{ b: 80, t: txs.length }])
  const requested = () => young.requests().paths['/ext/bc/X']
  const before = requested()
  await exportLake({ node: young, lake, jobs })
  expect(requested()).toBe(before)
  await young.close()
})

test('an unhealthy node is stored with its failing checks and the status of each answer', async () => {
  const lake = newLake()
  const sick = await startDevnet({ seed: 13, blocks: 20, faults: { every: 1, kinds: ['unhealthy'] } })
  await exportLake({ node: sick, lake, jobs: [jobOf(healthPipeline, { tags: ['b', 'a'] })] })
  await sick.close()
  const rows = await query(
    lake,
    `select endpoint || ' ' || transport || ' ' || status || ' ' || healthy || ' ' || tags::varchar as report
     from node_health_reports_latest order by all`,
  )
  expect(rows.map(({ report }) => report)).toEqual([
    'health get 503 false [a, b]',
    'health rpc 200 false [a, b]',
    'liveness get 200 true [a, b]',
    'liveness rpc 200 true []',
    'readiness get 503 false [a, b]',
    'readiness rpc 200 false [a, b]',
    'root get 503 false [a, b]',
  ])
  expect(
    await column(
      lake,
      `select distinct check_name || ': ' || error from node_health where error is not null order by 1`,
    ),
  ).toEqual(['bootstrapped: subnets not bootstrapped', 'network: network layer is unhealthy'])
})

test('a node with the method names of the specification receives those names', async () => {
  const lake = newLake()
  const spec = await startDevnet({ seed: 13, blocks: 40, dialect: 'spec' })
  await exportLake({ node: spec, lake, jobs: [jobOf(xBlocksPipeline)] })
  const txs = await column(lake, 'select tx_id from x_transactions limit 3')
  await exportLake({
    node: spec,
    lake,
    jobs: [jobOf(supplyPipeline), jobOf(transactionsByIdPipeline, { 'tx-ids': txs })],
  })
  await spec.close()
  expect(await column(lake, 'select count(*) from node_transactions')).toEqual([String(txs.length)])
  expect(await column(lake, 'select count(*) from node_fees')).toEqual(['1'])
})
