import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { newLake } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 13, blocks: 60 })
})
afterAll(() => node.close())

const list = ['rest-transactions', '--network', 'local', '--blockchain', 'p-chain', '--page-size', '5']
const on = (lake: string) => ['--node-url', node.url, '--data-url', node.url, '--lake', lake]

test('plan estimates time and requests from the last run and reports unknown for a job that never ran', async () => {
  const lake = newLake()
  const plan = async (...args: string[]) => {
    const { code, stdout } = await chainlake(['plan', ...args, ...on(lake), '--json'])
    expect(code).toBe(0)
    return JSON.parse(stdout)[0]
  }
  const run = async (...args: string[]) => {
    const ran = await chainlake(['run', ...args, ...on(lake), '--json', '--log-level', 'error'])
    expect(ran.code).toBe(0)
    return JSON.parse(ran.stdout).jobs[0]
  }
  expect(await plan('p-blocks')).toMatchObject({ records: 60, estimatedSeconds: null })
  const text = await chainlake(['plan', 'p-blocks', ...on(lake)])
  expect(text.stdout).toMatch(/unknown: no complete run yet/)
  const first = await run('p-blocks', '--to', '21')
  const { estimatedSeconds } = await plan('p-blocks')
  expect(estimatedSeconds).toBeCloseTo((40 / 20) * first.seconds, 1)
  // A run without work does not change the measure, nor does one with fewer records.
  await run('p-blocks', '--to', '21')
  await run('p-blocks', '--to', '26')
  expect((await plan('p-blocks')).estimatedSeconds).toBeCloseTo((35 / 20) * first.seconds, 1)

  expect((await plan(...list)).spending).toMatchObject({ requests: null, seconds: null })
  const { pages } = await run(...list)
  expect(pages).toBeGreaterThan(2)
  const known = (await plan(...list)).spending
  expect(known).toMatchObject({ requests: pages, bound: 'about' })
  expect(known.units).toBeGreaterThan(pages)
  expect(known.seconds).toBeGreaterThan(0)
  const human = await chainlake(['plan', ...list, ...on(lake)])
  expect(human.stdout).toMatch(/rest-transactions: about \d+ requests, \d+ units, about [\d.]+ s/)
  const measures = await (await openCatalog({ folder: lake }, tables)).measures()
  expect(measures.map(({ job, records, requests }) => ({ job, records, requests }))).toEqual([
    { job: 'p-blocks', records: 20, requests: 0 },
    { job: 'rest-transactions', records: 0, requests: pages },
  ])
})
