import { afterEach, expect, test, vi } from 'vitest'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import { callsOf, endNodes, granite, ofBlocks, serve } from '../../pipelines/evm-log-runs.ts'
import { jobOf } from '../job-of.ts'
import { newLake, query } from '../lake-run.ts'

afterEach(async () => {
  vi.restoreAllMocks()
  await endNodes()
})

const chain = granite.slice(0, 30)
const limited = { error: { code: -32005, message: 'rate limit exceeded, try again in 0.01 s' } }

test('A run that follows does not end because of a rate limit, however often the node refuses: a status, an object, or single calls', async () => {
  // Waits are random up to a bound, so none is longer than the node demands.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const lake = newLake()
  // A request is given up after 13 refusals, and the next round of the run sends it again.
  const left = { status: 15, object: 15, calls: 40 }
  let newest = 9
  const node = await serve(
    {
      refuse: ([first]) => {
        // The head is requested alone.
        if (newest === 9 || first!.method !== 'eth_getBlockByNumber') return undefined
        if (left.status > 0) return { status: 429, headers: { 'retry-after': '0.01' }, body: `${left.status--}` }
        if (left.object > 0)
          return { body: JSON.stringify({ jsonrpc: '2.0', id: null, ...limited, left: left.object-- }) }
        return undefined
      },
      interfere: ({ method, params: [tag] }) => {
        if (newest > 9 && method === 'eth_getBlockReceipts' && left.calls > 0) {
          left.calls--
          return limited
        }
        return tag === 'finalized' || tag === 'latest' ? { result: chain[newest]!.block } : undefined
      },
    },
    chain,
  )
  const stop = new AbortController()
  const { pipeline, values } = ofBlocks()
  const summary = await runPipelines({
    nodeUrl: 'http://127.0.0.1:1',
    lake: { folder: lake },
    jobs: [jobOf(pipeline, { chain: node.url, ...values })],
    follow: { maxLagMs: 20 },
    stop: stop.signal,
    emit: ({ kind }) => {
      if (kind !== 'waiting') return
      if (newest === 9) newest = 29
      else stop.abort(new Error('SIGTERM'))
    },
  })
  expect(summary.stopped).toBe(true)
  expect(left).toEqual({ status: 0, object: 0, calls: 0 })
  expect(await query(lake, 'SELECT max(block_number)::INT AS last, count(*)::INT AS n FROM evm_blocks')).toEqual([
    { last: 29, n: 30 },
  ])
  expect(callsOf(node, 'eth_getBlockReceipts').length).toBeLessThan(30 + 40 + 40)
})
