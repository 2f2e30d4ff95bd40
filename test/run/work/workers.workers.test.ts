import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { ask } from '../../catalog/postgres/database.ts'
import { recordingFolder } from '../../recorded.ts'
import { command, ended, newLake, rowSets, startCommand, strayFiles } from '../lake-run.ts'
import { kill, newSharedLake, type SharedLake, startWorker, tasks, untilTasks, type Worker } from './workers-lake.ts'

const jobs = ['p-blocks', 'x-blocks', 'c-blocks']
const blocks = 2_000

let node: Devnet
let quiet: Record<string, string>
beforeAll(async () => {
  node = await startDevnet({ seed: 7, blocks })
  const lake = newLake()
  const run = await command(['run', ...jobs, '--lake', lake, '--node-url', node.url, '--log-level', 'error'])
  expect(run.code, run.stderr).toBe(0)
  quiet = await rowSets(lake)
})
afterAll(() => node.close())

const worker = (lake: SharedLake, environment: Record<string, string> = {}) =>
  startWorker([...lake.flags, '--node-url', node.url], environment)
const queueing = (lake: SharedLake, ...more: string[]) => [
  ...['run', ...jobs, '--unit', '100', '--workers', '--lease', '10s', ...lake.flags, '--node-url', node.url],
  ...more,
]

async function expectWhole(lake: SharedLake): Promise<void> {
  const views = await command(['views', ...lake.flags])
  expect(views.code, views.stderr).toBe(0)
  expect(await rowSets(lake.folder)).toEqual(quiet)
  expect(Object.keys(await tasks(lake))).toEqual(['completed'])
  const { tasks: counted } = JSON.parse((await command(['status', '--json', ...lake.flags])).stdout)
  expect(counted).toMatchObject({ waiting: 0, underWay: 0, again: 0, givenUp: 0 })
  const verified = await command(['verify', ...lake.flags])
  expect(verified.code, verified.stdout).toBe(0)
}

