import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { committedLake, failureOf, runOver } from '../catalog/committed-lake.ts'
import { eventsPart, writePart } from '../catalog/lake.ts'
import { sql } from '../catalog/sql.ts'
import { entriesOf, folderOf, manifestsOf, metadataOf, pathsOf, publish } from './iceberg-table.ts'

const bounds = (pairs: readonly { key: number; value: Uint8Array }[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Buffer.from(value).toString('hex')]))

describe('a first publication', () => {
  test('lists the files of the catalog with partitions and statistics, which another library can read', async () => {
    const { lake, parts } = await committedLake(2)
    const summary = await publish(lake)
    expect(summary).toMatchObject({
      schema: 'chainlake.iceberg.v1',
      snapshotId: 2,
      location: `file://${lake}`,
      tables: [
        { table: 'events', metadata: 'iceberg/events/metadata/v1.metadata.json', snapshotId: 2, rows: 20, files: 2 },
      ],
      changed: [{ table: 'events', addedFiles: 2, removedFiles: 0 }],
    })
    const metadata = metadataOf(lake)
    const [snapshot] = metadata.snapshots
    expect(metadata).toMatchObject({
      'format-version': 2,
      location: `file://${lake}/iceberg/events`,
      'last-column-id': 9,
      'last-sequence-number': 1,
      'current-snapshot-id': snapshot?.['snapshot-id'],
      properties: { 'gc.enabled': 'false' },
    })
    expect(snapshot?.summary).toMatchObject({
      operation: 'append',
      'added-records': '20',
      'total-data-files': '2',
      'chainlake.snapshot-id': '2',
      'chainlake.lake-id': summary.lakeId,
    })
    const entries = await entriesOf(lake, snapshot!)
    expect(pathsOf(entries)).toEqual(parts.map(({ path }) => `file://${lake}/${path}`))
    expect(entries[1]).toMatchObject({ status: 1, sequence_number: 1n, snapshot_id: BigInt(snapshot!['snapshot-id']) })
    const file = entries[1]?.['data_file']
    expect(file).toMatchObject({
      file_format: 'PARQUET',
      record_count: 10n,
      file_size_in_bytes: 100n,
      partition: { network: 'local', block_time_month: 682 },
    })
    const counts = (pairs: readonly { key: number; value: bigint }[]) => pairs.map(({ key, value }) => [key, value])
    // The items of a list (6) only have a size, because a single item is not a value of a row.
    expect(counts(file.column_sizes)).toEqual([1, 2, 3, 4, 6, 8, 9].map((id) => [id, 10n]))
    expect(counts(file.value_counts)).toEqual([1, 2, 3, 4, 8, 9].map((id) => [id, 10n]))
    expect(counts(file.null_value_counts)).toEqual([1, 2, 3, 4, 8, 9].map((id) => [id, id === 8 ? 10n : 0n]))
    expect(bounds(file.lower_bounds)).toMatchObject({ 1: '6c6f63616c', 2: '0a00000000000000', 4: '00', 9: '01' })
    expect(bounds(file.upper_bounds)).toMatchObject({ 2: '1300000000000000', 4: '0a', 9: '00ffffffffffffffff' })
    expect(Object.keys(bounds(file.lower_bounds))).toEqual(['1', '2', '3', '4', '9'])
    const [manifest] = await manifestsOf(lake, snapshot!)
    expect(manifest).toMatchObject({
      added_files_count: 2,
      added_rows_count: 20n,
      manifest_length: BigInt(readFileSync(join(folderOf(lake), basename(manifest?.['manifest_path']))).length),
      partitions: [{ contains_null: false, lower_bound: new TextEncoder().encode('local') }, { contains_null: false }],
    })
  })

  test('of an empty lake publishes no tables and creates no folder', async () => {
    const { lake } = await committedLake(0)
    expect(await publish(lake)).toMatchObject({ tables: [], changed: [] })
    expect(existsSync(join(lake, 'iceberg'))).toBe(false)
  })
})

