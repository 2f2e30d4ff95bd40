import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { restEvmBlocksPipeline } from '../../../pipelines/rest-evm-blocks.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import type { VerifyReport } from '../../../src/verify/report.ts'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { chainlake } from '../../cli/in-process.ts'
import { newLake } from '../../run/lake-run.ts'
import { profileOf } from '../../run/lists/devnet-jobs.ts'
import { filesOf, type Row, rewriteFiles } from '../rewrite-file.ts'
import { copyOf } from '../sound-lake.ts'

const key = { CHAINLAKE_API_KEY: 'right' }
const lake = newLake()
const config = join(dirname(lake), 'chainlake.yaml')
let node: Devnet

beforeAll(async () => {
  node = await startDevnet({ blocks: 200, service: { keys: { right: 1_000_000 } } })
  writeFileSync(
    config,
    `service: { data-url: ${node.url} }
node-url: ${node.url}
jobs:
  node-validators: { pipeline: validators, delegators: true, subnets: [${primaryNetwork}] }
  blockchains: { pipeline: blockchains }
  assets: { pipeline: assets, asset-ids: ['${await assetOf(node)}'] }
  p: { pipeline: rest-transactions, network: local, blockchain: p-chain }
  blocks: { pipeline: rest-evm-blocks, network: local, chain-id: 43112 }
  points: { pipeline: chain-metrics, network: local, chain-id: 43112, interval: hour, metrics: [txCount], again: 0 }
  validators: { pipeline: rest-validators, network: local }
  balances: { pipeline: balances, network: local, chain-id: 43112, wallets: &wallets ['0x9b9d76e71c3d6efdf234ef453df4b8c764e47acd'], block-number: 150, lists: [native] }
  now: { pipeline: balances, network: local, chain-id: 43112, wallets: *wallets, lists: [native] }
  tokens: { pipeline: token-transfers, network: local, chain-id: 43112, page-size: 5, contracts: ['0x9b9d76e71c3d6efdf234ef453df4b8c764e47acd'] }
`,
  )
  const { code, stderr } = await chainlake(['run', '--all', '--config', config, '--lake', lake], { env: key })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
})
afterAll(() => node.close())

const primaryNetwork = '11111111111111111111111111111111LpoYY'

