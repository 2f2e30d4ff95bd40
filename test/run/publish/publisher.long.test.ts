import { expect, onTestFinished, test, vi } from 'vitest'
import { tables } from '../../../schemas/index.ts'
import { LockedError } from '../../../src/errors.ts'
import { pause } from '../../../src/lib/wait.ts'
import type { RunEvent } from '../../../src/run/events.ts'
import { createPublisher } from '../../../src/run/publish/publisher.ts'
import { createLake } from '../../catalog/lake.ts'
import { newLake } from '../lake-run.ts'

const everyMs = 60_000
const stream = { network: 'local', path: 'nothing', parameters: {} }

async function publishing() {
  const lakeDir = newLake()
  const stop = new AbortController()
  const catalog = await createLake({ folder: lakeDir }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const events: RunEvent[] = []
  let commits = 0
  const commit = async (): Promise<void> => {
    const slice = { from: commits, to: ++commits }
    const progress = { kind: 'slice', slice, ends: null } as const
    await catalog.commit({ runId: run.id, stream, tables: ['p_blocks'], parts: [], progress, basis: null })
  }
  const emit = (event: RunEvent): void => {
    events.push(event)
  }
  const options = { lakeDir, catalog, runId: run.id, stop: stop.signal, emit }
  return { options, stop, events, commit, end: () => run.end('done') }
}

test('a following run publishes at most once a minute, no commit later than that, and all commits at its end', async () => {
  const { options, stop, events, commit, end } = await publishing()
  let nowMs = 5_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const publisher = createPublisher(options)
  const committed = async (): Promise<number> => {
    await commit()
    await publisher.afterCommit()
    await publisher.afterRound()
    return events.length
  }
  await commit()
  await publisher.afterCommit()
  expect(events).toEqual([])
  // The first round is published immediately.
  expect(await committed()).toBe(1)
  nowMs += 1_000
  expect(await committed()).toBe(1)
  nowMs += everyMs - 1_100
  expect(await committed()).toBe(1)
  nowMs += 100
  expect(await committed()).toBe(2)
  expect(await committed()).toBe(2)
  // Unpublished commits are published when the interval has passed, even if the next round is far away.
  nowMs += everyMs - 100
  await publisher.wait(300, stop.signal)
  expect(events).toHaveLength(3)
  nowMs += everyMs - 100
  await publisher.wait(300, stop.signal)
  expect(events).toHaveLength(3)
  expect(await committed()).toBe(3)
  await publisher.atEnd(null)
  expect(events.at(-1)).toEqual({
    kind: 'published',
    snapshotId: await options.catalog.snapshotId(),
    seconds: expect.any(Number),
  })
  await end()
})

test('after a stop, a publication gives up in time with one warning; without a stop, its failure is thrown', async () => {
  const { options, stop, events, commit, end } = await publishing()
  await createPublisher(options).afterRound()
  events.length = 0
  await commit()
  const held = new LockedError('Another process holds the catalog.', { code: 'catalog.locked' })
  const locked = { ...options.catalog, snapshot: () => Promise.reject(held) }
  const before = createPublisher({ ...options, catalog: locked })
  await expect(before.afterRound()).rejects.toBe(held)
  await expect(before.atEnd(null)).rejects.toBe(held)

  const publisher = createPublisher({ ...options, catalog: locked, graceMs: 50 })
  stop.abort(new Error('SIGINT'))
  await publisher.afterRound()
  await pause(200)
  await publisher.atEnd(null)
  expect(events).toMatchObject([{ kind: 'warning', message: expect.stringContaining('chainlake views') }])
  await end()
})
