import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { runCommand } from '../../src/cli/commands/export.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { newLake } from '../run/lake-run.ts'
import { mainPath } from './spawn.ts'

const folder = join(packageRoot(), 'examples/schedulers')
const recipe = (name: string) => readFileSync(join(folder, name), 'utf8')
const units = ['chainlake.service', 'chainlake-follow.service', 'chainlake.timer']
const temporary = () => mkdtempSync(join(tmpdir(), 'chainlake-recipe-'))

/** A command that replaces chainlake: it ends with a code and records its arguments. */
function stub(code: number): { command: string; given: () => string } {
  const place = temporary()
  const command = join(place, 'chainlake')
  writeFileSync(
    command,
    `#!/bin/sh\necho "$@" > '${place}/given'\necho '{"tables": [], "exitCode": ${code}}' > "$DONE"\nexit ${code}\n`,
  )
  chmodSync(command, 0o755)
  return { command, given: () => readFileSync(join(place, 'given'), 'utf8') }
}

test('all flags in recipes exist', () => {
  const flags = Object.keys(runCommand.options)
  for (const name of ['cron.sh', ...units, 'cronjob.yaml', 'chainlake_run.py'])
    for (const [, flag = ''] of recipe(name).matchAll(/(?<=[\s"])--([a-z-]+)/g))
      expect([...flags, 'all'], `${name}: --${flag}`).toContain(flag)
})

describe('cron', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 15, blocks: 20 })
  })
  afterAll(() => node.close())

  test('the script runs all jobs, says nothing when all is well, and leaves what changed', async () => {
    const lake = newLake()
    const config = join(temporary(), 'chainlake.yaml')
    writeFileSync(config, `node-url: ${node.url}\nlake: ${lake}\njobs:\n  blocks: { pipeline: p-blocks }\n`)
    const done = join(temporary(), 'done.json')
    const ran = await promisify(execFile)('sh', [join(folder, 'cron.sh')], {
      env: {
        ...process.env,
        CHAINLAKE: `${process.execPath} ${mainPath}`,
        CHAINLAKE_CONFIG: config,
        CHAINLAKE_DONE: done,
      },
    })
    expect(ran).toEqual({ stdout: '', stderr: '' })
    expect(JSON.parse(readFileSync(done, 'utf8')).tables.map(({ table }: { table: string }) => table)).toContain(
      'p_blocks',
    )
  })

  test.each([
    [7, 0],
    [8, 0],
    [3, 3],
  ])('a run that ends with %i lets the script end with %i', (code, expected) => {
    const { command, given } = stub(code)
    const done = join(temporary(), 'new/folder/done.json')
    // The environment of cron. The script is a command of its own.
    const env = { PATH: '/usr/bin:/bin', CHAINLAKE: command, CHAINLAKE_DONE: done, DONE: done }
    const { status, stderr } = spawnSync(join(folder, 'cron.sh'), [], { env, encoding: 'utf8' })
    expect(status).toBe(expected)
    expect(stderr).toBe(expected === 0 ? '' : `chainlake run exited with code ${expected}\n`)
    expect(given()).toContain(`run --all --deadline 9m --on-done ${done}`)
    expect(existsSync(done)).toBe(true)
  })

  test('the script finds a command in /usr/local/bin, which is not in the PATH of cron', () => {
    const script = recipe('cron.sh').replaceAll('/usr/local/bin', dirname(stub(0).command))
    const env = { PATH: '/usr/bin:/bin', CHAINLAKE_DONE: join(temporary(), 'done.json'), DONE: '/dev/null' }
    expect(recipe('cron.sh')).toContain('PATH=/usr/local/bin:$PATH')
    expect(spawnSync('sh', ['-c', script], { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})

test('the units of systemd say what they should; where systemd is, it finds nothing wrong', () => {
  for (const name of units)
    for (const line of recipe(name).split('\n')) expect(line).toMatch(/^(#.*|\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.+|)$/)
  expect(recipe('chainlake.service')).toContain('SuccessExitStatus=7 8 143')
  expect(recipe('chainlake-follow.service')).toContain('SuccessExitStatus=143\nRestart=on-failure\n')
  const place = temporary()
  for (const name of units) writeFileSync(join(place, name), recipe(name))
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...units.map((name) => join(place, name))], {
    encoding: 'utf8',
  })
  if (verified.error !== undefined) expect(verified.error).toMatchObject({ code: 'ENOENT' })
  else expect(verified.stderr.split('\n').filter((line) => line.includes(place))).toEqual([])
})

test('the CronJob of Kubernetes is one', () => {
  const file = join(packageRoot(), 'test/fixtures/kubernetes/cronjob.schema.json')
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(file, 'utf8')))
  const job = parse(recipe('cronjob.yaml'))
  schema.parse(job)
  expect(schema.safeParse({ ...job, spec: { ...job.spec, scedule: '5 * * * *' } }).success).toBe(false)
  const { backoffLimit, activeDeadlineSeconds } = job.spec.jobTemplate.spec
  expect(backoffLimit).toBe(0)
  // Killed only long after its own deadline.
  expect(activeDeadlineSeconds).toBeGreaterThan(50 * 60)
})

test.each([
  [0, 0],
  [7, 0],
  [3, 3],
])('the CronJob passes SIGTERM on, and ends with the run: its code %i is %i', async (code, expected) => {
  const place = temporary()
  const command = join(place, 'chainlake')
  const said = join(place, 'said')
  // A run that takes a moment to commit after a signal.
  const commits = `echo stopped > ${said}; sleep 0.2; echo committed >> ${said}; exit ${code}`
  writeFileSync(command, `#!/bin/sh\ntrap '${commits}' TERM\necho ready\nwhile :; do sleep 0.05; done\n`)
  chmodSync(command, 0o755)
  const { command: shell, args } = parse(recipe('cronjob.yaml')).spec.jobTemplate.spec.template.spec.containers[0]
  const env = { PATH: `${place}:/usr/bin:/bin` }
  const pod = spawn(shell[0], [...shell.slice(1), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(pod.stdout, 'data')
  const ended = once(pod, 'exit')
  pod.kill('SIGTERM')
  expect(await ended).toEqual([expected, null])
  expect(readFileSync(said, 'utf8')).toBe('stopped\ncommitted\n')
})

test('Python finds the recipes for Airflow and Dagster in order, and what they share runs a command', () => {
  const python = (code: string, env: Record<string, string> = {}) =>
    spawnSync('python3', ['-c', code], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    })
  const compiled = python(
    'import ast\nfor name in ("airflow_dag.py", "dagster_job.py", "chainlake_run.py"): ast.parse(open(name).read(), name)',
  )
  if (compiled.error !== undefined) {
    expect(compiled.error).toMatchObject({ code: 'ENOENT' })
    return
  }
  expect(compiled).toMatchObject({ status: 0, stderr: '' })
  for (const code of [0, 7, 8, 5]) {
    const place = temporary()
    const command = join(place, 'chainlake')
    const changes = '{"schema": "chainlake.changes.v1", "tables": [{"table": "p_blocks", "rows": 3}]}'
    const script = `#!/bin/sh\nwhile [ "$1" != --on-done ]; do shift; done\necho '${changes}' > "$2"\necho bad >&2\nexit ${code}\n`
    writeFileSync(command, script)
    chmodSync(command, 0o755)
    const ran = python(
      `from chainlake_run import *\nprint(changed_tables(run_chainlake(config="c", command=("${command}",))))`,
    )
    if (code === 5) expect(ran.stderr).toContain('ChainlakeFailed: chainlake exited with code 5: bad')
    else expect(ran.stdout).toBe("{'p_blocks': 3}\n")
  }
})
