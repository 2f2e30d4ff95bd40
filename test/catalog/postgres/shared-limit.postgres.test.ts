import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { lakePaths } from '../../../src/catalog/lake/lake-paths.ts'
import { catalogOf } from '../../../src/catalog/operations.ts'
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

test('an old catalog without the table of rate limits gets it at the first write', async () => {
  const paths = lakePaths({ folder: newLakeDir() })
  const url = await newCatalog(paths)
  await ask(url, 'DROP TABLE chainlake.rate_limit')
  const limits = catalogOf(await openCatalogBackend(url), paths, [], {}).limits!.of({
    origin: 'https://a',
    key: 'none',
  })
  const add = () => limits.change((kept) => ({ keep: String(Number(kept ?? 0) + 1), result: null }))
  await Promise.all(Array.from({ length: 4 }, add))
  expect(await limits.change((kept) => ({ keep: kept!, result: kept }))).toBe('4')
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
