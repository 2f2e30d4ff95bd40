import { spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { type PageData, reportData } from '../../src/report/make-report.ts'
import { flatRows, viewRows } from '../run/flat-tables.ts'
import { entriesOf, metadataOf, pathsOf } from '../run/iceberg-table.ts'
import { command, ended, newLake } from '../run/lake-run.ts'
import { accessKey, type S3Server, startS3Server } from './s3-server.ts'

let node: Devnet
let server: S3Server
/** The same rows in a folder. */
let local = ''
let prefixes = 0
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret-of-tests')
  vi.stubEnv('NODE_OPTIONS', '--no-warnings')
  node = await startDevnet({ seed: 7, blocks: 400 })
  server = await startS3Server({ pageKeys: 7 })
  local = newLake()
  await exported(local)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
  await node.close()
})
beforeEach(() => {
  server.fault = () => null
})

const inS3 = () => ['--data', `s3://lake/a/${++prefixes}`, '--s3-endpoint', server.url, '--s3-path-style', 'true']

async function exported(lake: string, more: readonly string[] = [], environment: Record<string, string> = {}) {
  return command(['run', 'p-blocks', '--unit', '80', '--node-url', node.url, '--lake', lake, ...more], environment)
}

/** An export into a new lake. */
async function lakeInS3(): Promise<string> {
  const lake = newLake()
  const { code, stderr } = await exported(lake, inS3())
  expect(code, stderr).toBe(0)
  return lake
}

async function sql(lake: string, query: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(['sql', query, '--lake', lake, '--format', 'csv', ...more])
  expect(code, stderr).toBe(0)
  return stdout
}

async function verified(lake: string, ...more: string[]) {
  const { code, stdout } = await command(['verify', '--lake', lake, ...more])
  expect(code, stdout).toBe(0)
  return stdout
}

const fetched = () => server.requested.filter(({ what }) => what === 'get').map(({ key }) => key)
const forgetCache = (lake: string) => rmSync(join(lake, '.cache'), { recursive: true, force: true })
const keysOf = (lake: string) => [...server.objects.keys()].filter((key) => key.startsWith(`a/${lake}/data/`))

const questions = [
  'SELECT count(*), max(height), min(height) FROM p_blocks',
  'SELECT * FROM p_blocks WHERE height BETWEEN 100 AND 120 ORDER BY height',
  "SELECT count(*) FROM p_transactions WHERE network = 'local' AND height > 380",
  "SELECT count(*) FROM p_blocks WHERE network = 'nowhere'",
  'SELECT * FROM p_daily ORDER BY ALL',
  'SELECT tx_type, count(*) FROM p_transactions t JOIN p_blocks b USING (height) WHERE b.height < 90 GROUP BY ALL ORDER BY ALL',
  'SELECT count(*) FROM p_inputs WHERE height IN (SELECT height FROM p_blocks WHERE height >= 300)',
  'PIVOT (SELECT tx_type, height // 100 AS part FROM p_transactions) ON part USING count(*) ORDER BY tx_type',
  'CREATE TEMP TABLE x AS SELECT height FROM p_blocks WHERE height > 50; SELECT count(*) FROM x',
  'SELECT count(*) FROM p_blocks WHERE height = 7 OR height = 390',
  "SELECT height FROM p_blocks WHERE height IN (7, 150, 390) AND network IN ('local', 'other') ORDER BY height",
  'SELECT height, lag(height) OVER (ORDER BY height) FROM p_blocks WHERE height > 395 ORDER BY height',
]