/** Suspends the only worker while it has a task. */
async function freezeWithTask({ process }: Worker, lake: SharedLake): Promise<void> {
  for (;;) {
    process.kill('SIGSTOP')
    // After this time, the database has executed everything that the worker had sent.
    await new Promise((resolve) => setTimeout(resolve, 500))
    if ((await tasks(lake))['active'] === 1) return
    process.kill('SIGCONT')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('workers on one lake', () => {
  test('lose no rows when they are killed, and continue when the process that queued the tasks is killed', async () => {
    const lake = await newSharedLake()
    const workers = [worker(lake), worker(lake)]
    const planner = startCommand(queueing(lake))
    for (const part of [5, 15, 25]) {
      await untilTasks(lake, ({ completed = 0 }) => completed >= part)
      await kill(workers[0]!)
      workers.shift()
      workers.push(worker(lake))
      planner.kill('SIGKILL')
    }
    await untilTasks(lake, ({ completed = 0, ...open }) => completed >= 60 && Object.keys(open).length === 0)
    for (const each of workers) expect((await each.end('SIGTERM')).code).toBe(0)
    const again = await command(queueing(lake))
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('up to date')])
    await expectWhole(lake)
    // The files that the killed workers had written but not committed are gone.
    const orphans = await command(['doctor', 'p-blocks', ...lake.flags, '--node-url', node.url])
    expect(orphans.stdout).not.toContain('no commit')
  })

  test('lose no rows when they are killed at each step of a commit', async () => {
    const lake = await newSharedLake()
    const planner = ended(startCommand(queueing(lake)))
    await untilTasks(lake, ({ created = 0 }) => created > 50)
    const points = [
      'write.after-fsync',
      ...['before-begin', 'after-files', 'after-coverage', 'after-commit', 'after-close'].map(
        (step) => `commit.${step}`,
      ),
    ]
    const dying = points.map((point) => worker(lake, { CHAINLAKE_DIE_AT: point }))
    for (const each of dying) expect((await each.ended).signal).toBe('SIGKILL')
    const last = worker(lake)
    const { code, stderr } = await planner
    expect(code, stderr).toBe(0)
    expect((await last.end('SIGTERM')).code).toBe(0)
    await expectWhole(lake)
    expect(await strayFiles(lake.folder)).toEqual([])
  })

  test('change nothing when they wake up after another worker took their task', async () => {
    const lake = await newSharedLake()
    const frozen = worker(lake, { CHAINLAKE_LOG_LEVEL: 'info' })
    const planner = ended(startCommand(queueing(lake)))
    await untilTasks(lake, ({ completed = 0 }) => completed >= 3)
    await freezeWithTask(frozen, lake)
    const other = worker(lake)
    const { code, stderr } = await planner
    expect(code, stderr).toBe(0)
    frozen.process.kill('SIGCONT')
    // The worker has time to notice that it lost its task, and to take another task if one is left.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    for (const each of [frozen, other]) expect((await each.end('SIGTERM')).code).toBe(0)
    const retried = await ask(
      lake.url,
      "SELECT count(*)::int AS n FROM pgboss.job WHERE name = 'chainlake' AND retry_count > 0",
    )
    expect(retried).toEqual([{ n: 1 }])
    await expectWhole(lake)
  })

  test('commit the complete part of a task when they are stopped, and leave the rest to others', async () => {
    const flags = ['--chain', `${node.url}/ext/bc/C/rpc`, '--to', '1000']
    const alone = newLake()
    const run = await command(['run', 'evm-blocks', ...flags, '--lake', alone, '--log-level', 'error'])
    expect(run.code, run.stderr).toBe(0)
    node.setFaults({ every: 3, kinds: ['slow'] })
    const lake = await newSharedLake()
    // The queue does not contain URLs.
    const urls = ['--urls', flags[1]!]
    const first = startWorker([...lake.flags, ...urls, '--concurrency', '1'])
    const planner = ended(startCommand(['run', 'evm-blocks', ...flags, '--workers', ...lake.flags]))
    await untilTasks(lake, ({ active = 0 }) => active === 1)
    const { requests } = node.requests()
    while (node.requests().requests < requests + 9) await new Promise((resolve) => setTimeout(resolve, 20))
    const stopped = await first.end('SIGTERM')
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringContaining('left for other workers')])
    const [{ n } = {}] = await ask(lake.url, 'SELECT count(*)::int AS n FROM chainlake.coverage')
    expect(n).toBeGreaterThan(0)
    const [{ data } = {}] = await ask(lake.url, 'SELECT data::text FROM pgboss.job')
    expect(data).not.toContain('127.0.0.1')
    node.setFaults(null)
    const second = startWorker([...lake.flags, ...urls])
    const { code, stderr } = await planner
    expect(code, stderr).toBe(0)
    expect((await second.end('SIGTERM')).code).toBe(0)
    expect(await rowSets(lake.folder)).toEqual(await rowSets(alone))
  })

  test('that are connected to another network leave their tasks to others', async () => {
    const other = await startDevnet({ replay: recordingFolder('granite') })
    const lake = await newSharedLake()
    const wrong = startWorker([...lake.flags, '--node-url', other.url])
    const planner = ended(startCommand(queueing(lake)))
    await untilTasks(lake, ({ retry = 0 }) => retry > 0)
    const right = worker(lake)
    const { code, stderr } = await planner
    expect(code, stderr).toBe(0)
    for (const each of [wrong, right]) await each.end('SIGTERM')
    expect((await wrong.ended).stderr).toContain('serves another chain')
    await expectWhole(lake)
    await other.close()
  })
})

test('a lake with a file as its catalog refuses workers', async () => {
  const lake = newLake()
  for (const args of [['worker'], ['run', 'p-blocks', '--workers']]) {
    const { code, stderr } = await command([...args, '--lake', lake, '--node-url', node.url])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Use --lake postgres://')])
  }
})
