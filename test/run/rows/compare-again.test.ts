import { afterAll, expect, test } from 'vitest'
import { openLookup } from '../../../src/lookup/lookup.ts'
import { versionHashes } from '../../../src/lookup/row-identity.ts'
import type { Part, Stream } from '../../../src/model.ts'
import { commitBatch, finishBatch, newRows } from '../../../src/run/rows/commit-batch.ts'
import { createListBatch } from '../../../src/run/rows/list-batch.ts'
import { openFolderStore } from '../../../src/store/folder-store.ts'
import { createParquetThread } from '../../../src/write/parquet-thread.ts'
import { createLake } from '../../catalog/lake.ts'
import { newItemLake, rowsOf, versions } from '../lists/item-lake.ts'

const thread = createParquetThread()
afterAll(() => thread.close())

const streams = ['one', 'other'].map((path): Stream => ({ network: 'test', path, parameters: {} }))
const hashed = versionHashes({ versions })

/** An item as an observation saw it, at a second of 1970. */
function version(item_id: string, item_time: number, second: number) {
  const seen = { observation_id: `o${second}`, observed_at: BigInt(second) * 1_000_000n, present: true }
  const row = { network: 'test', item_id, item_time, ...seen, version_hash: '' }
  return hashed({ versions: [row] })['versions']![0] as typeof row
}

/** A lake with what two runs need that fill the table of versions. */
async function openVersions() {
  const lake = newItemLake()
  const catalog = await createLake({ folder: lake }, [versions])
  const store = openFolderStore(lake)
  const { id: runId } = await catalog.startRun({ streams, command: 'test' })
  const lookup = openLookup(lake, runId)
  let sequence = 0
  const run = {
    ...{
      catalog,
      store,
      thread,
      lookup,
      runId,
      stop: new AbortController().signal,
      nextPart: () => sequence++,
      job: 'test',
    },
    written: () => undefined,
    emit: () => undefined,
    afterCommit: async () => undefined,
  }
  /** Rows that were compared with the lake, in files that no commit has. */
  const batchOf = async (stream: Stream, rows: ReturnType<typeof version>[]) => {
    const unit = createListBatch(run, { versions })
    unit.add({ versions: rows })
    const progress = { kind: 'none' } as const
    return finishBatch(unit, { runId, tables: [versions.name] }, [{ stream, progress }])
  }
  const commit = async (stream: Stream, rows: ReturnType<typeof version>[]) =>
    commitBatch(run, await batchOf(stream, rows))
  return { lake, run, batchOf, commit, close: () => lookup.close() }
}

/** Merges all files of the table into one, as compaction does. */
async function compact({ lake, run }: Awaited<ReturnType<typeof openVersions>>): Promise<void> {
  const { catalog, runId } = run
  const { files } = await catalog.compaction.smallFiles({
    ...{ table: versions.name, below: 1_000_000, upTo: 3, columns: ['item_time'] },
  })
  const writer = newRows({ run, tables: [versions], from: 0 })
  writer.adder(versions.name)(await rowsOf(lake, versions))
  const parts: readonly Part[] = await writer.finish()
  const replacement = { runId, table: versions.name, files: files.map(({ id }) => id), parts, level: 1 }
  await catalog.compaction.replace(replacement)
}

const stored = async (lake: string) =>
  ((await rowsOf(lake, versions)) as ReturnType<typeof version>[])
    .map(({ item_id, item_time }) => `${item_id} ${item_time}`)
    .sort()

test('a commit compares again after a compaction and another commit: earlier versions of a row are no reason to drop a new one', async () => {
  const opened = await openVersions()
  const [one, other] = streams as [Stream, Stream]
  await opened.commit(one, [version('a', 1, 1)])
  await opened.commit(one, [version('b', 1, 1)])
  const batch = await opened.batchOf(one, [version('a', 2, 2)])
  await compact(opened)
  await opened.commit(other, [version('c', 1, 2)])
  await commitBatch(opened.run, batch)
  expect(await stored(opened.lake)).toEqual(['a 1', 'a 2', 'b 1', 'c 1'])
  await opened.close()
})

test('a commit leaves out rows that another commit has stored since they were compared, and counts them as known', async () => {
  const opened = await openVersions()
  const [one, other] = streams as [Stream, Stream]
  await opened.commit(one, [version('z', 1, 1)])
  const batch = await opened.batchOf(one, [version('a', 1, 2), version('b', 1, 2)])
  await opened.commit(other, [version('a', 1, 3)])
  await commitBatch(opened.run, batch)
  expect(await stored(opened.lake)).toEqual(['a 1', 'b 1', 'z 1'])
  // Nothing is left of a batch that another commit has stored as a whole.
  const whole = await opened.batchOf(one, [version('c', 1, 4)])
  await opened.commit(other, [version('c', 1, 5)])
  await commitBatch(opened.run, whole)
  expect(await stored(opened.lake)).toEqual(['a 1', 'b 1', 'c 1', 'z 1'])
  const counts = await opened.run.catalog.status()
  expect(counts.streams.find(({ stream }) => stream === 'test/one')?.tables).toMatchObject([{ rows: 2 }])
  await opened.close()
})
