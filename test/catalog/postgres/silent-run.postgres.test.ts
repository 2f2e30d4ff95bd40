import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { command, ended, startCommand } from '../../run/lake-run.ts'
import { ask, newPlace, type PostgresLake } from './database.ts'
import { startProxy, type Way } from './proxy.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 7, blocks: 2_000 })
})
afterAll(() => node.close())

const run = (lake: PostgresLake, url: string) =>
  startCommand(['run', 'p-blocks', '--unit', '20', '--lake', url, '--data', lake.folder, '--node-url', node.url])

/** A run behind a proxy that has committed something. */
async function startedRun(): Promise<{ lake: PostgresLake; proxy: Way; process: ReturnType<typeof run> }> {
  const lake = await newPlace()
  const proxy = await startProxy(lake.url)
  const process = run(lake, proxy.url)
  for (;;) {
    const sql = 'SELECT coalesce(max(snapshot_id), 0)::int AS n FROM public.ducklake_snapshot'
    const [{ n } = {}] = await ask(lake.url, sql).catch(() => [])
    if (n > 5) return { lake, proxy, process }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** When the proxy has ended its connections, too, the server has released the locks of the run. */
async function expectWhole({ lake }: { lake: PostgresLake }): Promise<void> {
  const held = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'"
  await expect.poll(() => ask(lake.url, held), { timeout: 30_000 }).toEqual([{ n: 0 }])
  const again = await ended(run(lake, lake.url))
  expect(again.code, again.stderr).toBe(0)
  const verified = await command(['verify', '--lake', lake.url, '--data', lake.folder])
  expect(verified.code, verified.stdout).toBe(0)
}

test('a run with a silent server ends within two minutes and loses nothing', async () => {
  const started = await startedRun()
  const end = ended(started.process)
  started.proxy.silence()
  const began = performance.now()
  const { code, stderr } = await end
  expect(performance.now() - began).toBeLessThan(120_000)
  expect(stderr).toMatch(/PostgreSQL does not answer|the outcome of the commit is unknown/)
  expect(code, stderr).toBe(5)
  await started.proxy.close()
  await expectWhole(started)
})

test('an interrupted run with a silent server ends within ten seconds', async () => {
  const started = await startedRun()
  const end = ended(started.process)
  started.proxy.silence()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const began = performance.now()
  started.process.kill('SIGINT')
  const { code, stderr } = await end
  expect(performance.now() - began, stderr).toBeLessThan(60_000)
  expect(code, stderr).toBe(5)
  await started.proxy.close()
  await expectWhole(started)
})
