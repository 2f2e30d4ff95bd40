import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Stream, streamId } from '../../../src/model.ts'
import { createLake, eventsPart, newLakeDir, stream, tables, writePart } from '../lake.ts'
import { sql } from '../sql.ts'

const other: Stream = { ...stream, path: 'X/block' }

async function openRun() {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [stream, other], command: 'test' })
  const runId = run.id
  const part = (from: number, id = runId) => writePart(lake, eventsPart(id, from, from + 10, from))
  const complete = (observationId: string, staged: 'keep' | 'discard', from: number | null = null, of = stream) =>
    catalog.commit({
      runId,
      stream: of,
      tables: ['events', 'names'],
      parts: from === null ? [] : [part(from)],
      progress: { kind: 'observation', observationId, staged },
      basis: null,
    })
  const rows = async () => (await catalog.files()).tables.map(({ files }) => files.map((file) => file.path))
  return { lake, catalog, run, runId, part, complete, rows }
}

describe('an observation', () => {
  test('resumes with all staged parts and is invisible until it is published', async () => {
    const { catalog, runId, part, complete, rows } = await openRun()
    const before = Date.now()
    const opened = await catalog.openObservation({ runId, stream })
    expect(opened).toMatchObject({ cursor: null, cursorAtMs: null, parts: [] })
    expect(Number(opened.observedAt)).toBeGreaterThanOrEqual(before * 1000)
    const [first, second, third] = [part(0), part(10), part(20)]
    await catalog.stage({ runId, observationId: opened.id, parts: [first, second], cursor: 'page 2' })
    await catalog.stage({ runId, observationId: opened.id, parts: [third], cursor: 'page 3' })
    const resumed = await catalog.openObservation({ runId, stream })
    expect(resumed).toEqual({
      ...opened,
      cursor: 'page 3',
      cursorAtMs: expect.any(Number),
      parts: [first, second, third],
    })
    expect(await rows()).toEqual([])
    expect(await catalog.snapshotId()).toBe(0)
    expect(await catalog.observationIds(stream)).toEqual([])
    expect((await catalog.status()).streams[0]).toMatchObject({
      stream: streamId(stream),
      tables: [],
      observations: { complete: 0, lastCompleted: null, openSince: new Date(Number(opened.observedAt) / 1000) },
    })
    await complete(opened.id, 'keep', 30)
    expect(await rows()).toEqual([[0, 10, 20, 30].map((from) => eventsPart(runId, from, from + 10, from).path), []])
    expect(await catalog.observationIds(stream)).toEqual([opened.id])
    expect((await catalog.status()).streams[0]).toMatchObject({
      tables: [
        { table: 'events', rows: 40, slices: [] },
        { table: 'names', rows: 0 },
      ],
      observations: { complete: 1, lastCompleted: expect.any(Date), openSince: null },
    })
    const next = await catalog.openObservation({ runId, stream })
    expect(next.id > opened.id).toBe(true)
    expect(next.observedAt > opened.observedAt).toBe(true)
    expect(next.parts).toEqual([])
  })

  test('leaves only the rows of its commit if its staged parts are discarded', async () => {
    const { lake, catalog, runId, part, complete, rows } = await openRun()
    const { id } = await catalog.openObservation({ runId, stream })
    const staged = part(0)
    await catalog.stage({ runId, observationId: id, parts: [staged], cursor: null })
    await complete(id, 'discard', 10)
    expect(await rows()).toEqual([[eventsPart(runId, 10, 20, 10).path], []])
    expect(existsSync(join(lake, staged.path))).toBe(false)
    expect(await catalog.observationIds(stream)).toEqual([id])
    expect(await catalog.observationIds(other)).toEqual([])
  })

  test('begins again, with another id and time, when it is restarted', async () => {
    const { lake, catalog, runId, part, complete, rows } = await openRun()
    const opened = await catalog.openObservation({ runId, stream })
    const staged = part(0)
    await catalog.stage({ runId, observationId: opened.id, parts: [staged], cursor: 'page 2' })
    const again = await catalog.restartObservation({ runId, observationId: opened.id, stream })
    expect(again).toMatchObject({ cursor: null, cursorAtMs: null, parts: [] })
    expect(again.id > opened.id && again.observedAt > opened.observedAt).toBe(true)
    expect(existsSync(join(lake, staged.path))).toBe(false)
    await complete(again.id, 'keep')
    expect(await rows()).toEqual([[], []])
  })

  test('begins again when an earlier run staged nothing: it does not keep the time of a failed attempt', async () => {
    const { catalog, run, runId } = await openRun()
    const failed = await catalog.openObservation({ runId, stream })
    await run.end('failed')
    const later = await catalog.startRun({ streams: [stream], command: 'test' })
    const opened = await catalog.openObservation({ runId: later.id, stream })
    expect(opened.id > failed.id && opened.observedAt > failed.observedAt).toBe(true)
    expect((await catalog.status()).streams[0]?.observations?.openSince).toEqual(
      new Date(Number(opened.observedAt) / 1000),
    )
  })

  test('resumes within three days of its last staging, and begins again after them', async () => {
    const { lake, catalog, run, runId, part } = await openRun()
    const { id } = await catalog.openObservation({ runId, stream })
    const staged = part(0)
    await catalog.stage({ runId, observationId: id, parts: [staged], cursor: 'page 2' })
    await run.end('stopped')
    const openAfter = async (days: number) => {
      await sql(lake, `UPDATE chainlake.observation SET cursor_at_ms = ${Math.round(Date.now() - days * 86_400_000)}`)
      const later = await catalog.startRun({ streams: [stream], command: 'test' })
      const opened = await catalog.openObservation({ runId: later.id, stream })
      await later.end('stopped')
      return opened
    }
    expect(await openAfter(2.9)).toMatchObject({ id, parts: [staged] })
    const old = await openAfter(3.1)
    expect(old.id > id).toBe(true)
    expect(old).toMatchObject({ cursor: null, parts: [] })
    expect(existsSync(join(lake, staged.path))).toBe(false)
  })

  test('belongs to one stream and can be completed only once', async () => {
    const { catalog, runId, part, complete } = await openRun()
    const { id } = await catalog.openObservation({ runId, stream })
    const beside = await catalog.openObservation({ runId, stream: other })
    expect(beside.id > id).toBe(true)
    const refused = { name: 'CatalogError', code: 'catalog.observation' }
    await expect(complete(id, 'keep', null, other)).rejects.toMatchObject(refused)
    await complete(id, 'keep')
    await expect(complete(id, 'keep')).rejects.toMatchObject(refused)
    await expect(catalog.stage({ runId, observationId: id, parts: [part(0)], cursor: null })).rejects.toMatchObject(
      refused,
    )
    await expect(catalog.restartObservation({ runId, observationId: id, stream })).rejects.toMatchObject(refused)
    await expect(catalog.restartObservation({ runId, observationId: 'none', stream })).rejects.toMatchObject(refused)
  })

  test('is refused after its run has ended', async () => {
    const { catalog, run, runId, part } = await openRun()
    const { id } = await catalog.openObservation({ runId, stream })
    await run.end('done')
    const ended = { code: 'catalog.run-ended' }
    await expect(catalog.openObservation({ runId, stream })).rejects.toMatchObject(ended)
    await expect(catalog.stage({ runId, observationId: id, parts: [part(0)], cursor: null })).rejects.toMatchObject(
      ended,
    )
    await expect(catalog.restartObservation({ runId, observationId: id, stream })).rejects.toMatchObject(ended)
  })

  test('is resumed by a later run, and the parts of the earlier run are kept', async () => {
    const { lake, catalog, run, runId, part, rows } = await openRun()
    const { id } = await catalog.openObservation({ runId, stream })
    const staged = part(0)
    await catalog.stage({ runId, observationId: id, parts: [staged], cursor: 'page 2' })
    const orphan = part(10)
    await run.end('failed')
    const later = await catalog.startRun({ streams: [stream], command: 'test' })
    expect(later.recovery.removed).toEqual([orphan.path])
    const resumed = await catalog.openObservation({ runId: later.id, stream })
    expect(resumed).toMatchObject({ id, cursor: 'page 2', parts: [staged] })
    await catalog.commit({
      runId: later.id,
      stream,
      tables: ['events'],
      parts: [],
      progress: { kind: 'observation', observationId: id, staged: 'keep' },
      basis: null,
    })
    expect(await rows()).toEqual([[staged.path]])
    await later.end('done')
    const last = await catalog.startRun({ streams: [stream], command: 'test' })
    expect(last.recovery).toEqual({ died: [], removed: [], unknown: [], restarted: [] })
    expect(existsSync(join(lake, staged.path))).toBe(true)
  })

  test('stays open if its commit does not name a table of its staged parts', async () => {
    const { catalog, runId, part } = await openRun()
    const { id } = await catalog.openObservation({ runId, stream })
    await catalog.stage({ runId, observationId: id, parts: [part(0)], cursor: null })
    await expect(
      catalog.commit({
        runId,
        stream,
        tables: ['names'],
        parts: [],
        progress: { kind: 'observation', observationId: id, staged: 'keep' },
        basis: null,
      }),
    ).rejects.toMatchObject({ code: 'catalog.commit' })
    expect((await catalog.openObservation({ runId, stream })).parts).toHaveLength(1)
  })
})