/** The id of AVAX. */
async function assetOf({ url }: Devnet): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'platform.getStakingAssetID', params: {} }
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/ext/bc/P`, { method: 'POST', headers, body: JSON.stringify(call) })
  return ((await answer.json()) as { result: { assetID: string } }).result.assetID
}

type Verified = { readonly code: number | null; readonly report: VerifyReport }

/** A verification without the configuration: the names of the streams say what the lists are. */
async function verified(folder: string, { url = node.url, env = key, args = [] as string[] } = {}): Promise<Verified> {
  const all = ['verify', '--lake', folder, '--fast', '--json', '--service', url, '--tries', '1', ...args]
  const { code, stdout, stderr } = await chainlake(all, { env })
  return { code, report: stdout === '' ? expect.fail(stderr) : JSON.parse(stdout) }
}

type Changes = Readonly<Record<string, (rows: Row[]) => Row[]>>

/** A copy of the lake with changed tables. */
async function altered(changes: Changes): Promise<string> {
  const copy = copyOf(lake)
  const files = Object.keys(changes).map(async (table) => (await filesOf(copy, table)).map((path) => ({ table, path })))
  const all = (await Promise.all(files)).flat()
  await rewriteFiles(
    copy,
    all.map(({ table, path }) => ({ path, change: changes[table]!, keepsCount: true })),
  )
  return copy
}

const inFirst =
  (values: Row, where: (row: Row) => boolean = () => true) =>
  (rows: Row[]) => {
    const [column = ''] = Object.keys(values)
    const at = rows.findIndex((row) => row[column] !== null && where(row))
    return rows.map((row, position) => (position === at ? { ...row, ...values } : row))
  }
const isAtBlock = (row: Row) => row['subject'].includes('block-number')
const isBlock = (number: number) => (row: Row) => Number(row['block_number']) === number

test('a sound lake has no findings, also when the chain has grown and values that services change have changed', async () => {
  const before = node.requests().paths
  const { code, report } = await verified(lake, { args: ['--config', config] })
  const { findings, unverifiable, remarks } = report
  expect({ code, findings, unverifiable }).toEqual({ code: 0, findings: [], unverifiable: [] })
  expect(remarks).toEqual([
    { message: expect.stringMatching(/^Requests for lists of the service: \d+, for 6 lists\.$/) },
  ])
  // The job reads pages of 5 transfers: the whole range has more, so pages from all over it are read.
  const transfers = Object.entries(node.requests().paths).filter(([path]) => path.endsWith('/transfers'))
  expect(transfers.map(([path, requests]) => requests - (before[path] ?? 0))).toEqual([10])
  await node.grow(25)
  const changed = await altered({
    rest_validators: inFirst({ validation_status: 'removed', uptime: 0.5, stake_percent: 1.5 }),
    rest_p_transactions: inFirst({ chain_name: 'another name', estimated_reward: 5n }),
    rest_evm_blocks: inFirst({ cumulative_transaction_count: 5 }),
    rest_native_balances: inFirst({ balance_raw: '1' }, (row) => !isAtBlock(row)),
  })
  expect((await verified(changed)).report.findings).toEqual([])
})

test('an altered value is named with its table, column and key, and so is a row that is missing in the middle of a list', async () => {
  const damaged = await altered({
    rest_p_transactions: inFirst({ subnet_id: 'another' }),
    rest_evm_blocks: (rows) => inFirst({ gas_used: 7 }, isBlock(150))(rows).filter((row) => !isBlock(90)(row)),
    metrics_chain_points: inFirst({ metric_value_raw: '12345' }),
    rest_validators: inFirst({ delegation_fee_percent: 99 }),
    rest_erc20_transfers: inFirst({ amount_raw: '1' }),
    rest_native_balances: inFirst({ balance_raw: '1' }, isAtBlock),
  })
  const { code, report } = await verified(damaged)
  expect(code).toBe(6)
  const ofSource = report.findings.filter(({ kind }) => kind.startsWith('source.'))
  expect(ofSource.map(({ kind, table, columns }) => [kind, table, ...(columns ?? [])].join(' ')).sort()).toEqual([
    'source.different metrics_chain_points metric_value_raw',
    'source.different rest_erc20_transfers amount_raw',
    'source.different rest_evm_blocks gas_used',
    'source.different rest_native_balances balance_raw',
    'source.different rest_p_transactions subnet_id',
    'source.different rest_validators delegation_fee_percent',
    'source.missing rest_evm_blocks',
  ])
  expect(ofSource).toContainEqual({
    kind: 'source.different',
    message: 'gas_used of a row of rest_evm_blocks differs from the answer of the service.',
    network: 'local',
    table: 'rest_evm_blocks',
    stream: 'local/rest-evm-blocks/43112',
    height: 150,
    key: { network: 'local', chain_id: '43112', block_number: '150' },
    columns: ['gas_used'],
    expected: expect.stringMatching(/^\d+$/),
    found: '7',
  })
  const missing = ofSource.find(({ kind }) => kind === 'source.missing')
  expect(missing?.key).toMatchObject({ block_number: '90' })
})

test('with a node, an altered value of its lists is named in columns that never change', async () => {
  const withNode = async (folder: string) => {
    const args = ['verify', '--lake', folder, '--fast', '--json', '--node', node.url, '--config', config]
    const { stdout, stderr } = await chainlake(args)
    return (stdout === '' ? expect.fail(stderr) : JSON.parse(stdout)) as VerifyReport
  }
  const changed = await altered({
    node_validators: inFirst({ uptime: 1.5, potential_reward: 3n }),
    node_blockchains: inFirst({ blockchain_status: 'Unknown' }),
  })
  const { findings, remarks, unverifiable } = await withNode(changed)
  expect({ findings, unverifiable }).toEqual({ findings: [], unverifiable: [] })
  expect(remarks).toContainEqual({
    message: expect.stringMatching(/^Requests for lists of the node: \d+, for 3 lists\.$/),
  })
  const damaged = await altered({
    node_delegators: inFirst({ potential_reward: 3n }),
    node_blockchains: inFirst({ vm_id: 'another' }),
    node_assets: inFirst({ symbol: 'LIE' }),
  })
  const found = (await withNode(damaged)).findings.filter(({ kind }) => kind === 'source.different')
  expect(found.map(({ table, columns }) => `${table} ${columns}`).sort()).toEqual([
    'node_assets symbol',
    'node_blockchains vm_id',
    'node_delegators potential_reward',
  ])
  expect(found[0]?.message).toContain('differs from the answer of the node.')
})

test('a service that does not answer, or refuses the key, says nothing about the lake', async () => {
  const damaged = await altered({ rest_evm_blocks: inFirst({ gas_used: 7 }) })
  for (const given of [{ url: 'http://127.0.0.1:1' }, { env: { CHAINLAKE_API_KEY: 'wrong' } }]) {
    const before = node.requests().requests
    const { code, report } = await verified(damaged, given)
    expect({ code, findings: report.findings }).toEqual({ code: 0, findings: [] })
    const unknown = report.unverifiable.map(({ table }) => table)
    for (const table of ['rest_evm_blocks', 'rest_p_transactions', 'rest_validators']) expect(unknown).toContain(table)
    expect(report.unverifiable[0]?.reason).toContain('the service did not answer as a run needs it (transport.')
    // Other lists of a host that refuses the key are not requested: one request for each of the two hosts.
    expect(node.requests().requests - before).toBeLessThanOrEqual(2)
  }
})

test('a verification sends no more requests than it may, and says how many lists were left', async () => {
  const service = { service: { ...profileOf(node), key: 'right' }, nodeUrl: node.url, sample: 1000 }
  const pipelines = [restEvmBlocksPipeline, restTransactionsPipeline]
  const before = node.requests().requests
  const { findings, remarks } = await verifyLake({
    lake: { folder: lake },
    fast: true,
    service: { ...service, most: 1, pipelines, jobs: async () => [] },
  })
  expect(node.requests().requests - before).toBe(1)
  expect(findings).toEqual([])
  expect(remarks.map(({ message }) => message)).toEqual([
    'Requests for lists of the service: 1, for 1 lists. 1 further lists were not compared: a verification sends at most 1 requests.',
  ])
})
