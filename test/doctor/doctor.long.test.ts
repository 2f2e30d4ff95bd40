import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FaultPlan } from '../../devnet/faults.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { createLake } from '../catalog/lake.ts'
import { chainlake } from '../cli/in-process.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake } from '../run/lake-run.ts'

let node: Devnet
let lake = ''
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 60 })
  lake = newLake()
  await exportLake({ node, lake, to: 20 })
})
afterAll(() => node.close())
beforeEach(() => node.setFaults(null))

type Told = { verdict: string; about: string; code: string; says: string; todo: string | null; exitCode: number }

async function doctor(
  args: readonly string[],
  given: { url?: string; lake?: string; env?: Record<string, string>; warning?: string } = {},
) {
  const where = ['--node-url', given.url ?? node.url, '--lake', given.lake ?? lake, '--json']
  const { code, stdout, stderr } = await chainlake(['doctor', ...args, ...where], given.env ? { env: given.env } : {})
  expect(stderr.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).msg))).toEqual(
    given.warning === undefined ? [] : [given.warning],
  )
  const { works, exitCode, checks } = JSON.parse(stdout) as { works: boolean; exitCode: number; checks: Told[] }
  expect({ works, code }).toEqual({ works: code === 0, code: exitCode })
  // Each check that is not good has a hint.
  expect(checks.filter(({ verdict, todo }) => (verdict === 'good') !== (todo === null))).toEqual([])
  return { code, of: (verdict: string) => checks.filter((check) => check.verdict === verdict), checks }
}

describe('doctor on a sound lake and node', () => {
  test('reports that a run would work, and writes nothing', async () => {
    const before = tree(lake)
    const { code, of, checks } = await doctor(['p-blocks', 'x-blocks', 'evm-blocks', 'validators'])
    expect(of('bad')).toEqual([])
    expect(code).toBe(0)
    const says = checks.map((check) => check.says).join('\n')
    expect(says).toContain(
      'local/P/block: the head is 60, and 41 blocks are missing in the lake. The first missing one, at 20, can be read.',
    )
    expect(says).toContain('Its namespaces are called avm and avax.')
    expect(says).toContain('Its clock and that of this machine agree.')
    expect(says).toMatch(/All \d+ files exist and have the right size\./)
    expect(tree(lake)).toEqual(before)
  })

  test('creates no lake', async () => {
    const place = newLake()
    expect((await doctor(['p-blocks'], { lake: place })).code).toBe(0)
    expect(existsSync(place)).toBe(false)
  })

  test('prints readable text without --json', async () => {
    const { code, stdout } = await chainlake(['doctor', '--node-url', node.url, '--lake', lake])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {4}lake: .* can be opened; it holds local\.$/m)
    expect(stdout).toMatch(/\nA run would work\.( .*)?\n$/)
  })

  test('lists the namespaces of the specification', async () => {
    const spec = await startDevnet({ seed: 5, blocks: 60, dialect: 'spec' })
    const { checks } = await doctor([], { url: spec.url })
    await spec.close()
    expect(checks.map(({ says }) => says)).toContain('Its namespaces are called xvm and cx.')
  })
})

describe('doctor on a node', () => {
  const every = (...kinds: FaultPlan['kinds'] & object): FaultPlan => ({ every: 1, kinds })

  test.each([
    ['no index', ['p-blocks'], every('index-off'), 'transport.no-index', 3],
    [
      'bootstrapping',
      ['p-blocks', '--source', 'rpc'],
      { ...every('bootstrapping'), pathPrefix: '/ext/bc/' },
      'transport.bootstrapping',
      3,
    ],
    ['a fault of its own', ['p-blocks'], every('server-error'), 'transport.http', 3],
    ['another chain', ['p-blocks'], every('other-chain'), 'catalog.other-source', 5],
    ['a wait of a day', ['p-blocks'], { ...every('rate-limit-day'), pathPrefix: '/ext/index/' }, 'postponed.wait', 7],
    ['ids that are wrong', ['p-blocks'], { ...every('wrong-id'), pathPrefix: '/ext/index/' }, 'decode.container', 4],
  ] as const)('%s', async (_, args, faults, code, exitCode) => {
    node.setFaults(faults)
    const told = await doctor([...args])
    expect(told.of('bad').map((check) => [check.code, check.exitCode])).toContainEqual([code, exitCode])
    expect(told.code).toBe(told.of('bad')[0]?.exitCode)
  })

  test('reports that no server answers', async () => {
    const told = await doctor(['p-blocks'], {
      url: 'http://127.0.0.1:9',
      warning: 'cannot connect to http://127.0.0.1:9, trying again',
    })
    expect(told.code).toBe(3)
    expect(told.of('bad')[0]).toMatchObject({ about: 'node http://127.0.0.1:9/', code: 'transport.connection' })
  })

  test.each([
    ['unhealthy', 'doctor.health'],
    ['empty', 'doctor.empty'],
  ] as const)('reports a notice for a node that is %s', async (kind, code) => {
    node.setFaults(every(kind))
    const told = await doctor(['p-blocks'], { lake: newLake() })
    expect(told.code).toBe(0)
    expect(told.of('notice').map((check) => check.code)).toContain(code)
  })

  test('reports a notice for an index that was enabled late', async () => {
    const late = await startDevnet({ blocks: 30, indexFrom: 11 })
    const told = await doctor(['p-blocks'], { url: late.url, lake: newLake() })
    await late.close()
    expect(told.code).toBe(0)
    expect(told.of('notice')).toContainEqual(
      expect.objectContaining({
        code: 'doctor.late-index',
        says: expect.stringContaining('The index P/block of the node begins at height 11'),
      }),
    )
  })

  test('refuses a node of another network and a node with other ids than the lake', async () => {
    const given = await doctor(['p-blocks', '--network-id', '5'])
    expect(given.of('bad')[0]).toMatchObject({ code: 'config.other-network', exitCode: 2 })
    const other = newLake()
    const catalog = await createLake({ folder: other }, tables)
    const facts = { hrp: 'local', nativeAssetId: null, durangoTime: null, chains: [] }
    await catalog.recordNetwork({ network: 'local', networkId: 99, ...facts })
    const told = await doctor(['p-blocks'], { lake: other })
    expect(told.of('bad')[0]).toMatchObject({ about: `node ${node.url}/`, code: 'catalog.other-source', exitCode: 5 })
  })
})