describe('a lake in S3', () => {
  let lake = ''
  beforeAll(async () => {
    lake = await lakeInS3()
  })

  test('is published as Iceberg with addresses in the bucket', async () => {
    const { code, stderr } = await command(['publish', 'iceberg', '--lake', lake])
    expect(code, stderr).toBe(0)
    const { tables: published } = await (await openCatalog({ folder: lake }, tables)).files()
    const files = published.find(({ name }) => name === 'p_blocks')?.files ?? []
    const [snapshot] = metadataOf(lake, 'p_blocks').snapshots
    const paths = pathsOf(await entriesOf(lake, snapshot!, 'p_blocks'))
    expect(paths.length).toBeGreaterThan(1)
    expect(paths.toSorted()).toEqual(files.map(({ path }) => `s3://lake/a/1/${path}`).toSorted())
  })

  test('is published as Parquet files in a folder, which are copies', async () => {
    const to = join(lake, 'flat')
    const { code, stderr } = await command(['publish', 'parquet', '--lake', lake, '--to', to])
    expect(code, stderr).toBe(0)
    expect(await flatRows(to, 'p_blocks')).toEqual(await viewRows(local, 'p_blocks'))
  })

  test('has the same report as a lake in a folder', async () => {
    const [own, other] = await Promise.all(
      [lake, local].map((lakeDir) => reportData({ lake: { folder: lakeDir }, nowMs: 0 })),
    )
    const rowsOf = ({ sections }: PageData) =>
      sections
        .filter(({ id }) => id === 'p')
        .flatMap(({ answers }) => answers.map(({ id, rows, failure }) => ({ id, rows, failure })))
    expect(rowsOf(own!).length).toBeGreaterThan(3)
    expect(rowsOf(own!)).toEqual(rowsOf(other!))
  })

  test.each(questions)('returns the same answers as a lake in a folder: %s', async (query) => {
    forgetCache(lake)
    expect(await sql(lake, query)).toBe(await sql(local, query))
  })

  test('returns the same answers from copies that other queries downloaded', async () => {
    forgetCache(lake)
    for (const query of questions.slice(0, 3)) expect(await sql(lake, query)).toBe(await sql(local, query))
  })

  test('has views for readers at another URL, and answers from the bucket meanwhile', async () => {
    const views = async (location: string) =>
      expect((await command(['views', '--lake', lake, '--location', location])).code).toBe(0)
    const text = () => readFileSync(join(lake, 'views.sql'), 'utf8')
    await views('https://host/lake')
    expect(text()).toContain('https://host/lake/data/p_blocks/')
    expect(text()).not.toContain('s3://')
    expect(await sql(lake, 'SELECT max(height) FROM p_blocks')).toBe(
      await sql(local, 'SELECT max(height) FROM p_blocks'),
    )
    await views(lake)
    expect(text()).toContain('s3://lake/a/1/data/p_blocks/')
    expect(text()).not.toContain('https://')
  })

  test('has only its catalog and views in the local folder and knows where its data files are', async () => {
    expect(existsSync(join(lake, 'data'))).toBe(false)
    expect(keysOf(String(prefixes)).length).toBeGreaterThan(10)
    const status = JSON.parse((await command(['status', '--json', '--lake', lake])).stdout)
    expect(status.streams[0].tables.length).toBeGreaterThan(2)
  })

  test('downloads only what a query needs, and only once', async () => {
    forgetCache(lake)
    server.requested.length = 0
    const all = keysOf('1').filter((key) => key.includes('/p_blocks/')).length
    const asks = 'SELECT count(*) FROM p_blocks WHERE height = 10'
    await sql(lake, asks)
    const first = fetched().length
    expect(fetched().every((key) => key.includes('/data/p_blocks/'))).toBe(true)
    // A unit has a file for each month.
    expect({ first, isSome: first > 0 && first < all / 2 }).toEqual({ first, isSome: true })
    await sql(lake, asks)
    await sql(lake, "SELECT count(*) FROM p_blocks WHERE network = 'nowhere'")
    expect(fetched()).toHaveLength(first)
    for (const both of ['height = 10 OR height = 300', 'height IN (10, 300)']) {
      await sql(lake, `SELECT count(*) FROM p_blocks WHERE ${both}`)
      expect(fetched().length).toBeLessThanOrEqual(2 * first)
    }
    await sql(lake, 'SELECT count(*) FROM p_blocks')
    expect(fetched()).toHaveLength(all)
  })

  test('refuses a download above the limit and states its size', async () => {
    forgetCache(lake)
    const { code, stderr } = await command(['sql', 'FROM p_blocks', '--lake', lake, '--max-download', '10kB'])
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/\d files of .* limit is 10\.0 kB/),
    })
    expect((await command(['verify', '--lake', lake, '--max-download', '10kB'])).code).toBe(5)
  })

  test('verifies without errors and has the same content as the lake in a folder', async () => {
    const certificate = join(lake, '..', 'certificate.json')
    await verified(local, '--certificate', certificate)
    await verified(lake)
    await verified(lake, '--against', certificate)
  })

  test('has the same content after compact, expire, backup and restore', async () => {
    const other = await lakeInS3()
    const backup = join(other, '..', 'backup')
    expect((await command(['backup', backup, '--lake', other])).code).toBe(0)
    const compacted = await command(['compact', '--lake', other])
    expect(compacted.code, compacted.stderr).toBe(0)
    expect(compacted.stdout).toContain('p_blocks')
    const before = keysOf(String(prefixes)).length
    expect((await command(['expire', '--older-than', '0s', '--lake', other])).code).toBe(0)
    expect(keysOf(String(prefixes)).length).toBe(before)
    await verified(other)
    const query = 'SELECT count(*), sum(height) FROM p_blocks'
    expect(await sql(other, query)).toBe(await sql(local, query))
    const restored = await command(['restore', backup, '--lake', other])
    expect(restored.code, restored.stderr).toBe(0)
    expect(await sql(other, query)).toBe(await sql(local, query))
    // The next run continues, although the last writer of the bucket was a run that the backup does not know.
    const again = await exported(other)
    expect(again.code, again.stderr).toBe(0)
  })

  test('passes verification despite a damaged local copy, which is downloaded again', async () => {
    await sql(lake, 'SELECT max(block_id) FROM p_blocks')
    const cache = join(lake, '.cache')
    const copies = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /files.*p_blocks.*\.parquet$/.test(path),
    )
    expect(copies.length).toBeGreaterThan(1)
    for (const path of copies) truncateSync(join(cache, path), 100)
    const damaged = await command(['sql', 'SELECT max(block_id) FROM p_blocks', '--lake', lake])
    expect(damaged).toMatchObject({ code: 6, stderr: expect.stringContaining('it downloads damaged copies again') })
    await verified(lake, '--fast')
    const query = 'SELECT count(*), max(block_id) FROM p_blocks'
    expect(await sql(lake, query)).toBe(await sql(local, query))
  })

  test('reports a lost file in verify, and repair and a run restore it', async () => {
    const other = await lakeInS3()
    const [gone] = keysOf(String(prefixes)).filter((key) => key.includes('/p_blocks/'))
    server.objects.delete(gone ?? '')
    forgetCache(other)
    const { code, stdout } = await command(['verify', '--lake', other])
    expect({ code, stdout }).toMatchObject({
      code: 6,
      stdout: expect.stringContaining('A file of p_blocks is missing'),
    })
    const requested = await command(['sql', 'SELECT count(*) FROM p_blocks', '--lake', other])
    expect(requested.code, requested.stderr).toBe(6)
    const repaired = await command(['repair', '--lake', other])
    expect(repaired.code, repaired.stderr).toBe(0)
    expect((await exported(other)).code).toBe(0)
    const query = 'SELECT count(*), sum(height) FROM p_blocks'
    expect(await sql(other, query)).toBe(await sql(local, query))
  })

  test('has one writing folder: a run in an outdated copy is refused and changes nothing', async () => {
    const first = await lakeInS3()
    const copy = join(first, '..', 'copy')
    cpSync(first, copy, { recursive: true })
    expect((await exported(first)).code).toBe(0)
    const before = keysOf(String(prefixes))
    const { code, stderr } = await exported(copy)
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('Another copy of this lake') })
    expect(keysOf(String(prefixes))).toEqual(before)
    expect(await sql(copy, 'SELECT count(*) FROM p_blocks')).toBe(await sql(local, 'SELECT count(*) FROM p_blocks'))
  })

  test('cannot change its location', async () => {
    const wrong = await exported(local, inS3())
    expect({ ...wrong }).toMatchObject({ code: 2, stderr: expect.stringContaining('at another location') })
    const other = await exported(lake, inS3())
    expect(other.code).toBe(2)
    const requested = await command(['sql', 'SELECT 1', '--lake', local, ...inS3()])
    expect({ ...requested }).toMatchObject({ code: 2, stderr: expect.stringContaining('its own folder') })
    const taken = await exported(newLake(), [
      '--data',
      's3://lake/a/1',
      '--s3-endpoint',
      server.url,
      '--s3-path-style',
      'true',
    ])
    expect({ ...taken }).toMatchObject({ code: 2, stderr: expect.stringContaining('already contains data files') })
  })

  test('is checked by doctor, which leaves no file', async () => {
    const before = [...server.objects.keys()]
    const requested = ['doctor', 'p-blocks', '--node-url', node.url, '--lake', lake]
    const well = await command(requested)
    expect({ ...well }).toMatchObject({ code: 0, stdout: expect.stringContaining('It can be written.') })
    server.fault = ({ what }) => (what === 'begin' ? 'denied' : null)
    const denied = await command(requested)
    expect({ ...denied }).toMatchObject({ code: 5, stdout: expect.stringContaining('It cannot be written') })
    expect([...server.objects.keys()]).toEqual(before)
    expect(server.halves.size).toBe(0)
  })
})

