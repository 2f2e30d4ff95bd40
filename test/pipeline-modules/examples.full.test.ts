import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { command, newLake, query, strayFiles } from '../run/lake-run.ts'

const blocks = 5_000

let node: Devnet
/** A copy of examples/pipelines outside of the package, as users have it. */
let projects = ''
beforeAll(async () => {
  node = await startDevnet({ seed: 3, blocks, slowMs: 50 })
  projects = mkdtempSync(join(tmpdir(), 'chainlake-projects-'))
  cpSync(join(packageRoot(), 'examples/pipelines'), projects, { recursive: true })
})
afterAll(() => node.close())

const run = (project: string, lake: string, more: readonly string[] = [], environment: Record<string, string> = {}) =>
  command(
    [
      'run',
      '--all',
      '--config',
      join(projects, project, 'chainlake.yaml'),
      '--lake',
      lake,
      '--log-level',
      'warn',
      ...more,
    ],
    { DEVNET_URL: node.url, ...environment },
  )

/** Runs a project, and fails the test if it fails or warns. */
async function done(...[project, lake, more]: Parameters<typeof run>): Promise<void> {
  const { code, stderr, stdout } = await run(project, lake, more)
  expect([code, stderr], stdout).toEqual([0, ''])
}

const gasOf = (lake: string) =>
  query(
    lake,
    "select count(*)::int as n, sum(gas_used)::varchar as gas, md5(string_agg(block_hash, '' order by block_number)) as hashes from block_gas",
  )

describe('the example', () => {
  test('of a reading stores one row in each run, and the view shows the latest', async () => {
    const lake = newLake()
    for (const n of [1, 2]) {
      await done('gas-price', lake)
      expect(await query(lake, 'select count(*)::int as n from gas_prices')).toEqual([{ n }])
    }
    expect(await query(lake, 'select count(*)::int as n, min(price) > 0 as paid from gas_prices_latest')).toEqual([
      { n: 1, paid: true },
    ])
  })

  test('of a list stores each block once', async () => {
    const lake = newLake()
    for (const _ of [1, 2]) await done('block-list', lake)
    const sql = 'select count(*)::int as n, count(distinct block_number)::int as numbers from block_sizes'
    const [{ n, numbers } = {}] = await query(lake, sql)
    expect(n).toBe(blocks)
    expect(numbers).toBe(blocks)
  })

  test('of a range gives the same rows in one thread, in two, after kills, and from a faulty node', async () => {
    const quiet = newLake()
    await done('gas-by-block', quiet, ['--threads', '1'])
    const rows = await gasOf(quiet)
    expect(rows).toMatchObject([{ n: blocks + 1 }])
    // The view of the pipeline.
    const perDay = 'select sum(blocks)::int as n, sum(gas_used)::varchar as gas from gas_by_day'
    expect(await query(quiet, perDay)).toMatchObject([{ n: blocks + 1, gas: rows[0]!['gas'] }])
    const threads = newLake()
    await done('gas-by-block', threads, ['--threads', '2'])
    expect(await gasOf(threads)).toEqual(rows)

    const killed = newLake()
    for (const point of ['fetch.after#9', 'write.before-fsync', 'publish.before']) {
      const { signal } = await run('gas-by-block', killed, ['--threads', '2'], { CHAINLAKE_DIE_AT: point })
      expect([point, signal]).toEqual([point, 'SIGKILL'])
    }
    const resumed = await run('gas-by-block', killed)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(await gasOf(killed)).toEqual(rows)
    expect(await strayFiles(killed)).toEqual([])

    const faulty = newLake()
    node.setFaults({ every: 50, kinds: [...transientFaults], seed: 3 })
    const { code, stderr } = await run('gas-by-block', faulty, ['--threads', '2'])
    node.setFaults(null)
    expect(code, stderr).toBe(0)
    expect(await gasOf(faulty)).toEqual(rows)
  })
})

