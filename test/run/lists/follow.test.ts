import { expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { restEvmBlocksPipeline } from '../../../pipelines/rest-evm-blocks.ts'
import { tpsPipeline } from '../../../pipelines/tps.ts'
import { HttpError } from '../../../src/errors.ts'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import { newLake, query } from '../lake-run.ts'
import { profileOf } from './devnet-jobs.ts'

test('in a following run, a job with a removed route ends alone; the others continue, and the run fails at the end', async () => {
  const node = await startDevnet({ seed: 12, blocks: 60 })
  const lake = newLake()
  const stop = new AbortController()
  const warnings: string[] = []
  let rounds = 0
  const values = { network: 'local', 'chain-id': '43112' }
  const following = runPipelines({
    nodeUrl: node.url,
    service: { ...profileOf(node), tpsPath: '/v9/gone/{chainId}' },
    lake: { folder: lake },
    jobs: [
      { name: 'gone', pipeline: tpsPipeline, values },
      { name: 'blocks', pipeline: restEvmBlocksPipeline, values },
    ],
    follow: { maxLagMs: 100 },
    stop: stop.signal,
    emit: (event) => {
      if (event.kind === 'warning') warnings.push(event.message)
      if (event.kind !== 'waiting' || event.pipeline !== 'blocks') return
      rounds++
      if (rounds === 1) void node.grow(10)
      if (rounds === 4) stop.abort(new Error('stopped'))
    },
  })
  await expect(following).rejects.toBeInstanceOf(HttpError)
  await node.close()
  expect(warnings.filter((message) => message.startsWith('gone ended; the other jobs continue'))).toHaveLength(1)
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM rest_evm_blocks')).toEqual([{ n: 70 }])
})
