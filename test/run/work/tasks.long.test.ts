import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { finished, startChainlake } from '../../cli/spawn.ts'
import { rowSets } from '../lake-run.ts'
import { doTask, expectSameRows, newTaskLake, planned, processesExample, quietRows } from './task-executors.ts'

let node: Devnet
let quiet: Record<string, string>
beforeAll(async () => {
  node = await startDevnet({ seed: 7, blocks: 300 })
  quiet = await quietRows(node)
})
afterAll(() => node.close())

test('tasks leave the rows of a quiet run in a lake with a local catalog, also when executors are killed and two do the same task', async () => {
  await expectSameRows(newTaskLake(node, null), quiet)
})

test('a task of another version or another lake is refused, and one line says what became of a task', async () => {
  const lake = newTaskLake(node, null)
  // The subnets of this list come from the lake.
  const first = await planned(lake, 'p', 'validators')
  expect([first.code, first.stderr]).toEqual([7, expect.stringMatching(/^again: validators$/m)])
  for (const task of first.tasks) expect((await doTask(lake, task)).code).toBe(0)
  await finished(startChainlake(['publish'], lake))
  const { tasks } = await planned(lake, 'validators')
  const stream = JSON.parse(tasks.at(-1)!)
  expect(stream).toMatchObject({ job: 'validators', slice: null })
  const done = await doTask(lake, tasks.at(-1)!)
  expect([done.code, JSON.parse(done.stdout).is], done.stderr).toEqual([0, 'done'])
  for (const [change, said] of [
    [{ chainlake: '0.0.1' }, 'planned by another version of chainlake'],
    [{ lake: 'b3a9' }, 'planned for another lake'],
  ] as const) {
    const refused = await doTask(lake, JSON.stringify({ ...stream, ...change }))
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(said)])
  }
  expect(tasks.join('')).not.toContain(node.url)
})

test('the example with plain processes fills a lake', async () => {
  const lake = newTaskLake(node, null)
  await promisify(execFile)(processesExample, { cwd: lake.cwd, env: { ...process.env, ...lake.env, JOBS: 'p x c' } })
  expect(await rowSets(lake.folder)).toEqual(quiet)
})
