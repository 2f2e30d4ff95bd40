import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { catalogOf } from '../../../src/catalog/catalog.ts'
import { lakePaths } from '../../../src/catalog/lake.ts'
import { profileOf } from '../../run/lists/devnet-jobs.ts'
import { newLakeDir } from '../lake.ts'
import { ask } from './database.ts'
import { newCatalog, openCatalogBackend } from './new-catalog.ts'

const child = join(import.meta.dirname, 'limit-child.mjs')
type Counts = { readonly [name in 'answers' | 'refused429' | 'beganMs' | 'endedMs']: number }

test('four processes share the unknown limit of a service with less than 1% refusals', async () => {
  const unitsPerMinute = 1200
  const seconds = 190
  const paths = lakePaths({ folder: newLakeDir() })
  const catalog = await newCatalog(paths)
  const node = await startDevnet({ seed: 5, blocks: 30, service: { unitsPerMinute } })
  try {
    const input = JSON.stringify({ catalog, profile: profileOf(node), seconds })
    const ended = await Promise.all(Array.from({ length: 4 }, () => promisify(execFile)('node', [child, input])))
    const counts = ended.map(({ stdout }) => JSON.parse(stdout) as Counts)
    // Counted from the first request: the time that the machine takes to start the processes is not included.
    const minutes =
      (Math.max(...counts.map(({ endedMs }) => endedMs)) - Math.min(...counts.map(({ beganMs }) => beganMs))) / 60_000
    const sum = (name: keyof Counts) => counts.reduce((total, each) => total + each[name], 0)
    // The whole limit of the last window may be used up at once. In simulated time, nine tenths of the limit are used
    // (test/fetch/shared-limit.long.test.ts); here a busy machine may delay the requests.
    expect((sum('answers') - sum('refused429')) / (unitsPerMinute * minutes)).toBeGreaterThan(0.85)
    expect(sum('refused429')).toBeGreaterThan(0)
    expect(sum('refused429') / sum('answers')).toBeLessThan(0.01)
    // No process starves.
    for (const { answers } of counts) expect(answers).toBeGreaterThan(sum('answers') / 8)
  } finally {
    await node.close()
  }
})

test('processes with different limits in their configurations keep to the lowest one', async () => {
  const [lowest, seconds] = [600, 20]
  const paths = lakePaths({ folder: newLakeDir() })
  const catalog = await newCatalog(paths)
  const node = await startDevnet({ seed: 5, blocks: 30, service: { unitsPerMinute: 1_000_000 } })
  try {
    const start = (data: number | null) => {
      const profile = { ...profileOf(node), unitsPerMinute: { data, metrics: null } }
      return promisify(execFile)('node', [child, JSON.stringify({ catalog, profile, seconds })])
    }
    const first = start(lowest)
    const rows = async () => (await ask(catalog, 'SELECT count(*)::int AS n FROM chainlake.rate_limit'))[0]?.['n']
    await vi.waitFor(async () => expect(await rows()).toBe(1), 30_000)
    const ended = await Promise.all([first, start(null), start(60_000)])
    const counts = ended.map(({ stdout }) => JSON.parse(stdout) as Counts)
    const began = Math.min(...counts.map(({ beganMs }) => beganMs))
    const minutes = (Math.max(...counts.map(({ endedMs }) => endedMs)) - began) / 60_000
    const answers = counts.reduce((total, each) => total + each.answers, 0)
    // A second of them may be sent on credit, or at once at the beginning.
    expect(answers).toBeLessThan(lowest * (minutes + 1 / 30))
    expect(answers).toBeGreaterThan(0.7 * lowest * minutes)
  } finally {
    await node.close()
  }
})

test('all processes of a lake share the daily budget and never exceed it', async () => {
  const paths = lakePaths({ folder: newLakeDir() })
  const url = await newCatalog(paths)
  const account = { origin: 'https://data.example', key: 'none' }
  const processes = await Promise.all(
    [1, 2, 3].map(async (which) =>
      catalogOf(await openCatalogBackend(`${url}?application_name=p${which}`), paths, [], {}),
    ),
  )
  const request = { account, perDay: 1000, least: 10, share: 40, unused: null }
  const grants = await Promise.all(Array.from({ length: 60 }, (_, index) => processes[index % 3]!.units.take(request)))
  const taken = grants.reduce((sum, grant) => sum + ('units' in grant ? grant.units : 0), 0)
  expect(taken).toBe(1000)
  expect(grants.filter((grant) => 'resumeAtMs' in grant)).toHaveLength(35)
  expect(await processes[0]!.units.spent(account)).toBe(1000)
  await processes[1]!.units.giveBack(account, grants.find((grant) => 'units' in grant)! as never)
  expect(await processes[2]!.units.spent(account)).toBe(960)
})

test('concurrent changes of one row are applied one after the other', async () => {
  const paths = lakePaths({ folder: newLakeDir() })
  const backend = await openCatalogBackend(await newCatalog(paths))
  const limits = catalogOf(backend, paths, [], {}).limits!.of({ origin: 'https://data.example', key: 'none' })
  const add = () => limits.change((kept, nowMs) => ({ keep: String(Number(kept ?? 0) + 1), result: nowMs }))
  const times = await Promise.all(Array.from({ length: 40 }, add))
  expect(await limits.change((kept) => ({ keep: kept!, result: kept }))).toBe('40')
  for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(60_000)
})
