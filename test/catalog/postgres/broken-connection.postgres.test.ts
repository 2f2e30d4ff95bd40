import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { openServer } from '../../../src/catalog/postgres/server.ts'
import { catalogProcess, stateAfterKills } from '../../kills.ts'
import { createLake, endsOf, eventsPart, stream, tables, writePart } from '../lake.ts'
import { lakeState } from '../lake-state.ts'
import { startChild } from '../process.ts'
import { ask, control, newPlace, newPostgresLake, type PostgresLake } from './database.ts'
import { startProxy, type Way } from './proxy.ts'

async function lakeBehind(): Promise<PostgresLake & { proxy: Way }> {
  const place = await newPlace()
  const proxy = await startProxy(place.url)
  await createLake({ folder: place.folder, catalog: proxy.url }, tables)
  return { ...place, proxy }
}

async function startRun({ folder }: PostgresLake, waitMs = 5_000) {
  const catalog = await openCatalog({ folder }, tables, { waitMs })
  const run = await catalog.startRun({ streams: [stream], command: 'test', writes: ['events'] })
  const commit = (from: number, to: number) =>
    catalog.commit({
      runId: run.id,
      stream,
      tables: ['events'],
      parts: [writePart(folder, eventsPart(run.id, from, to))],
      progress: { kind: 'slice', slice: { from, to }, ends: endsOf(from, to) },
      basis: null,
    })
  return { catalog, run, commit }
}

const coveredOf = async (catalog: Awaited<ReturnType<typeof openCatalog>>) =>
  (await catalog.coverage(stream, ['events'])).get('events')?.map(({ slice }) => slice)

describe('a broken connection', () => {
  test('during a commit: the program finds out whether the transaction was committed', async () => {
    const lake = await lakeBehind()
    const { catalog, run, commit } = await startRun(lake)
    expect(await commit(0, 10)).toBe(1)
    lake.proxy.breakAt('COMMIT', 'after')
    expect(await commit(10, 20)).toBe(2)
    lake.proxy.breakAt('COMMIT', 'before')
    await expect(commit(20, 30)).rejects.toMatchObject({ code: 'catalog.unreachable', exitCode: 5, retryable: true })
    expect(await coveredOf(catalog)).toEqual([{ from: 0, to: 20 }])
    expect(await commit(20, 30)).toBe(3)
    await run.end('done')
    await lake.proxy.close()
  })

  test('with the locks of a run: the run commits nothing more, and another run continues', async () => {
    const lake = await newPostgresLake()
    const { catalog, run, commit } = await startRun(lake)
    await commit(0, 10)
    const ended = await ask(
      lake.url,
      "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND datname = current_database()",
    )
    expect(ended).toHaveLength(1)
    await expect(commit(10, 20)).rejects.toMatchObject({ code: 'catalog.lock-lost', exitCode: 5 })
    expect(await coveredOf(catalog)).toEqual([{ from: 0, to: 10 }])
    const next = await startRun({ ...lake })
    expect(next.run.recovery.died).toEqual([run.id])
    await expect(commit(10, 20)).rejects.toMatchObject({ code: 'catalog.lock-lost' })
    expect(await next.commit(10, 20)).toBe(2)
    await next.run.end('done')
    // The run was considered dead meanwhile. It reports a failure, so that the next run checks for the files that it left.
    await run.end('failed')
    const last = await startRun(lake)
    expect(last.run.recovery.removed).toEqual([expect.stringContaining(run.id)])
    await last.run.end('done')
  })

  test('to a stopped server: the error says that the catalog is unreachable', async () => {
    const lake = await lakeBehind()
    const { run, commit } = await startRun(lake)
    lake.proxy.cut()
    await expect(commit(0, 10)).rejects.toMatchObject({
      code: expect.stringMatching(/^catalog\.(unreachable|lock-lost)$/),
    })
    await expect(run.end('failed')).rejects.toMatchObject({ code: 'catalog.unreachable' })
    lake.proxy.open()
    const next = await startRun(lake)
    expect(await next.commit(0, 10)).toBe(1)
    await next.run.end('done')
    await lake.proxy.close()
  })
})

