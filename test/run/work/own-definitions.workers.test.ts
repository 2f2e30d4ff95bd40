import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { ask } from '../../catalog/postgres/database.ts'
import { command, ended, logged, newLake, query, startCommand, strayFiles } from '../lake-run.ts'
import { newSharedLake, type SharedLake, startWorker, tasks, untilTasks } from './workers-lake.ts'

const examples = join(packageRoot(), 'examples')

/** A folder with a module in TypeScript that imports a file with this version, a list in YAML, and events by ABI. */
function newProject(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-machine-'))
  const text = readFileSync(join(examples, 'pipelines/gas-by-block/gas-by-block.mjs'), 'utf8')
  const changed = text
    .replace("'./quantity.mjs'", "'./quantity.ts'")
    .replace('unit: 4_096', 'unit')
    .replace('function readBlock(block,', 'function readBlock(block: { [field: string]: string },')
  writeFileSync(join(folder, 'gas.ts'), `import { unit } from './unit.ts'\n${changed}`)
  writeFileSync(join(folder, 'unit.ts'), `// ${version}\nexport const unit: number = 100\n`)
  cpSync(join(examples, 'pipelines/gas-by-block/quantity.mjs'), join(folder, 'quantity.ts'))
  const [lists = ''] = readFileSync(join(examples, 'lists/chainlake.yaml'), 'utf8').split('\njobs:')
  const jobs = `
jobs:
  gas: { pipeline: gas-by-block }
  heads: { pipeline: block-heads, chain-id: 43112 }
  events:
    pipeline: evm-events
    events:
      - event Transfer(address indexed from, address indexed to, uint256 value)
      - event Approval(address indexed owner, address indexed spender, uint256 value)
    contracts: { file: ./contracts.txt }
`
  cpSync(join(examples, 'devnet-contracts.txt'), join(folder, 'contracts.txt'))
  writeFileSync(join(folder, 'chainlake.yaml'), `node-url: \${DEVNET_URL}\npipelines: [./gas.ts]\n${lists}\n${jobs}`)
  return join(folder, 'chainlake.yaml')
}

const tables = ['block_gas', 'block_heads', 'evm_event_transfer', 'evm_event_approval']

/** The number and a hash of the rows of each table. */
const rowsOf = (lake: string, names: readonly string[] = tables) =>
  query(
    lake,
    names
      .map(
        (name) =>
          `SELECT '${name}' AS name, count(*)::INT AS n, md5(string_agg(t::text, '' ORDER BY t::text)) AS h FROM ${name} t`,
      )
      .join(' UNION ALL '),
  )

let node: Devnet
let environment: Record<string, string> = {}
let config = ''
let quiet: Record<string, unknown>[] = []
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 800 })
  environment = { DEVNET_URL: node.url, CHAINLAKE_LOG_LEVEL: 'warn' }
  config = newProject('new')
  const lake = newLake()
  const run = await command(['run', '--all', '--config', config, '--lake', lake, '--log-level', 'error'], environment)
  expect([run.code, run.stderr]).toEqual([0, ''])
  quiet = await rowsOf(lake)
  expect(quiet.filter(({ n }) => Number(n) > 0)).toHaveLength(tables.length)
})
afterAll(() => node.close())

async function expectWhole(lake: SharedLake, names: readonly string[] = tables): Promise<void> {
  const views = await command(['views', ...lake.flags])
  expect(views.code, views.stderr).toBe(0)
  expect(await rowsOf(lake.folder, names)).toEqual(quiet.filter(({ name }) => names.includes(String(name))))
  expect(Object.keys(await tasks(lake))).toEqual(['completed'])
  const verified = await command(['verify', ...lake.flags])
  expect(verified.code, verified.stdout).toBe(0)
  expect(await strayFiles(lake.folder)).toEqual([])
}

describe('workers run a pipeline of a module in TypeScript, a list in YAML and events by ABI', () => {
  test('as one process does, although two of them are killed in a commit', async () => {
    const lake = await newSharedLake()
    const planner = ended(
      startCommand(['run', '--all', '--workers', '--lease', '10s', '--config', config, ...lake.flags], environment),
    )
    await untilTasks(lake, ({ created = 0 }) => created > 8)
    const dying = ['commit.after-coverage', 'commit.after-close'].map((point) =>
      startWorker([...lake.flags, '--config', config], { ...environment, CHAINLAKE_DIE_AT: point }),
    )
    for (const each of dying) expect((await each.ended).signal).toBe('SIGKILL')
    // Another machine, where the files are in another folder. It finds lists and events in the tasks.
    const workers = [1, 2].map(() => startWorker([...lake.flags, '--config', newProject('new')], environment))
    const { code, stderr } = await planner
    expect(code, stderr).toBe(0)
    for (const each of workers) expect((await each.end('SIGTERM')).code).toBe(0)
    await expectWhole(lake)
  })

  test('and leave the tasks of a module that they do not have, or have in another version, to other workers', async () => {
    const lake = await newSharedLake()
    const run = (path: string) =>
      startCommand(['run', 'gas', '--workers', '--config', path, ...lake.flags], environment)
    const outdated = newProject('old')
    // Its tasks wait when a command with changed files queues the same slices.
    const first = run(outdated)
    await untilTasks(lake, ({ created = 0 }) => created > 3)
    first.kill('SIGKILL')
    const planner = run(config)
    const following = ended(planner)
    const hashes = async () =>
      ask(
        lake.url,
        "SELECT DISTINCT (data->>'message')::jsonb->'module'->>'path' AS p, (data->>'message')::jsonb->'module'->>'hash' AS h FROM pgboss.job",
      )
    const [before] = await hashes()
    while (JSON.stringify(await hashes()).includes(String(before?.['h'])))
      await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await hashes()).toEqual([{ p: 'gas.ts', h: expect.stringMatching(/^[0-9a-f]{64}$/) }])

    const said = logged(planner, 'No running worker can do the tasks')
    const unfit = [
      startWorker([...lake.flags, '--config', outdated], environment),
      startWorker([...lake.flags, '--node-url', node.url], environment),
    ]
    await said
    const fit = startWorker([...lake.flags, '--config', config], environment)
    const { code, stderr } = await following
    expect(code, stderr).toBe(0)
    for (const each of [...unfit, fit]) expect((await each.end('SIGTERM')).code).toBe(0)
    expect((await unfit[0]!.ended).stderr).toContain('another version of the module of the pipeline gas-by-block')
    expect((await unfit[1]!.ended).stderr).toContain('Start the worker with the module: --pipelines gas.ts')
    // They rest after each attempt, and the attempts do not count.
    const [counted] = await ask(
      lake.url,
      'SELECT sum(retry_count)::int AS left, min(retry_limit - retry_count)::int AS remaining FROM pgboss.job',
    )
    expect(counted?.['remaining']).toBe(20)
    expect(counted?.['left']).toBeLessThan(10)
    await expectWhole(lake, ['block_gas'])
  })
})
