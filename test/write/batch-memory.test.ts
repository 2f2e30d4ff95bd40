import { expect, test } from 'vitest'
import { createBatcher } from '../../src/batch/batcher.ts'
import { t, table } from '../../src/define/index.ts'
import { createParquetThread } from '../../src/write/parquet-thread.ts'
import { lakeFolder } from './lake-folder.ts'

const lake = lakeFolder()

const blobs = table({
  name: 'blobs',
  comment: 'For tests.',
  key: [],
  sortBy: [],
  partitionBy: [],
  rowGroup: 'raw',
  columns: { bytes: t.blob('Bytes.') },
})

test('batches reuse the memory of batches that the thread has encoded', async () => {
  const thread = createParquetThread()
  let made = 0
  let batches = 0
  const buffers = {
    take(bytes: number): ArrayBuffer {
      const buffer = thread.buffers.take(bytes)
      batches++
      // An IPC stream begins with four bytes 0xff. Only reused memory has them before the new batch is written.
      if (new Uint32Array(buffer, 0, 1)[0] !== 0xffffffff) made++
      return buffer
    },
  }
  try {
    const part = thread.openPart(lake.store(), 'blobs.parquet', blobs)
    const batcher = createBatcher(blobs, { buffers })
    const bytes = new Uint8Array(64 * 1024)
    for (let row = 0; row < 640; row++) {
      const batch = batcher.append({ bytes: bytes.fill(row) })
      if (batch !== null) await part.write(batch.ipc)
    }
    for (const batch of batcher.drain()) await part.write(batch.ipc)
    expect((await part.finish()).rows).toBe(640)
  } finally {
    await thread.close()
  }
  expect(batches).toBeGreaterThanOrEqual(38)
  expect(made).toBeLessThanOrEqual(10)
})
