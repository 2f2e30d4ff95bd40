import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Devnet } from '../../../devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { type Finished, finished, mainPath, startChainlake } from '../../cli/spawn.ts'
import { command, newLake, rowSets } from '../lake-run.ts'

/** A lake as an example of a scheduler sees it: a folder with chainlake.yaml, and `chainlake` on the path. */
export type TaskLake = { readonly cwd: string; readonly folder: string; readonly env: Record<string, string> }

const jobs = `
  p: { pipeline: p-blocks, unit: 100 }
  x: { pipeline: x-blocks, unit: 100 }
  c: { pipeline: c-blocks, unit: 100 }
  validators: { pipeline: validators }
`

export function newTaskLake(node: Devnet, place: { url: string; folder: string } | null): TaskLake {
  const cwd = mkdtempSync(join(tmpdir(), 'chainlake-tasks-'))
  const folder = place?.folder ?? join(cwd, 'lake')
  const lake = place === null ? `lake: ${folder}` : `lake: { catalog: "${place.url}", data: ${folder} }`
  writeFileSync(join(cwd, 'chainlake.yaml'), `node-url: ${node.url}\n${lake}\njobs:${jobs}`)
  writeFileSync(join(cwd, 'chainlake'), `#!/bin/sh\nexec '${process.execPath}' '${mainPath}' "$@"\n`)
  chmodSync(join(cwd, 'chainlake'), 0o755)
  return { cwd, folder, env: { PATH: `${cwd}:${process.env['PATH']}` } }
}

/** The rows of a quiet run of the jobs that always give the same rows. */
export async function quietRows(node: Devnet): Promise<Record<string, string>> {
  const lake = newLake()
  const run = await command(['run', 'p-blocks', 'x-blocks', 'c-blocks', '--lake', lake, '--node-url', node.url])
  expect(run.code, run.stderr).toBe(0)
  return rowSets(lake)
}

export async function planned(
  { cwd, env }: TaskLake,
  ...names: string[]
): Promise<{ code: number | null; tasks: string[]; stderr: string }> {
  const { code, stdout, stderr } = await finished(startChainlake(['plan', ...names, '--tasks'], { cwd, env }))
  return { code, tasks: stdout.split('\n').filter((line) => line !== ''), stderr }
}

export function doTask({ cwd, env }: TaskLake, task: string, dieAt?: string): Promise<Finished> {
  const more = dieAt === undefined ? {} : { CHAINLAKE_DIE_AT: dieAt }
  return finished(startChainlake(['run', '--task', '-', '--json'], { cwd, env: { ...env, ...more } }), task)
}

/** Kills an executor of each task at another step, then does each task twice at the same time, and compares the lake with a quiet run. */
export async function expectSameRows(lake: TaskLake, quiet: Record<string, string>): Promise<void> {
  const { code, tasks, stderr } = await planned(lake, 'p', 'x', 'c')
  expect(code, stderr).toBe(0)
  expect(tasks.length).toBeGreaterThan(8)
  const steps = [
    'write.after-batch',
    'commit.before-begin',
    'commit.after-files',
    'commit.after-commit',
    'run.registered',
  ]
  await Promise.all(steps.map((step, at) => doTask(lake, tasks[at]!, step)))
  for (const [at, task] of tasks.entries()) {
    const executors = await Promise.all(at % 3 === 0 ? [doTask(lake, task), doTask(lake, task)] : [doTask(lake, task)])
    for (const ended of executors) expect([0, 7, 8], ended.stderr).toContain(ended.code)
    expect(executors.some(({ code }) => code === 0)).toBe(true)
  }
  const [again] = [await doTask(lake, tasks[0]!)]
  expect([again.code, JSON.parse(again.stdout)]).toEqual([
    0,
    expect.objectContaining({ schema: 'chainlake.task.v1', is: 'nothing', rows: 0, job: 'p' }),
  ])
  const published = await finished(startChainlake(['publish'], { cwd: lake.cwd, env: lake.env }))
  expect(published.code, published.stderr).toBe(0)
  expect(await rowSets(lake.folder)).toEqual(quiet)
  const verified = await finished(startChainlake(['verify'], { cwd: lake.cwd, env: lake.env }))
  expect(verified.code, verified.stdout).toBe(0)
  expect((await planned(lake, 'p', 'x', 'c')).tasks).toEqual([])
}

export const processesExample = join(packageRoot(), 'examples/tasks/processes.sh')
