import { afterEach, expect, test } from 'vitest'
import { evmEventsPipeline } from '../../../pipelines/evm-events.ts'
import { planPipelines } from '../../../src/run/jobs/plan-pipelines.ts'
import { callsOf, contracts, endNodes, granite, ofBlocks, run, serve } from '../../pipelines/evm-log-runs.ts'
import { jobOf } from '../job-of.ts'
import { newLake } from '../lake-run.ts'

afterEach(endNodes)

test('a plan of events requests the head once, and counts shared requests once and none for logs of the lake', async () => {
  const lake = newLake()
  const node = await serve()
  const events = ['event Transfer(address indexed from, address indexed to, uint256 value)', 'event A()']
  const values = { chain: node.url, events, contracts: contracts.slice(0, 3) }
  const plan = () =>
    planPipelines({
      nodeUrl: 'http://127.0.0.1:1',
      lake: { folder: lake },
      jobs: [jobOf(evmEventsPipeline, values)],
    })
  const first = await plan()
  expect(first.map(({ records, requests }) => ({ records, requests }))).toEqual([
    { records: granite.length, requests: 1 },
    ...Array.from({ length: 5 }, () => ({ records: granite.length, requests: 0 })),
  ])
  const heads = callsOf(node, 'eth_getBlockByNumber').filter(({ params: [tag] }) => tag === 'finalized')
  expect(heads).toHaveLength(1)
  await run(lake, node, ofBlocks())
  expect((await plan()).map(({ records, requests }) => ({ records, requests }))).toEqual(
    first.map(({ records }) => ({ records, requests: 0 })),
  )
})

test('a plan of two jobs on one chain requests its head once', async () => {
  const node = await serve()
  const job = (event: string) => jobOf(evmEventsPipeline, { chain: node.url, events: [`event ${event}()`] })
  const jobs = [job('A'), job('B')]
  const plans = await planPipelines({ nodeUrl: 'http://127.0.0.1:1', lake: { folder: newLake() }, jobs })
  expect(plans.map(({ head }) => head)).toEqual([granite.length - 1, granite.length - 1])
  const heads = callsOf(node, 'eth_getBlockByNumber').filter(({ params: [tag] }) => tag === 'finalized')
  expect(heads).toHaveLength(1)
})