describe('a later publication', () => {
  test('without new files writes nothing', async () => {
    const { lake } = await committedLake(1)
    await publish(lake)
    const before = readdirSync(folderOf(lake))
    expect(await publish(lake)).toMatchObject({
      changed: [],
      unchanged: ['events'],
      tables: [{ version: 1, snapshotId: 1 }],
    })
    expect(readdirSync(folderOf(lake))).toEqual(before)
  })

  test('reuses the earlier manifests and names the earlier snapshot as its parent', async () => {
    const { lake, catalog } = await committedLake(2)
    await publish(lake)
    await runOver({ lake, catalog }, 20, 1)
    await publish(lake)
    const { snapshots, 'metadata-log': log, ...metadata } = metadataOf(lake)
    const [first, second] = snapshots
    expect(second?.['parent-snapshot-id']).toBe(first?.['snapshot-id'])
    expect(second?.['timestamp-ms']).toBeGreaterThan(first?.['timestamp-ms'] ?? 0)
    expect(second?.summary).toMatchObject({ operation: 'append', 'added-records': '10', 'total-records': '30' })
    expect(metadata['last-sequence-number']).toBe(2)
    expect(log.map((each) => basename(each['metadata-file']))).toEqual(['v1.metadata.json'])
    const [kept, added] = await manifestsOf(lake, second!)
    expect(kept).toEqual((await manifestsOf(lake, first!))[0])
    expect(added).toMatchObject({ added_files_count: 1, sequence_number: 2n })
    expect(pathsOf(await entriesOf(lake, first!)).length).toBe(2)
    expect(pathsOf(await entriesOf(lake, second!)).length).toBe(3)
  })

  test('marks replaced files as deleted, and later snapshots omit them', async () => {
    const { lake, catalog } = await committedLake(3)
    await publish(lake)
    const run = await catalog.startRun({ streams: [], command: 'compact' })
    const options = { table: 'events', below: 1_000_000, upTo: 3, columns: ['height'] }
    const small = (await catalog.compaction.smallFiles(options)).files.slice(0, 2)
    const part = writePart(lake, eventsPart(run.id, 0, 20))
    const files = small.map(({ id }) => id)
    await catalog.compaction.replace({ runId: run.id, table: 'events', files, parts: [part], level: 1 })
    await run.end('done')
    expect(await publish(lake)).toMatchObject({ changed: [{ addedFiles: 1, removedFiles: 2 }] })
    const [, second] = metadataOf(lake).snapshots
    expect(second?.summary).toMatchObject({
      operation: 'overwrite',
      'added-records': '20',
      'deleted-records': '20',
      'total-data-files': '2',
    })
    const entries = await entriesOf(lake, second!)
    expect(entries.map(({ status }) => status).sort()).toEqual([0, 1, 2, 2])
    expect(entries.find(({ status }) => status === 0)).toMatchObject({ sequence_number: 1n, file_sequence_number: 1n })
    await runOver({ lake, catalog }, 30, 1)
    await publish(lake)
    const third = metadataOf(lake).snapshots.at(-1)
    expect(third?.summary).toMatchObject({ operation: 'append', 'total-data-files': '3' })
    expect(pathsOf(await entriesOf(lake, third!)).length).toBe(3)
  })

  test('of a lake with another location lists all files again, under the same table id', async () => {
    const { lake } = await committedLake(2)
    await publish(lake)
    const { 'table-uuid': uuid } = metadataOf(lake)
    await publish(lake, { location: 's3://bucket/lake' })
    const { snapshots, ...metadata } = metadataOf(lake)
    expect(metadata).toMatchObject({ 'table-uuid': uuid, location: 's3://bucket/lake/iceberg/events' })
    expect(snapshots.length).toBe(1)
    expect(snapshots[0]?.['manifest-list']).toMatch(/^s3:\/\/bucket\/lake\/iceberg\/events\/metadata\/snap-/)
    for (const path of pathsOf(await entriesOf(lake, snapshots[0]!)))
      expect(path).toMatch(/^s3:\/\/bucket\/lake\/data\//)
    // The location stays the same.
    expect(await publish(lake)).toMatchObject({ changed: [], location: 's3://bucket/lake' })
  })

  test('forgets snapshots that the catalog has forgotten', async () => {
    const { lake, catalog } = await committedLake(1)
    await publish(lake)
    await runOver({ lake, catalog }, 10, 1)
    await publish(lake)
    expect(metadataOf(lake).snapshots.length).toBe(2)
    await sql(lake, 'DELETE FROM main.ducklake_snapshot WHERE snapshot_id < 2')
    expect(await publish(lake)).toMatchObject({ changed: [{ addedFiles: 0, removedFiles: 0 }] })
    expect(metadataOf(lake)).toMatchObject({ 'last-sequence-number': 2, snapshots: [{ 'sequence-number': 2 }] })
    expect(await publish(lake)).toMatchObject({ changed: [] })
  })
})

describe('a publication after a process that died', () => {
  test('removes its leftover files and corrects a stale version hint', async () => {
    const { lake, catalog } = await committedLake(1)
    await publish(lake)
    writeFileSync(join(folderOf(lake), '.draft.metadata.json'), '')
    writeFileSync(join(lake, 'iceberg/.publication.json.4711'), '')
    writeFileSync(join(folderOf(lake), 'of-a-dead-one-m0.avro'), 'x')
    await runOver({ lake, catalog }, 10, 1)
    await publish(lake)
    expect(readdirSync(folderOf(lake)).filter((name) => name.includes('dead') || name.startsWith('.'))).toEqual([])
    writeFileSync(join(folderOf(lake), 'version-hint.text'), '1')
    expect(await publish(lake)).toMatchObject({ changed: [] })
    expect(readFileSync(join(folderOf(lake), 'version-hint.text'), 'utf8')).toBe('2')
    expect(readdirSync(join(lake, 'iceberg'))).not.toContain('.publication.json.4711')
  })
})

describe('a publication', () => {
  test('fails without a lake, for unknown tables and for views', async () => {
    const { lake } = await committedLake(1)
    expect(await failureOf(publish(`${lake}-none`))).toMatchObject({ code: 'lake.missing', exitCode: 2 })
    expect(await failureOf(publish(lake, { tables: ['event'] }))).toMatchObject({
      code: 'iceberg.table',
      exitCode: 2,
      details: { 'the lake has': 'events' },
    })
    expect(await failureOf(publish(lake, { tables: ['p_utxos'] }))).toMatchObject({ code: 'iceberg.view', exitCode: 2 })
    expect(existsSync(join(lake, 'iceberg'))).toBe(false)
  })

  test('fails during another publication, and on foreign or unreadable metadata', async () => {
    const { lake, catalog } = await committedLake(1)
    await publish(lake)
    const run = await catalog.startRun({ streams: [], command: 'publish iceberg' })
    expect(await failureOf(publish(lake))).toMatchObject({ code: 'catalog.work-locked', exitCode: 5 })
    await run.end('done')
    const path = join(folderOf(lake), 'v2.metadata.json')
    writeFileSync(path, JSON.stringify({ ...metadataOf(lake), properties: {} }))
    expect(await failureOf(publish(lake))).toMatchObject({ code: 'iceberg.foreign', exitCode: 5 })
    writeFileSync(path, '{')
    expect(await failureOf(publish(lake))).toMatchObject({ code: 'iceberg.unreadable', exitCode: 5 })
    rmSync(folderOf(lake), { recursive: true })
    expect(await publish(lake)).toMatchObject({ tables: [{ version: 1 }] })
  })

  test('fails and writes nothing when the catalog has a column of a type that chainlake does not write', async () => {
    const { lake } = await committedLake(1)
    await sql(lake, "UPDATE main.ducklake_column SET column_type = 'uint64' WHERE column_name = 'height'")
    expect(await failureOf(publish(lake))).toMatchObject({
      code: 'catalog.column-type',
      exitCode: 5,
      details: { table: 'events', column: 'height', type: 'uint64' },
    })
    expect(existsSync(join(lake, 'iceberg'))).toBe(false)
  })

  test('fails when its folder cannot be written', async () => {
    const { lake } = await committedLake(1)
    mkdirSync(lake, { recursive: true })
    writeFileSync(join(lake, 'iceberg'), '')
    expect(await failureOf(publish(lake))).toMatchObject({ exitCode: 5, code: 'storage.not-a-folder' })
  })
})
