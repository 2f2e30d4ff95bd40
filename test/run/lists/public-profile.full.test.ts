import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { pipelines } from '../../../pipelines/index.ts'
import { baseProfile, type builtInProfiles } from '../../../src/config/profiles.ts'
import { readProfile } from '../../../src/config/read-config.ts'
import type { Pipeline, Table } from '../../../src/define/index.ts'
import type { ServiceProfile } from '../../../src/sources/service-profile.ts'
import { newLake } from '../lake-run.ts'
import { listOf, type Requested, runService, settledRows } from './devnet-jobs.ts'

const servicePipelines = pipelines.filter(({ reads }) => reads === 'service')

const key = 'a-known-key'
const network = { seed: 9, blocks: 250, legacy: true, service: { keys: { [key]: Number.POSITIVE_INFINITY } } }

/** A built-in profile with the URL of the simulated network. The network's own profile differs only in its names. */
async function profileAt(name: (typeof builtInProfiles)[number], { url }: Devnet): Promise<ServiceProfile> {
  const { keyEnv: _, keyFile: __, ...profile } = await readProfile(name, '.', {})
  const { networks, chains } = baseProfile('devnet', {})
  return { ...profile, dataUrl: url, metricsUrl: url, key, networks, chains }
}

function named(name: string): Pipeline {
  const found = servicePipelines.find((pipeline) => pipeline.name === name)
  if (found === undefined) throw new Error(`There is no pipeline ${name}.`)
  return found
}

/** A job for each pipeline of services except `holders`, and one for each chain if there are several. */
async function jobsOn(node: Devnet): Promise<Requested[]> {
  const [p, x, c, evm, contracts, nodes] = await Promise.all(
    ['p', 'x', 'c', 'evm', 'contracts', 'nodes'].map((of) => listOf(node, of)),
  )
  const job = (name: string, values: object): Requested => ({
    pipeline: named(name),
    values: { network: 'local', ...values },
  })
  const chainId = { 'chain-id': '43112' }
  const subnet = '11111111111111111111111111111111LpoYY'
  return [
    job('rest-chains', {}),
    job('rest-validators', {}),
    job('rest-icm-messages', {}),
    ...['p-chain', 'x-chain', 'c-chain'].map((blockchain) => job('rest-transactions', { blockchain })),
    job('rest-transactions', { blockchain: 'p-chain', addresses: p, 'start-timestamp': 1761955200 }),
    job('rest-utxos', { blockchain: 'p-chain', addresses: p!.slice(0, 64) }),
    job('rest-utxos', { blockchain: 'x-chain', addresses: x!.slice(0, 64) }),
    job('rest-utxos', { blockchain: 'c-chain', addresses: c!.slice(0, 64).map((address) => `C-${address}`) }),
    job('wallet-transfers', {
      ...chainId,
      wallets: evm!.slice(0, 12),
      kinds: ['erc20', 'erc721', 'erc1155', 'native', 'internal'],
    }),
    job('token-transfers', { ...chainId, contracts }),
    job('balances', { ...chainId, wallets: evm!.slice(0, 60) }),
    job('rewards', { addresses: p }),
    job('pending-rewards', { addresses: p }),
    job('vertices', { blockchain: 'x-chain' }),
    job('rest-evm-blocks', chainId),
    job('node-blocks', { blockchain: 'p-chain', 'node-ids': nodes!.slice(0, 3), 'start-timestamp': 1761955200 }),
    job('tps', chainId),
    job('chain-metrics', { ...chainId, metrics: ['activeAddresses', 'maxGasPrice'] }),
    job('chain-metrics', { ...chainId, interval: 'month', metrics: ['txCount', 'feesPaid'] }),
    job('signatures', { messages: ['0x0001', '0x0002+0x0003'], 'signing-subnet-id': subnet }),
  ]
}

describe('the public profile', () => {
  let whole: Devnet
  /** A service like the current public one: without removed routes, and compressed. */
  let today: Devnet
  beforeAll(async () => {
    whole = await startDevnet(network)
    today = await startDevnet({ ...network, presentOnly: true, compress: true })
  })
  afterAll(async () => {
    await whole.close()
    await today.close()
  })

  test('reads the same rows from a service like the public one as the devnet profile reads from the devnet', async () => {
    const jobs = await jobsOn(whole)
    const covered = new Set(jobs.map(({ pipeline }) => pipeline.name))
    expect(servicePipelines.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual(['holders'])
    const written = new Set(jobs.flatMap(({ pipeline }) => Object.values<Table>(pipeline.tables)))
    // The old TPS route returns the time of the computation, the current one does not. Such columns do not create versions.
    const tables = [...written].map(({ columns, notCompared, ...table }) => {
      const compared = Object.entries(columns).filter(([name]) => !notCompared.includes(name))
      return { ...table, notCompared, columns: Object.fromEntries(compared) }
    })
    const [specified, real] = [newLake(), newLake()]
    await runService(whole, specified, jobs, await profileAt('devnet', whole))
    const profile = await profileAt('public', today)
    // The simulated service has no limit per minute, unlike the public service.
    await runService(today, real, jobs, { ...profile, unitsPerMinute: { data: null, metrics: null } })
    const rows = await settledRows(real, tables)
    expect(rows).toEqual(await settledRows(specified, tables))
    expect(Object.entries(rows).filter(([, row]) => (row as { rows: number }).rows === 0)).toEqual([])
    const requested = (node: Devnet) => Object.keys(node.requests().paths).filter((path) => /tps/i.test(path))
    expect(requested(whole)).toEqual(['/v1/avg_tps/43112'])
    expect(requested(today)).toEqual(['/v2/chains/43112/metrics/avgTps'])
  }, 120_000)

  test('reports that the public service no longer has the route of the holders pipeline', async () => {
    const values = {
      network: 'local',
      'chain-id': '43112',
      threshold: '0',
      contracts: await listOf(whole, 'contracts'),
    }
    const run = runService(today, newLake(), [{ pipeline: named('holders'), values }], await profileAt('public', today))
    await expect(run).rejects.toMatchObject({
      code: 'transport.not-found',
      hint: expect.stringMatching(/^The current public API no longer has this route/),
    })
  })
})
