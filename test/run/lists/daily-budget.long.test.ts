import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { accountOf, createServiceAccounts } from '../../../src/run/connections/connections.ts'
import { hostsOf, type ServiceHost, type ServiceProfile } from '../../../src/sources/service-profile.ts'
import { createLake } from '../../catalog/lake.ts'
import { newLake, query } from '../lake-run.ts'
import { profileOf, runService } from './devnet-jobs.ts'

const key = 'a-very-secret-key'
const perDay = 1000
let node: Devnet
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T10:00:00Z') })
  node = await startDevnet({ seed: 5, blocks: 300, service: { unitsPerDay: perDay, keys: { [key]: 1e9 } } })
})
afterEach(async () => {
  vi.useRealTimers()
  await node.close()
})

const list = (blockchain: string) => ({
  pipeline: restTransactionsPipeline,
  values: { network: 'local', blockchain, 'page-size': 10, 'trailing-seconds': 0 },
})
const answered = (status: string) => node.requests().statuses[status] ?? 0

test('a run spends the whole daily budget and no more; later runs end at once until units are free again a day later', async () => {
  const lake = newLake()
  const changes: Partial<ServiceProfile> = { key, unitsPerDay: { data: perDay, metrics: null } }
  const run = () => runService(node, lake, [list('p-chain'), list('x-chain')], changes)
  // Another process spent half of the daily units two hours earlier.
  const catalog = await createLake({ folder: lake }, tables)
  await catalog.units.take({
    account: accountOf(hostAt({ ...profileOf(node), key }, 'data')),
    perDay,
    least: 1,
    share: 500,
    unused: null,
  })
  vi.setSystemTime(Date.parse('2026-11-21T12:00:00Z'))
  const first = await run()
  // A page of transactions costs 100 compute units.
  expect(answered('200')).toBe(5)
  expect(first.jobs.map((job) => job.kind === 'list' && job.pages)).toEqual([expect.any(Number), 0])
  expect(first.resumeAt).toBe('2026-11-22T10:10:00.000Z')
  expect(first.reason).toBe(`The 1,000 units that ${node.url} grants per day for this key are spent.`)
  const rows = first.jobs[0]!.tables.reduce((sum, table) => sum + table.rows, 0)
  expect(rows).toBeGreaterThan(0)
  expect(await query(lake, 'select count(*)::int as n from rest_p_transactions')).toEqual([{ n: rows }])

  vi.setSystemTime(Date.parse('2026-11-22T10:09:00Z'))
  expect((await run()).resumeAt).toBe(first.resumeAt)
  expect(answered('200')).toBe(5)
  vi.setSystemTime(Date.parse('2026-11-22T10:10:00Z'))
  const next = await run()
  expect(answered('200')).toBe(10)
  expect(next.jobs[0]!.tables[0]!.rows).toBeGreaterThan(0)
  expect(next.resumeAt).toBe('2026-11-22T12:10:00.000Z')
  expect(answered('429')).toBe(0)
  expect(readFileSync(join(lake, 'catalog.ducklake')).includes(key)).toBe(false)
})

test('a run returns the units that it took but did not spend; each key has its own daily budget', async () => {
  const lake = newLake()
  const profile = { ...profileOf(node), key, unitsPerDay: { data: 100_000, metrics: null } }
  const one = { pipeline: restTransactionsPipeline, values: { network: 'local', blockchain: 'c-chain' } }
  await runService(node, lake, [one], profile)
  const catalog = await openCatalog({ folder: lake }, tables)
  const spent = await catalog.units.spent(accountOf(hostAt(profile, 'data')))
  expect(spent).toBe(100 * answered('200'))
  expect(await catalog.units.spent(accountOf(hostAt({ ...profile, key: null }, 'data')))).toBe(0)
  expect(accountOf(hostAt(profile, 'data')).key).toMatch(/^[0-9a-f]{16}$/)
  expect(accountOf(hostAt(profile, 'metrics')).key).toBe('none')
})

test('a run that is killed has already counted the units that it spent', async () => {
  const lake = newLake()
  const profile = { ...profileOf(node), key, unitsPerDay: { data: 100_000, metrics: null } }
  const catalogs: number[] = []
  const catalog = await createLake({ folder: lake }, tables)
  const accounts = createServiceAccounts(hostsOf(profile))
  accounts.countIn(catalog)
  for (let request = 0; request < 70; request++) {
    await accounts.budgets['data']?.take(100)
    catalogs.push(await catalog.units.spent(accountOf(hostAt(profile, 'data'))))
  }
  // The budget is never settled, as when the process dies. The lake counts at least the spent units, and at most one share more.
  for (const [request, counted] of catalogs.entries()) {
    expect(counted).toBeGreaterThanOrEqual(100 * (request + 1))
    expect(counted).toBeLessThanOrEqual(100 * (request + 1) + 5000)
  }
})

function hostAt(profile: ServiceProfile, name: 'data' | 'metrics') {
  return hostsOf(profile).find((host) => host.name === name) as ServiceHost
}
