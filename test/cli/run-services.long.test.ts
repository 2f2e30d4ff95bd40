import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlake } from './in-process.ts'
import { finished, startChainlake } from './spawn.ts'

let folder = ''
let devnet: Devnet
let addresses = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-services-'))
  devnet = await startDevnet({ blocks: 600 })
  addresses = (await (await fetch(`${devnet.url}/devnet/addresses?of=p`)).text()).trim().split('\n').join(',')
})
afterAll(async () => {
  await devnet.close()
  rmSync(folder, { recursive: true, force: true })
})

function config(name: string, text: string): string[] {
  const path = join(folder, `${name}.yaml`)
  writeFileSync(path, `node-url: ${devnet.url}\nservice: { data-url: '${devnet.url}' }\nlake: ./${name}\n${text}`)
  return ['--config', path]
}

test('a pipeline runs without a configuration file, and the second run finds nothing new', async () => {
  const lake = join(folder, 'flags')
  const args = ['run', 'rest-utxos', '--network', 'local', '--blockchain', 'p-chain', '--addresses', addresses]
  const where = ['--data-url', devnet.url, '--lake', lake]
  const first = await chainlake([...args, ...where, '--json'], { cwd: folder })
  expect(first.stderr).not.toContain('"level":"error"')
  expect(first.code).toBe(0)
  const [job] = JSON.parse(first.stdout).jobs
  expect(job).toMatchObject({ kind: 'list', name: 'rest-utxos', pipeline: 'rest-utxos', upToDate: false })
  expect(job.tables[0]).toMatchObject({ name: 'rest_utxos' })
  expect(job.tables[0].rows).toBeGreaterThan(0)
  const second = await chainlake([...args, ...where], { cwd: folder })
  expect(second.stdout).toMatch(/rest-utxos: (up to date: )?nothing new in/)
  const status = await chainlake(['status', '--streams', '--lake', lake])
  expect(status.stdout).toMatch(/^local\/rest-utxos\/P\?addresses=/m)
  expect(status.stdout).toMatch(/observations?, the last at/)
})

test('an unknown network of the profile is refused', async () => {
  const service = ['--data-url', devnet.url, '--lake', join(folder, 'wrong')]
  for (const command of ['run', 'plan']) {
    const { code, stderr } = await chainlake([command, 'tps', '--network', 'lokal', '--chain-id', '43112', ...service])
    expect(code).toBe(2)
    expect(stderr).toContain(
      'error: The profile devnet does not know the network lokal.\n  known: mainnet, fuji, testnet, local',
    )
  }
})

test('plan sends no request to a service', async () => {
  const service = ['--data-url', 'http://127.0.0.1:1', '--lake', join(folder, 'planned'), '--json']
  const { code, stdout } = await chainlake(['plan', 'rest-chains', '--network', 'local', ...service], { cwd: folder })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([
    { job: 'rest-chains', streams: [{ stream: 'local/rest-chains', walk: 'snapshot', known: null }] },
  ])
})

test('with --all, a failed job does not end the others, and a later list can use rows of an earlier job', async () => {
  const args = config(
    'all',
    `jobs:
  early: { pipeline: rewards, network: local, addresses: { query: select address from p_output_addresses } }
  gone: { pipeline: tps, network: local, chain-id: 7 }
  containers: { pipeline: p-blocks }
  late: { pipeline: rewards, network: local, addresses: { query: select address from p_output_addresses } }
`,
  )
  const { code, stdout, stderr } = await chainlake(['run', '--all', ...args, '--json'])
  const summaries = JSON.parse(stdout) as { failed?: string[]; jobs: { name: string }[] }[]
  const done = summaries.map(({ failed, jobs }) => failed ?? jobs[0]?.name)
  expect(done).toEqual([['early'], ['gone'], 'containers', 'late'])
  expect(summaries[0]).toMatchObject({ runId: null, jobs: [], error: { code: 'query.no-lake' } })
  expect(stderr).toContain('error: 2 of 4 jobs failed: early, gone')
  expect(stderr).toContain('error: early: addresses: the query needs a lake, and there is none yet.')
  expect(stderr).toContain('gone failed; the other jobs continue')
  // The exit code of the first failure: a wrong list.
  expect(code).toBe(2)
})

test('a job is skipped if its query returns no row', async () => {
  const nobody = `select address from p_output_addresses where address = 'nobody'`
  const jobs = (first: string) =>
    `jobs:\n${first}  rewarded: { pipeline: rewards, network: local, addresses: { query: "${nobody}" } }\n`
  const both = config('nobody', jobs('  containers: { pipeline: p-blocks }\n'))
  const planned = await chainlake(['plan', '--all', ...both])
  expect(planned.stdout).toMatch(/^rewarded +its query needs a lake, and there is none yet$/m)
  const { code, stdout, stderr } = await chainlake(['run', '--all', ...both])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^rewarded: skipped: the query of addresses returns no row\.\nLake: /m)
  expect(stderr).toMatch(/"warn".*"msg":"rewarded: skipped: the query of addresses returns no row"/)
  const alone = await chainlake(['run', 'rewarded', ...both, '--json'])
  expect(alone.code).toBe(0)
  expect(JSON.parse(alone.stdout)).toMatchObject({
    runId: null,
    jobs: [{ name: 'rewarded', upToDate: true, skipped: { list: 'addresses', query: nobody } }],
  })
  const waits = JSON.parse((await chainlake(['plan', 'rewarded', ...both, '--json'])).stdout)[0]
  expect(waits).toMatchObject({ job: 'rewarded', streams: [], waits: 'the query of addresses returns no row yet' })
})

test('--follow runs each job once on its own first so that lists can use the lake, and drops failed jobs', async () => {
  const args = config(
    'followed',
    `jobs:
  gone: { pipeline: tps, network: local, chain-id: 7 }
  containers: { pipeline: p-blocks }
  late: { pipeline: rewards, network: local, addresses: { query: select address from p_output_addresses } }
`,
  )
  const child = startChainlake([
    'run',
    '--all',
    '--follow',
    '--max-lag',
    '300ms',
    '--log-level',
    'debug',
    '--json',
    ...args,
  ])
  let told = false
  child.stderr?.on('data', (text) => {
    // A second signal would end the run at once.
    if (!told && String(text).includes('"waiting"')) told = child.kill('SIGTERM')
  })
  const { code, stdout, stderr } = await finished(child)
  expect(code).toBe(143)
  const summaries = JSON.parse(stdout) as { failed?: string[]; stopped: boolean; jobs: { pipeline: string }[] }[]
  expect(summaries.map(({ failed, jobs }) => failed ?? jobs.map(({ pipeline }) => pipeline))).toEqual([
    ['gone'],
    ['p-blocks'],
    ['rewards'],
    ['p-blocks', 'rewards'],
  ])
  expect(summaries.at(-1)?.stopped).toBe(true)
  expect(stderr).toContain('error: 1 of 3 jobs failed: gone')
})
