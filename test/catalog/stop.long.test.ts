import { expect, onTestFinished, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { LockedError } from '../../src/errors.ts'
import { createLake, newLakeDir, stream } from './lake.ts'
import { startChild } from './process.ts'

const graceMs = 2_000

/** A catalog with a run. Another process then holds the catalog file for some milliseconds. */
async function heldLake(milliseconds: number) {
  const lake = newLakeDir()
  const stop = new AbortController()
  const catalog = await createLake({ folder: lake }, tables, { stop: stop.signal, graceMs })
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const child = startChild(['hold-catalog', lake, String(milliseconds)])
  onTestFinished(async () => {
    child.process.kill('SIGKILL')
    await child.ended
  })
  await child.waitFor('held')
  const commit = () =>
    catalog.commit({
      runId: run.id,
      stream,
      tables: ['p_blocks'],
      parts: [],
      progress: { kind: 'slice', slice: { from: 0, to: 1 }, ends: null },
      basis: null,
    })
  return { lake, stop, catalog, run, commit, child }
}

/** The error of a refused wait, and its duration in milliseconds. */
async function refusal(wait: Promise<unknown>): Promise<{ error: LockedError; ms: number }> {
  const startedMs = performance.now()
  const error = await wait.then(
    () => expect.fail('was not refused'),
    (failure) => failure,
  )
  expect(error).toBeInstanceOf(LockedError)
  return { error, ms: performance.now() - startedMs }
}

test('a stop ends every wait for the catalog: at once before a run, after a grace period for a commit', async () => {
  const { lake, stop, catalog, run, commit, child } = await heldLake(60_000)
  const early = new AbortController()
  setTimeout(() => early.abort(new Error('SIGINT')), 100)
  const opening = await refusal(openCatalog({ folder: lake }, tables, { stop: early.signal, graceMs: 60_000 }))
  expect(opening.ms).toBeLessThan(30_000)
  expect(opening.error).toMatchObject({ code: 'catalog.locked', details: { pid: child.process.pid } })

  // The commit is already waiting when the stop arrives.
  const committing = refusal(commit())
  stop.abort(new Error('SIGINT'))
  const { error, ms } = await committing
  expect(ms).toBeGreaterThanOrEqual(graceMs - 50)
  expect(ms).toBeLessThan(graceMs + 30_000)
  expect(error).toMatchObject({ code: 'catalog.locked', details: { 'not committed': 'local/P/block [0, 1)' } })
  expect(error.hint).toContain('fetches again')
  // Later waits do not start from the beginning.
  expect((await refusal(commit())).ms).toBeLessThan(graceMs)
  expect((await refusal(catalog.startRun({ streams: [], command: 'test' }))).ms).toBeLessThan(graceMs)
  expect((await refusal(run.end('stopped'))).ms).toBeLessThan(30_000)

  // The lock of the run is released all the same, also in this process.
  child.process.kill('SIGKILL')
  await child.ended
  const next = await openCatalog({ folder: lake }, tables)
  const second = await next.startRun({ streams: [stream], command: 'test' })
  expect(second.recovery.died).toEqual([run.id])
  await second.end('done')
})

test('a commit succeeds after a stop if the other process releases the catalog in time', async () => {
  const { stop, catalog, run, commit } = await heldLake(graceMs / 2)
  stop.abort(new Error('SIGINT'))
  expect(await commit()).toBe(1)
  await run.end('stopped')
  // Once the lock is released, the catalog can be opened, even after the grace period.
  await new Promise((resolve) => setTimeout(resolve, 2 * graceMs))
  expect(await catalog.snapshotId()).toBe(1)
})