test('a run with an unreliable S3 service writes the same rows as one with a reliable service', async () => {
  let count = 0
  server.fault = ({ what }) => {
    count++
    if (count % 5 === 0) return 'slow-down'
    return count % 7 === 0 && what !== 'delete' ? 'lost' : null
  }
  const lake = newLake()
  const { code, stderr } = await exported(lake, inS3())
  expect(code, stderr).toBe(0)
  expect(stderr).not.toMatch(/secret-of-tests|Signature=/)
  server.fault = () => null
  const certificate = join(lake, '..', 'certificate.json')
  await verified(local, '--certificate', certificate)
  await verified(lake, '--against', certificate)
})

test.each([
  'upload.before#4',
  'upload.sent#4',
  'upload.after#4',
  'commit.before-begin#2',
  'commit.after-commit#2',
  'write.after-open#3',
])('a run that is killed at %s resumes and leaves no file behind', async (point) => {
  const lake = newLake()
  const place = inS3()
  const killed = await exported(lake, place, { CHAINLAKE_DIE_AT: point })
  expect(killed.signal).toBe('SIGKILL')
  const { code, stderr } = await exported(lake)
  expect(code, stderr).toBe(0)
  const certificate = join(lake, '..', 'certificate.json')
  await verified(local, '--certificate', certificate)
  await verified(lake, '--against', certificate)
  const report = await verified(lake)
  expect(report).not.toContain('not in the catalog')
  expect(readdirSync(lake).filter((name) => name.startsWith('.staged-'))).toEqual([])
})

test('an incomplete upload of a killed run is removed when the next run starts', async () => {
  const lake = newLake()
  const storage = { data: 's3://lake/halves', endpoint: server.url, pathStyle: true }
  const child = join(packageRoot(), 'test/store/send-child.mjs')
  const sending = spawn(process.execPath, [child, JSON.stringify({ lake, storage, bytes: 20 * 2 ** 20 })], {
    env: { ...process.env, CHAINLAKE_DIE_AT: 'upload.part' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect((await ended(sending)).signal).toBe('SIGKILL')
  expect(server.halves.size).toBe(1)
  const run = await (await openCatalog({ folder: lake }, tables)).startRun({ streams: [], command: 'test' })
  expect(run.recovery.removed).toHaveLength(1)
  expect(server.halves.size).toBe(0)
  expect(readdirSync(lake).filter((name) => name.startsWith('.staged-'))).toEqual([])
  await run.end('done')
})