test('a frozen process changes nothing after another process has taken its stream', async () => {
  const work = ['export', 'P', '2000', '10'] as const
  const { folder, url } = await newPostgresLake()
  const frozen = startChild([work[0], folder, ...work.slice(1)])
  await frozen.waitFor('committed')
  frozen.process.kill('SIGSTOP')
  // The server does the same when it receives nothing for a minute, or when it restarts.
  await ask(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  const next = startChild(['export', folder, 'P', '400', '10'])
  expect((await next.ended).code).toBe(0)
  const before = await lakeState(folder)
  frozen.process.kill('SIGCONT')
  expect(await frozen.waitFor('error')).toMatchObject({
    code: expect.stringMatching(/^catalog\.(lock-lost|unreachable)$/),
  })
  await frozen.ended
  const after = await lakeState(folder)
  expect({ ...after, stray: [] }).toEqual({ ...before, stray: [] })
  // The part that the process wrote after it woke up belongs to no commit. The next command that cleans up removes it.
  const tending = await (await openCatalog({ folder }, tables)).startRun({ streams: [], command: 'compact' })
  await tending.end('done')
  expect((await lakeState(folder)).stray).toEqual([])
})

test.each([
  ['before its transaction', 'pg_advisory_lock'],
  ['in its transaction', 'BEGIN'],
])('a process that freezes while it holds the catalog lock (%s) does not block others', async (_, text) => {
  const lake = await lakeBehind()
  const frozen = startChild(['export', lake.folder, 'P', '20000', '10'])
  await frozen.waitFor('committed')
  await lake.proxy.whenSaid(text, () => frozen.process.kill('SIGSTOP'))
  const other = await startChild(['export', lake.folder, 'X', '20', '10']).ended
  expect(other.code).toBe(0)
  const before = await lakeState(lake.folder)
  frozen.process.kill('SIGCONT')
  expect(await frozen.waitFor('error')).toMatchObject({ code: 'catalog.lock-lost', hint: expect.any(String) })
  // The process still holds its run.
  frozen.process.kill('SIGKILL')
  await frozen.ended
  expect({ ...(await lakeState(lake.folder)), stray: [] }).toEqual({ ...before, stray: [] })
  await lake.proxy.close()
})

test('a process that was frozen between its commits continues', async () => {
  const lake = await lakeBehind()
  const { catalog, run, commit } = await startRun(lake)
  await commit(0, 10)
  // The folder records the URL without the password, and the catalog connects to that.
  const recorded = JSON.parse(readFileSync(join(lake.folder, 'catalog.json'), 'utf8'))
  const { pool } = await openServer(recorded.postgres)
  expect(pool.totalCount).toBeGreaterThan(0)
  // The server does the same to silent connections. The connection with the locks of the run is an exception here.
  await ask(
    lake.url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')",
  )
  await expect.poll(() => pool.totalCount).toBe(0)
  expect(await commit(10, 20)).toBe(2)
  expect(await coveredOf(catalog)).toEqual([{ from: 0, to: 20 }])
  await run.end('done')
  await lake.proxy.close()
})

describe('a server restart', () => {
  let quiet: unknown
  const exporting = catalogProcess(['export', 'P', '600', '10'])
  beforeAll(async () => {
    quiet = await stateAfterKills(exporting, [])
  })

  test.each(['fast', 'immediate'])('(%s) during a run: the next run resumes from the last commit', async (how) => {
    const { folder } = await newPostgresLake()
    const child = startChild(['export', folder, 'P', '600', '10'])
    await child.waitFor('committed')
    await control('restart', how)
    const said = await child.waitFor('error')
    expect(said['code']).toMatch(/^catalog\.(unreachable|lock-lost|unknown-outcome)$/)
    expect(said['hint']).toMatch(/[Ss]tart again/)
    expect((await child.ended).code).toBe(1)
    expect((await exporting.work(folder)).code).toBe(0)
    expect(await exporting.state(folder)).toEqual(quiet)
  })
})
