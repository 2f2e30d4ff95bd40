import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { LockedError } from '../../src/errors.ts'
import { createLake, newLakeDir, stream } from './lake.ts'
import { startChild } from './process.ts'

const other = { ...stream, path: 'X/block' }

describe('a stream with one run at a time', () => {
  test('refuses a second run at once and accepts it at once after the first is killed', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    const child = startChild(['hold-stream', lake, 'P'])
    const { run, part } = await child.waitFor('run')
    const refusal: LockedError = await catalog.startRun({ streams: [other, stream], command: 'test' }).then(
      () => expect.fail('started'),
      (error) => error,
    )
    expect(refusal).toBeInstanceOf(LockedError)
    expect(refusal.code).toBe('catalog.stream-locked')
    expect(refusal.message).toContain('local/P/block')
    expect(refusal.details).toMatchObject({ pid: child.process.pid, run })
    expect(refusal.hint).toContain(String(child.process.pid))
    const beside = await catalog.startRun({ streams: [other], command: 'test' })
    expect(beside.recovery).toEqual({ died: [], removed: [], unknown: [], restarted: [] })
    expect(existsSync(join(lake, part))).toBe(true)
    expect((await catalog.status()).streams.map(({ lastRun }) => lastRun?.state)).toEqual(['running', 'running'])

    child.process.kill('SIGKILL')
    await child.ended
    expect((await catalog.status()).streams.map(({ lastRun }) => lastRun?.state)).toEqual(['died', 'running'])
    const next = await catalog.startRun({ streams: [stream], command: 'test' })
    expect(next.recovery).toEqual({ died: [run], removed: [part], unknown: [], restarted: [] })
    expect(existsSync(join(lake, part))).toBe(false)
    await next.end('done')
    await beside.end('done')
    expect((await catalog.status()).streams.map(({ lastRun }) => lastRun?.state)).toEqual(['done', 'done'])
  })

  test('refuses commits of an unknown run and of an ended run', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    await expect(
      catalog.commit({
        runId: 'nobody',
        stream,
        tables: ['p_blocks'],
        parts: [],
        progress: { kind: 'slice', slice: { from: 0, to: 1 }, ends: null },
        basis: null,
      }),
    ).rejects.toMatchObject({ code: 'catalog.run-ended' })
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    await run.end('done')
    await expect(
      catalog.commit({
        runId: run.id,
        stream,
        tables: ['p_blocks'],
        parts: [],
        progress: { kind: 'none' },
        basis: null,
      }),
    ).rejects.toMatchObject({ code: 'catalog.run-ended' })
  })

  test('separates two catalogs in one process like two processes', async () => {
    const lake = newLakeDir()
    const first = await createLake({ folder: lake }, tables)
    const second = await openCatalog({ folder: lake }, tables)
    const run = await first.startRun({ streams: [stream], command: 'test' })
    await expect(second.startRun({ streams: [stream], command: 'test' })).rejects.toMatchObject({
      code: 'catalog.stream-locked',
    })
    const beside = await second.startRun({ streams: [other], command: 'test' })
    const commits = [0, 1, 2, 3].flatMap((from) =>
      [
        { catalog: first, runId: run.id, stream },
        { catalog: second, runId: beside.id, stream: other },
      ].map(({ catalog, runId, stream: own }) =>
        catalog.commit({
          runId,
          stream: own,
          tables: ['p_blocks'],
          parts: [],
          progress: { kind: 'slice', slice: { from, to: from + 1 }, ends: null },
          basis: null,
        }),
      ),
    )
    expect(new Set(await Promise.all(commits)).size).toBe(8)
    await run.end('done')
    await beside.end('done')
  })
})

describe('a catalog that another process holds', () => {
  test('opens once the process releases it', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    const child = startChild(['hold-catalog', lake, '1000'])
    await child.waitFor('held')
    expect(await catalog.snapshotId()).toBe(0)
    expect((await child.ended).code).toBe(0)
  })

  test('refuses after the time limit and names the process', async () => {
    const lake = newLakeDir()
    await createLake({ folder: lake }, tables)
    const child = startChild(['hold-catalog', lake, '60000'])
    await child.waitFor('held')
    const error: LockedError = await openCatalog({ folder: lake }, tables, { waitMs: 200 }).then(
      () => expect.fail('opened'),
      (failure) => failure,
    )
    child.process.kill('SIGKILL')
    await child.ended
    expect(error).toBeInstanceOf(LockedError)
    expect(error.code).toBe('catalog.locked')
    expect(error.details['pid']).toBe(child.process.pid)
    if (process.platform === 'linux') expect(error.details['command']).toContain('lake-child.mjs hold-catalog')
    expect(await (await openCatalog({ folder: lake }, tables)).snapshotId()).toBe(0)
  })

  test('stays consistent while copies are published during commits of another process', async () => {
    const lake = newLakeDir()
    const catalog = await createLake({ folder: lake }, tables)
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    const child = startChild(['export', lake, 'X', '80', '10'])
    await child.waitFor('committed')
    while (!child.said.some((message) => message['committed'] === 80)) {
      await catalog.publishCopy()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect((await child.ended).code).toBe(0)
    await run.end('done')
  })
})
