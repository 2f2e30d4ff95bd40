import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openCatalogOf } from '../../src/catalog/catalog.ts'
import { createEmptyLake, lakePaths } from '../../src/catalog/lake.ts'
import type { LakePaths } from '../../src/catalog/place.ts'
import { type Backend, inTransaction, type Session } from '../../src/catalog/session.ts'
import type { Table } from '../../src/define/index.ts'
import type { LeafStats } from '../../src/model.ts'
import { endsOf, events, eventsPart, newLakeDir, stream, tables, writePart } from './lake.ts'
import { fileFacts } from './lake-state.ts'

/** Where the catalogs of a contract are, and how readers query them. `publishing`: copies of the catalog, or the catalog itself. */
export type Backends = {
  readonly publishing: 'copies' | 'itself'
  /** URL of the database of a new catalog; null: a file in the folder of the lake. */
  readonly newUrl: () => Promise<string | null>
  readonly published: (paths: LakePaths, sql: string) => Promise<Record<string, any>[]>
}

const account = 'https://data.example'

function spend(session: Session, units: number): Promise<void> {
  return inTransaction(session, () => session.append('chainlake', 'spent_units', [[account, 'none', 0, units]]))
}

async function spent(session: Session): Promise<number[]> {
  const rows = await session.rows('SELECT units FROM chainlake.spent_units WHERE origin = $1 ORDER BY units', [account])
  return rows.map((row) => row['units'])
}