describe('doctor on a service', () => {
  const job = ['rest-evm-blocks', '--chain-id', '43112', '--network', 'local', '--service-profile', 'devnet']
  const asking = (env: Record<string, string> = {}) => ({ env: { DEVNET_URL: node.url, ...env } })

  test('reports that the service answers', async () => {
    const told = await doctor(job, asking())
    expect(told.of('bad')).toEqual([])
    expect(told.checks.map(({ says }) => says)).toContain(
      'GET /v1/chains/43112/blocks answers, and its answer can be read.',
    )
  })

  test('reports a refused key and does not show it', async () => {
    const told = await doctor(job, asking({ CHAINLAKE_API_KEY: 'WRONG' }))
    expect(told.of('bad')[0]).toMatchObject({ about: 'rest-evm-blocks', code: 'transport.unauthorized', exitCode: 3 })
    expect(JSON.stringify(told.checks)).not.toContain('WRONG')
  })

  test('reports a missing route', async () => {
    const told = await doctor(['rest-evm-blocks', '--chain-id', '999', '--network', 'local'], asking())
    expect(told.of('bad')[0]).toMatchObject({ about: 'rest-evm-blocks', exitCode: 3 })
  })

  test('reports a spent daily budget', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chainlake-doctor-'))
    const config = join(folder, 'chainlake.yaml')
    writeFileSync(config, 'service: { profile: devnet, units-per-day: { data: 1000 } }')
    const catalog = await openCatalog({ folder: lake }, tables)
    const account = { origin: new URL(node.url).origin, key: 'none' }
    await catalog.units.take({ account, perDay: 1000, least: 1000, share: 1000, unused: null })
    const told = await doctor([...job.slice(0, 5), '--config', config], asking())
    rmSync(folder, { recursive: true })
    expect(told.of('bad')).toContainEqual(
      expect.objectContaining({
        code: 'postponed.budget',
        exitCode: 7,
        says: '0 of the 1000 units per 24 hours are left.',
      }),
    )
  })
})

describe('doctor on a damaged or busy lake', () => {
  test('reports a running run', async () => {
    const catalog = await openCatalog({ folder: lake }, tables)
    const run = await catalog.startRun({
      streams: [{ network: 'local', path: 'P/block', parameters: {} }],
      command: 'test',
    })
    const told = await doctor(['p-blocks'])
    await run.end('done')
    expect(told.of('bad')).toMatchObject([{ about: 'lake', code: 'catalog.stream-locked', exitCode: 8 }])
    expect((await doctor(['p-blocks'])).code).toBe(0)
  })

  test('reports a missing file', async () => {
    const place = newLake()
    await exportLake({ node, lake: place, to: 20 })
    const [file] = tree(place).filter((path) => path.includes('/p_blocks/') && path.includes('.parquet'))
    rmSync(join(place, String(file).split(' ')[0]!))
    const told = await doctor(['p-blocks'], { lake: place })
    expect(told.of('bad')).toMatchObject([{ about: 'lake', code: 'verify.files', exitCode: 6 }])
    // The missing file does not affect another job.
    expect((await doctor(['validators'], { lake: place })).code).toBe(0)
  })

  test('reports a folder that is not a lake', async () => {
    const told = await doctor(['p-blocks'], { lake: tmpdir() })
    expect(told.of('bad')[0]).toMatchObject({ about: 'lake', code: 'lake.not-a-lake', exitCode: 2 })
  })
})

test('doctor checks all jobs of the configuration, with invalid jobs and jobs that wait for another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-doctor-'))
  writeFileSync(
    join(folder, 'chainlake.yaml'),
    `node-url: ${node.url}
lake: ./lake
jobs:
  chain: { pipeline: p-blocks }
  wrong: { pipeline: p-blocks, unit: 0 }
  later: { pipeline: transactions-by-id, chain: P, tx-ids: { query: select tx_id from p_transactions } }
`,
  )
  const { code, stdout } = await chainlake(['doctor'], { cwd: folder })
  rmSync(folder, { recursive: true })
  expect(code).toBe(2)
  expect(stdout).toMatch(/^BAD {3}wrong: /m)
  expect(stdout).toMatch(/^note {2}later: .*there is none yet/m)
  expect(stdout).toMatch(/^ok {4}chain: local\/P\/block/m)
  expect(stdout).toMatch(/^A run would fail with exit code 2: one problem\./m)
})

/** Every file with its size and modification time. */
function tree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const { size, mtimeMs } = statSync(join(folder, path))
      return `${path} ${size} ${mtimeMs}`
    })
}
