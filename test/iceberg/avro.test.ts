import { avroMetadata, avroRead } from 'icebird'
import { expect, test } from 'vitest'
import { loadAvro, manifestListSchema } from '../../src/iceberg/manifest.ts'

test('a missing package is reported with its name and a hint', () => {
  expect(() => loadAvro('avsc-that-is-not-there')).toThrow(
    expect.objectContaining({
      code: 'package.missing',
      exitCode: 2,
      hint: expect.stringContaining('npm install avsc@'),
    }),
  )
})

test('another reader finds the Iceberg field ids and the metadata in a file', async () => {
  const avro = loadAvro()
  const manifest = {
    manifest_path: 'file:///a',
    manifest_length: 2 ** 40,
    partition_spec_id: 0,
    content: 0,
    sequence_number: 1,
    min_sequence_number: 1,
    added_snapshot_id: 2 ** 52 - 1,
    added_files_count: 1,
    existing_files_count: 0,
    deleted_files_count: 0,
    added_rows_count: 3,
    existing_rows_count: 0,
    deleted_rows_count: 0,
    partitions: [{ contains_null: true, contains_nan: false, lower_bound: Buffer.from('a'), upper_bound: null }],
  }
  const many = Array.from({ length: 5000 }, (_, at) => ({ ...manifest, manifest_path: `file:///${at}` }))
  const file = await avro.write(manifestListSchema, { 'format-version': '2', 'snapshot-id': '7' }, many)
  const reader = { view: new DataView(new Uint8Array(file).buffer), offset: 0 }
  const { metadata, syncMarker } = avroMetadata(reader)
  expect(metadata).toMatchObject({ 'format-version': '2', 'snapshot-id': '7', 'avro.codec': 'deflate' })
  expect(JSON.stringify(metadata['avro.schema'])).toContain('"field-id":507')
  const rows = await avroRead({ reader, metadata, syncMarker })
  expect(rows.length).toBe(5000)
  expect(rows[4999]).toMatchObject({
    manifest_path: 'file:///4999',
    manifest_length: 2n ** 40n,
    added_snapshot_id: 2n ** 52n - 1n,
    partitions: [{ contains_null: true, lower_bound: new Uint8Array([97]), upper_bound: undefined }],
  })
  expect((await avro.read(file)).length).toBe(5000)
})