/** Creates and opens each catalog as a lake does: through the entry of its kind. */
export function describeBackend(name: string, { publishing, newUrl, published: publishedIn }: Backends): void {
  describe(`a backend: ${name}`, () => {
    let paths: LakePaths
    let backend: Backend
    const published = (sql: string) => publishedIn(paths, sql)
    beforeEach(async () => {
      const url = await newUrl()
      const lake = { folder: newLakeDir(), ...(url === null ? {} : { catalog: url }) }
      await createEmptyLake(lake)
      paths = lakePaths(lake)
      backend = await paths.endpoint.open(paths, { waitMs: 20_000 })
    })

    test('exists once it has been created', async () => {
      expect(await paths.endpoint.exists(paths)).toBe(true)
      expect(paths.endpoint.publishesCopy).toBe(publishing === 'copies')
      const other = lakePaths({ folder: newLakeDir() })
      expect(await other.endpoint.exists(other)).toBe(false)
    })

    test('keeps what a transaction committed and nothing of a transaction that failed', async () => {
      expect(await backend.read(spent)).toEqual([])
      expect(await backend.write((session) => spend(session, 2).then(() => 'done'))).toBe('done')
      const broken = new Error('broken')
      const failing = backend.write((session) =>
        inTransaction(session, async () => {
          await session.append('chainlake', 'spent_units', [[account, 'none', 0, 7]])
          await session.run('UPDATE chainlake.spent_units SET units = units + 100')
          throw broken
        }),
      )
      await expect(failing).rejects.toBe(broken)
      // The transactions before the failure stay committed.
      const half = backend.write(async (session) => {
        await spend(session, 3)
        throw broken
      })
      await expect(half).rejects.toBe(broken)
      expect(await backend.read(spent)).toEqual([2, 3])
      await backend.write((session) => session.fold())
      expect(await backend.read(spent)).toEqual([2, 3])
    })

    test('returns integers, texts, lists, times and nulls unchanged', async () => {
      const streams = ["it's", 'ü', '']
      await backend.write((session) =>
        inTransaction(session, () =>
          session.run("INSERT INTO chainlake.run VALUES ($1, $2, 'h', 'c', $3, now(), NULL, NULL)", [
            'r',
            Number.MAX_SAFE_INTEGER,
            streams,
          ]),
        ),
      )
      const [row] = await backend.read((session) => session.rows('SELECT * FROM chainlake.run'))
      expect(row).toMatchObject({ run_id: 'r', pid: Number.MAX_SAFE_INTEGER, streams, ended: null })
      expect(Math.abs(Date.now() - row?.['started'].getTime())).toBeLessThan(60_000)
    })

    test('runs one work at a time, in the order of the calls', async () => {
      const log: string[] = []
      const work = (name: string) => async () => {
        log.push(`${name} begins`)
        await new Promise((resolve) => setTimeout(resolve, 5))
        log.push(`${name} ends`)
      }
      await Promise.all([backend.write(work('a')), backend.write(work('b')), backend.publish(work('c'))])
      expect(log).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
    })

    test('publishes what is committed', async () => {
      await backend.write((session) => spend(session, 1))
      const first = await backend.publish(async (session) => {
        await spend(session, 2)
        return spent(session)
      })
      expect(first.result).toEqual([1, 2])
      await expect(backend.publish(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
      const shown = await published('SELECT units::INT AS n FROM chainlake.spent_units ORDER BY 1')
      expect(shown.map((row) => row['n'])).toEqual([1, 2])
    })

    if (publishing === 'copies')
      test('publishes copies that later commits do not change', async () => {
        const shown = async () =>
          (await published('SELECT units::INT AS n FROM chainlake.spent_units ORDER BY 1')).map((row) => row['n'])
        await backend.write((session) => spend(session, 1))
        const first = await backend.publish(async (session) => {
          await spend(session, 2)
          return spent(session)
        })
        expect(first.result).toEqual([1, 2])
        await backend.write((session) => spend(session, 3))
        expect(await shown()).toEqual([1, 2])
        await expect(backend.publish(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
        expect(await shown()).toEqual([1, 2])
        const second = await backend.publish(async () => undefined)
        expect(second.identity).not.toBe(first.identity)
        expect(await shown()).toEqual([1, 2, 3])
      })

    test('holds a lock until it is released', async () => {
      const { locks } = backend
      expect([await locks.held(), await locks.isHeld('run-a')]).toEqual([[], false])
      const [a, b] = [await locks.take('run-a'), await locks.take('run-b')]
      await locks.removeFree()
      expect([(await locks.held()).sort(), await locks.isHeld('run-a')]).toEqual([['run-a', 'run-b'], true])
      await a.release()
      await a.release()
      expect([await locks.held(), await locks.isHeld('run-a')]).toEqual([['run-b'], false])
      await b.release()
      expect(await locks.held()).toEqual([])
    })

    test('refuses a commit if the table may have gained the same rows since the comparison', async () => {
      const committing = async (declared: Table) => {
        const catalog = await openCatalogOf(backend, paths, [declared])
        const table = declared.name
        const run = await catalog.startRun({ streams: [stream], command: 'test' })
        let sequence = 0
        const commit = (
          basis: number,
          from: number,
          to: number,
          change: (stats: LeafStats) => LeafStats = (same) => same,
        ) => {
          const part = eventsPart(run.id, from, to, sequence++)
          const path = part.path.replace('data/events/', `data/${table}/`)
          const parts = [{ ...part, table, path, stats: part.stats.map(change) }]
          return catalog.commit({ runId: run.id, stream, tables: [table], parts, progress: { kind: 'none' }, basis })
        }
        return { commit, end: () => run.end('done') }
      }
      const conflict = (latest: number, basis = 0, table = 'events') => ({
        name: 'CatalogError',
        code: 'catalog.conflict',
        retryable: true,
        details: { table, 'compared with snapshot': basis, 'latest snapshot': latest },
      })
      const rows = await committing(events)
      expect(await rows.commit(0, 0, 10)).toBe(1)
      // The largest height of the committed rows equals the smallest height of these rows.
      await expect(rows.commit(0, 9, 20)).rejects.toMatchObject(conflict(1))
      await expect(rows.commit(0, 0, 1)).rejects.toMatchObject(conflict(1))
      expect(await rows.commit(0, 10, 20)).toBe(2)
      // 9 and 10 are compared as numbers, not as text.
      expect(await rows.commit(0, 100, 110)).toBe(3)
      await expect(rows.commit(1, 15, 16)).rejects.toMatchObject(conflict(2, 1))
      expect(await rows.commit(2, 15, 16)).toBe(4)
      // The rows belong to another network, at the same height.
      const elsewhere = (leaf: LeafStats) => (leaf.fieldId === 1 ? { ...leaf, min: 'fuji', max: 'fuji' } : leaf)
      expect(await rows.commit(0, 0, 10, elsewhere)).toBe(5)
      // Without bounds, or with null values, the rows may be anywhere.
      const unbounded = (leaf: LeafStats) => (leaf.fieldId === 2 ? { ...leaf, min: null, max: null } : leaf)
      await expect(rows.commit(4, 200, 210, unbounded)).resolves.toBe(6)
      await expect(rows.commit(5, 300, 310)).rejects.toMatchObject(conflict(6, 5))
      const holey = (leaf: LeafStats) => (leaf.fieldId === 2 ? { ...leaf, nullCount: 1 } : leaf)
      expect(await rows.commit(6, 400, 410)).toBe(7)
      await expect(rows.commit(6, 500, 510, holey)).rejects.toMatchObject(conflict(7, 6))
      await rows.end()

      const versions = await committing({ ...events, name: 'changes', history: 'versions' })
      expect(await versions.commit(7, 400, 410)).toBe(8)
      await expect(versions.commit(7, 500, 510)).rejects.toMatchObject(conflict(8, 7, 'changes'))
      expect(await versions.commit(8, 500, 510)).toBe(9)
      await versions.end()
    })

    test('merges several slices of a stream in one commit with the neighboring coverage', async () => {
      const catalog = await openCatalogOf(backend, paths, tables)
      const run = await catalog.startRun({ streams: [stream], command: 'test', writes: ['events'] })
      const progress = (from: number, to: number) =>
        ({ kind: 'slice', slice: { from, to }, ends: endsOf(from, to) }) as const
      const common = { runId: run.id, stream, tables: ['events'], parts: [], basis: null }
      await catalog.commit({ ...common, progress: progress(10, 20) })
      const rows = new Map<string, number>()
      const others = [{ stream, progress: progress(20, 30), rows }]
      await catalog.commit({ ...common, progress: progress(0, 10), others })
      expect((await catalog.coverage(stream, ['events'])).get('events')).toMatchObject([{ slice: { from: 0, to: 30 } }])
      const both = { ...common, progress: progress(30, 40), others: [{ stream, progress: progress(35, 45), rows }] }
      await expect(catalog.commit(both)).rejects.toMatchObject({ code: 'catalog.overlap' })
      await run.end('done')
    })

    test('stores the catalog of a lake', async () => {
      const catalog = await openCatalogOf(backend, paths, tables)
      const run = await catalog.startRun({ streams: [stream], command: 'test', writes: ['events'] })
      const other = catalog.startRun({ streams: [stream], command: 'test' })
      await expect(other).rejects.toMatchObject({ code: 'catalog.stream-locked' })
      const part = writePart(paths.lake, eventsPart(run.id, 0, 10))
      const slice = { from: 0, to: 10 }
      const commit = {
        runId: run.id,
        stream,
        tables: ['events'],
        parts: [part],
        progress: { kind: 'slice', slice, ends: endsOf(0, 10) },
        basis: null,
      } as const
      expect(await catalog.commit(commit)).toBe(1)
      await expect(catalog.commit(commit)).rejects.toMatchObject({ code: 'catalog.overlap' })
      expect((await catalog.coverage(stream, ['events'])).get('events')).toEqual([
        { slice, ends: endsOf(0, 10), blockEnds: null, bytes: 100 },
      ])
      expect((await fileFacts(catalog)).map(({ path, sha256 }) => [path, sha256])).toEqual([[part.path, part.sha256]])
      const { files } = await catalog.publishCopy()
      expect(files.tables.find(({ name }) => name === 'events')?.files).toMatchObject([{ path: part.path, rows: 10 }])
      const [path] = await published("SELECT value FROM main.ducklake_metadata WHERE key = 'data_path'")
      expect(path).toEqual({ value: `${join(paths.lake, 'data')}/` })
      await run.end('done')
      // The stream of the run is free, and its files are complete.
      const next = await catalog.startRun({ streams: [stream], command: 'test', writes: ['events'] })
      expect(next.recovery).toEqual({ died: [], removed: [], unknown: [], restarted: [] })
      await next.end('done')
      expect((await catalog.status()).streams[0]?.lastRun).toMatchObject({ id: next.id, state: 'done' })
    })
  })
}