test('threads load the module of a pipeline, and each of them gets the running chainlake', async () => {
  const path = join(projects, 'gas-by-block', 'failing.mjs')
  const text = readFileSync(join(projects, 'gas-by-block', 'gas-by-block.mjs'), 'utf8')
  const failing =
    "if (block.number === '0x1200') throw new DecodeError(isMainThread ? 'in the main thread' : 'in a thread')"
  const changed = text.replace('  return {\n    gas: [', `  ${failing}\n  return {\n    gas: [`)
  writeFileSync(path, `import { isMainThread } from 'node:worker_threads'\n${changed}`)
  for (const threads of ['1', '2']) {
    const args = ['run', 'gas-by-block', '--pipelines', path, '--node-url', node.url, '--threads', threads]
    const { code, stderr } = await command([...args, '--lake', newLake(), '--log-level', 'error'])
    // The exit code of an error of decoding: the class of the error is the one that the run knows.
    expect([code, stderr]).toEqual([4, expect.stringContaining(threads === '1' ? 'in the main thread' : 'in a thread')])
  }
})

test('a lake needs no module to be verified, compacted, expired, published and read, and says what it cannot do without', async () => {
  const own = mkdtempSync(join(tmpdir(), 'chainlake-gone-'))
  cpSync(join(projects, 'gas-by-block'), own, { recursive: true })
  const lake = newLake()
  const config = join(own, 'chainlake.yaml')
  const first = await command(['run', '--all', '--config', config, '--lake', lake, '--to', '2000'], {
    DEVNET_URL: node.url,
  })
  expect(first.code, first.stderr).toBe(0)
  const second = await command(['run', '--all', '--config', config, '--lake', lake], { DEVNET_URL: node.url })
  expect(second.code, second.stderr).toBe(0)
  rmSync(own, { recursive: true })
  for (const args of [
    ['verify'],
    ['gaps'],
    ['status'],
    ['compact'],
    ['views'],
    ['publish', 'iceberg'],
    ['repair', '--dry-run'],
    ['sql', 'select count(*) from block_gas'],
    ['report'],
  ]) {
    const { code, stdout, stderr } = await command([...args, '--lake', lake])
    expect([args, code], stdout + stderr).toEqual([args, 0])
  }
  const before = await gasOf(lake)
  const compare = ['verify', '--node', node.url, '--lake', lake]
  const unverifiable = [
    { table: 'block_gas', stream: expect.stringMatching(/^local\/gas-by-block\/43112/), reason: expect.any(String) },
  ]
  for (const more of [[], ['--fast']]) {
    const { code, stdout } = await command([...compare, ...more, '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { sound: true }])
    const { unverifiable: all } = JSON.parse(stdout) as { unverifiable: { reason: string }[] }
    expect(all.filter(({ reason }) => reason.includes('--node'))).toEqual(unverifiable)
  }
  const said =
    'cannot be verified here: --node does not compare rows of gas-by-block, because verify does not load the code'
  expect(await command(compare)).toMatchObject({ code: 0, stdout: expect.stringContaining(said) })
  const folder = join(lake, 'data/block_gas/network=local/chain_id=43112')
  // The file of compaction, into which the earlier ones are merged.
  const changedMs = (name: string) => statSync(join(folder, name)).mtimeMs
  const file = readdirSync(folder).sort((a, b) => changedMs(b) - changedMs(a))[0]!
  const bytes = readFileSync(join(folder, file))
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(join(folder, file), bytes)
  const { code, stdout } = await command(['verify', '--lake', lake])
  expect(code).toBe(6)
  expect(stdout).toContain(file)
  const needsCode = [{ pipeline: 'gas-by-block', stream: unverifiable[0]!.stream, tables: ['block_gas'] }]
  const planned = await command(['repair', '--dry-run', '--lake', lake, '--json'])
  expect([planned.code, JSON.parse(planned.stdout)]).toMatchObject([0, { needsCode, lost: [] }])
  const repaired = await command(['repair', '--lake', lake])
  expect(repaired.code).toBe(0)
  expect(repaired.stdout).toContain('The next run reads their rows again only with their code')
  expect(repaired.stdout).toMatch(/^ {2}gas-by-block: block_gas of local\/gas-by-block\/43112/m)
  // With the code, a run reads the rows again.
  await done('gas-by-block', lake)
  expect(await gasOf(lake)).toEqual(before)
})
