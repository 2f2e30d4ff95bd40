import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { openPostgres, outcomeOf } from '../../../src/catalog/postgres/postgres-backend.ts'
import { openServer } from '../../../src/catalog/postgres/server.ts'
import { inTransaction } from '../../../src/catalog/session.ts'
import { createLake, endsOf, eventsPart, stream, tables, writePart } from '../lake.ts'
import { ask, newPlace } from './database.ts'
import { startProxy, type Way } from './proxy.ts'

/** How late an answer may be here, in milliseconds. */
const lateMs = 1_000
/** If a broken connection is detected within this time (milliseconds), the check for late answers has detected it. */
const soonMs = 30_000

let proxy: Way
let place: Awaited<ReturnType<typeof newPlace>>
beforeEach(async () => {
  place = await newPlace()
  proxy = await startProxy(place.url)
  await openServer(proxy.url, lateMs)
  await createLake({ folder: place.folder, catalog: proxy.url }, tables)
})
afterEach(() => proxy.close())

const backend = async (stop?: AbortSignal) => openPostgres(await openServer(proxy.url), { waitMs: 20_000, stop })

async function startRun(stop?: AbortSignal, url = proxy.url) {
  const catalog = await openCatalog({ folder: place.folder, catalog: url }, tables, stop === undefined ? {} : { stop })
  const run = await catalog.startRun({ streams: [stream], command: 'test', writes: ['events'] })
  const commit = (from: number, to: number) =>
    catalog.commit({
      runId: run.id,
      stream,
      tables: ['events'],
      parts: [writePart(place.folder, eventsPart(run.id, from, to))],
      progress: { kind: 'slice', slice: { from, to }, ends: endsOf(from, to) },
      basis: null,
    })
  const slices = async () => (await catalog.coverage(stream, ['events'])).get('events')?.map(({ slice }) => slice)
  return { catalog, run, commit, slices }
}

const unreachable = { code: 'catalog.unreachable', retryable: true }

async function soon<T>(work: Promise<T>, withinMs = soonMs): Promise<T> {
  const began = performance.now()
  try {
    return await work
  } finally {
    expect(performance.now() - began).toBeLessThan(withinMs)
  }
}

describe.each(['before', 'after'] as const)('a silent connection, %s a statement', (when) => {
  test('fails a read soon, and the next read uses another connection', async () => {
    const { read } = await backend()
    proxy.silenceAt('SELECT 42', when)
    await expect(soon(read((session) => session.rows('SELECT 42 AS n')))).rejects.toMatchObject(unreachable)
    expect(await soon(read((session) => session.rows('SELECT 42 AS n')))).toEqual([{ n: 42 }])
  })

  test('inside a transaction: nothing is committed, and other processes can write', async () => {
    const { run, commit, slices } = await startRun()
    await commit(0, 10)
    proxy.silenceAt('ducklake_data_file', when)
    const outcome = await soon(commit(10, 20)).catch((error: unknown) => error)
    // A whole transaction may arrive at once. If the proxy has forwarded it together with its COMMIT, it is committed.
    if (outcome === 2) expect(when).toBe('after')
    else {
      expect(outcome).toMatchObject(unreachable)
      expect(await slices()).toEqual([{ from: 0, to: 10 }])
      await commit(10, 20)
    }
    expect(await slices()).toEqual([{ from: 0, to: 20 }])
    await run.end('done')
  })

  test('at a commit: the program finds out whether the transaction was committed', async () => {
    const { run, commit, slices } = await startRun()
    await commit(0, 10)
    proxy.silenceAt('COMMIT', when)
    const committing = soon(commit(10, 20))
    if (when === 'after') expect(await committing).toBe(2)
    else await expect(committing).rejects.toMatchObject(unreachable)
    expect(await slices()).toEqual([{ from: 0, to: when === 'after' ? 20 : 10 }])
    await run.end('done')
  })

  test('with the locks of a run: taking one more lock fails soon', async () => {
    const { catalog } = await startRun()
    proxy.silenceAt('INSERT INTO chainlake.held_lock', when)
    const other = { ...stream, path: 'X/block' }
    const starting = catalog.startRun({ streams: [other], command: 'test', writes: ['events'] })
    await expect(soon(starting)).rejects.toMatchObject({
      code: expect.stringMatching(/^catalog\.(unreachable|lock-lost)$/),
    })
  })
})

test('a long statement does not time out, whether it waits for a lock or computes', async () => {
  const { write, read } = await backend()
  let free = () => {}
  const holding = write(
    () =>
      new Promise<void>((resolve) => {
        free = resolve
      }),
  )
  const other = openPostgres(await openServer(`${proxy.url}?application_name=other`, lateMs), { waitMs: 20_000 })
  const waiting = other.write(async (session) => (await session.rows('SELECT 1 AS n'))[0])
  expect(await read((session) => session.rows('SELECT pg_sleep(5)::text AS slept'))).toHaveLength(1)
  free()
  await holding
  expect(await waiting).toEqual({ n: 1 })
})

test('queries to a silent server fail, and succeed once it answers again', async () => {
  const { read } = await backend()
  const ask = () => read((session) => session.rows('SELECT 42 AS n'))
  await ask()
  proxy.silence()
  await expect(soon(ask())).rejects.toMatchObject(unreachable)
  // New connections are accepted but stay silent.
  await expect(soon(ask())).rejects.toMatchObject(unreachable)
  proxy.open()
  expect(await soon(ask())).toEqual([{ n: 42 }])
})

test('the outcome of a transaction is queried repeatedly, each time with a deadline', async () => {
  const server = await openServer(proxy.url)
  const { write } = await backend()
  const id = await write((session) =>
    inTransaction(session, async () => (await session.rows('SELECT pg_current_xact_id()::text AS id'))[0]!['id']),
  )
  proxy.silence()
  const asking = outcomeOf(server, id, { waitMs: 20_000 })
  setTimeout(() => proxy.open(), 3 * lateMs)
  expect(await soon(asking)).toBe('committed')
  proxy.silence()
  await expect(soon(outcomeOf(server, id, { waitMs: 3_000 }))).rejects.toMatchObject({
    code: 'catalog.unknown-outcome',
  })
})

test('a process that is stopping does not wait for a silent server', async () => {
  const usual = `${proxy.url}?application_name=usual`
  const stop = new AbortController()
  const { run, commit } = await startRun(stop.signal, usual)
  await commit(0, 10)
  proxy.silenceAt('COMMIT', 'before')
  const committing = commit(10, 20)
  committing.catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 500))
  proxy.silence()
  stop.abort(new Error('stopped'))
  const ending = committing.catch((error: unknown) => error).finally(() => run.end('failed').catch(() => undefined))
  expect(await soon(ending, 10_000)).toMatchObject({ code: 'catalog.unknown-outcome' })
  const [left] = await ask(place.url, 'SELECT count(*)::int AS n FROM chainlake.coverage')
  expect(left).toEqual({ n: 1 })
})
