import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { ask } from '../../catalog/postgres/database.ts'
import { command, ended, newLake, rowSets, startCommand, strayFiles } from '../lake-run.ts'
import { kill, newSharedLake, type SharedLake, startWorker, tasks, untilTasks } from './workers-lake.ts'

const jobs = ['p-blocks', 'x-blocks', 'c-blocks']

let node: Devnet
let quiet: Record<string, string>
beforeAll(async () => {
  node = await startDevnet({ seed: 7, blocks: 1_000 })
  const lake = newLake()
  const run = await command(['run', ...jobs, '--lake', lake, '--node-url', node.url, '--log-level', 'error'])
  expect(run.code, run.stderr).toBe(0)
  quiet = await rowSets(lake)
})
afterAll(() => node.close())

/** The environment of a process with a calendar clock that is off by some hours. Its timers are right. */
function offBy(hours: number): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), 'chainlake-clock-')), 'clock.mjs')
  const shift = hours * 3_600_000
  writeFileSync(
    file,
    `const Real = Date
     globalThis.Date = class Date extends Real {
       constructor(...given) { super(...(given.length === 0 ? [Real.now() + ${shift}] : given)) }
       static now() { return Real.now() + ${shift} }
     }\n`,
  )
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` }
}

/** A copy of the built program that says it is another version. */
function otherVersion(): string {
  const root = mkdtempSync(join(tmpdir(), 'chainlake-version-'))
  const described = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ ...described, version: '0.0.1' }))
  cpSync(join(packageRoot(), 'dist'), join(root, 'dist'), { recursive: true })
  for (const folder of ['node_modules', 'schemas', 'pipelines'])
    symlinkSync(join(packageRoot(), folder), join(root, folder))
  return root
}

const queueing = (lake: SharedLake) =>
  startCommand([
    ...['run', ...jobs, '--unit', '50', '--workers', '--lease', '10s', ...lake.flags, '--node-url', node.url],
  ])

async function expectWhole(lake: SharedLake): Promise<void> {
  const views = await command(['views', ...lake.flags])
  expect(views.code, views.stderr).toBe(0)
  expect(await rowSets(lake.folder)).toEqual(quiet)
  expect(Object.keys(await tasks(lake))).toEqual(['completed'])
  const verified = await command(['verify', ...lake.flags])
  expect(verified.code, verified.stdout).toBe(0)
  expect(await strayFiles(lake.folder)).toEqual([])
}

test('workers with clocks that are hours ahead and behind write the rows of one process, also when one of them is killed', async () => {
  const lake = await newSharedLake()
  const worker = (hours: number) => startWorker([...lake.flags, '--node-url', node.url], offBy(hours))
  const [ahead, behind, killed] = [worker(7), worker(-7), worker(30)]
  const planner = ended(queueing(lake))
  await untilTasks(lake, ({ completed = 0 }) => completed >= 5)
  await kill(killed)
  const { code, stderr } = await planner
  expect(code, stderr).toBe(0)
  for (const each of [ahead, behind]) expect((await each.end('SIGTERM')).code).toBe(0)
  // The next start removes what the killed worker had written and not committed, although its run began tomorrow.
  const again = await ended(queueing(lake))
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('up to date')])
  const [runs] = await ask(lake.url, 'SELECT count(DISTINCT left(run_id, 11))::int AS hours FROM chainlake.run')
  // Each of them committed, under runs with the time of its own clock.
  expect(runs?.['hours']).toBeGreaterThan(1)
  await expectWhole(lake)
})

test('a worker of another version leaves the tasks to workers of the same version', async () => {
  const lake = await newSharedLake()
  const flags = [...lake.flags, '--node-url', node.url]
  const other = startWorker(flags, {}, otherVersion())
  const planner = ended(queueing(lake))
  await untilTasks(lake, ({ retry = 0 }) => retry > 0)
  const same = startWorker(flags)
  const { code, stderr } = await planner
  expect(code, stderr).toBe(0)
  for (const each of [other, same]) expect((await each.end('SIGTERM')).code).toBe(0)
  expect((await other.ended).stderr).toContain('version')
  expect((await other.ended).stdout).not.toMatch(/[1-9]\d* tasks? done/)
  await expectWhole(lake)
})
