import { expect, test } from 'vitest'
import { resolveJob } from '../../src/cli/jobs/jobs.ts'
import { itemsPipeline } from '../config/service-pipeline.ts'
import { publish, temporaryFolder } from '../views/test-lake.ts'

test('a signal ends the query of a list', async () => {
  const lake = temporaryFolder()
  await publish(lake, {})
  // These queries would take years, in the query itself and between its rows.
  for (const query of [
    'select count(*)::varchar from range(1000000000000) a, range(1000000000) b where hash(a.range, b.range) = 1',
    'select a.range::varchar from range(1000000000000) a, range(1000000000) b where hash(a.range, b.range) = 1',
  ]) {
    const stop = new AbortController()
    const reason = new Error('SIGINT')
    setTimeout(() => stop.abort(reason), 300)
    const wallets = { query }
    const job = {
      kind: 'requested',
      name: 'mine',
      pipeline: itemsPipeline,
      given: { network: 'fuji', wallets },
    } as const
    const startedMs = performance.now()
    await expect(resolveJob(job, { folder: lake }, stop.signal)).rejects.toBe(reason)
    expect(performance.now() - startedMs).toBeLessThan(60_000)
    await expect(resolveJob(job, { folder: lake }, stop.signal)).rejects.toBe(reason)
  }
})
