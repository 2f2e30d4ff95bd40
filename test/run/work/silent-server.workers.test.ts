import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { ask } from '../../catalog/postgres/database.ts'
import { startProxy, type Way } from '../../catalog/postgres/proxy.ts'
import { command, ended, newLake, rowSets, startCommand } from '../lake-run.ts'
import { newSharedLake, type SharedLake, startWorker, tasks, untilTasks } from './workers-lake.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 7, blocks: 2_000 })
})
afterAll(() => node.close())

/** A worker that reaches the catalog through a proxy. */
async function workerBehind(lake: SharedLake): Promise<{ proxy: Way; worker: ReturnType<typeof startWorker> }> {
  const proxy = await startProxy(lake.url)
  return { proxy, worker: startWorker(['--lake', proxy.url, '--data', lake.folder, '--node-url', node.url]) }
}

function queue(lake: SharedLake): ReturnType<typeof ended> {
  return ended(
    startCommand(
      ['run', 'p-blocks', '--unit', '100', '--workers', '--lease', '10s', ...lake.flags].concat('--node-url', node.url),
    ),
  )
}

test('a worker that is stopped while the database server is silent ends within 20 seconds', async () => {
  const lake = await newSharedLake()
  const planner = queue(lake)
  const { proxy, worker } = await workerBehind(lake)
  await untilTasks(lake, ({ completed = 0, active = 0 }) => completed >= 2 && active > 0)
  proxy.silence()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const began = performance.now()
  const { code, stderr } = await worker.end('SIGTERM')
  expect(code, stderr).toBe(0)
  expect(performance.now() - began).toBeLessThan(20_000)
  const other = startWorker([...lake.flags, '--node-url', node.url])
  expect((await planner).code).toBe(0)
  await other.end('SIGTERM')
  await proxy.close()
})

test.each(['before', 'after'] as const)(
  'a worker gives up its task when its connection falls silent %s a commit, and then takes other tasks',
  async (when) => {
    const lake = await newSharedLake()
    const planner = queue(lake)
    const { proxy, worker } = await workerBehind(lake)
    await untilTasks(lake, ({ completed = 0 }) => completed >= 2)
    proxy.silenceAt('COMMIT', when)
    const { code, stderr } = await planner
    expect(code, stderr).toBe(0)
    expect((await worker.end('SIGTERM')).code).toBe(0)
    expect(Object.keys(await tasks(lake))).toEqual(['completed'])
    const alone = newLake()
    await command(['run', 'p-blocks', '--lake', alone, '--node-url', node.url, '--log-level', 'error'])
    await command(['views', ...lake.flags])
    expect(await rowSets(lake.folder)).toEqual(await rowSets(alone))
    const verified = await command(['verify', ...lake.flags])
    expect(verified.code, verified.stdout).toBe(0)
    const [{ n } = {}] = await ask(lake.url, 'SELECT count(*)::int AS n FROM chainlake.coverage')
    expect(n).toBeGreaterThan(0)
    await proxy.close()
  },
)
