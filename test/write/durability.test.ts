import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createBatcher } from '../../src/batch/batcher.ts'
import { t, table } from '../../src/define/index.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { lakeFolder } from './lake-folder.ts'

const steps: string[] = []
vi.mock(import('../../src/lib/step.ts'), async (original) => ({
  ...(await original()),
  reachStep: (name) => {
    steps.push(name)
  },
}))

const lake = lakeFolder()
let thread: ParquetThread
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(() => thread.close())
beforeEach(() => {
  steps.length = 0
})

const numbers = table({
  name: 'numbers',
  comment: 'For tests.',
  key: [],
  sortBy: [],
  partitionBy: [],
  columns: { number: t.int64('Number.') },
})

test('a part reaches its steps in order', async () => {
  const part = thread.openPart(lake.store(), 'steps/a.parquet', numbers)
  for (let number = 0; number < 2; number++) {
    const batcher = createBatcher(numbers)
    batcher.append({ number })
    await part.write(batcher.drain()[0]!.ipc)
  }
  await part.finish()
  expect(steps).toEqual([
    'write.before-open',
    'write.after-open',
    'write.after-batch',
    'write.after-batch',
    'write.before-fsync',
    'write.between-fsyncs',
    'write.after-fsync',
  ])
})

test('several parts are written at the same time, even when the queue of batches is full', async () => {
  const parts = Array.from({ length: 6 }, (_, i) => thread.openPart(lake.store(), `many/${i}.parquet`, numbers))
  const writes = parts.map(async (part, i) => {
    const batcher = createBatcher(numbers)
    for (let number = 0; number < 500_000; number++) {
      const batch = batcher.append({ number: number * (i + 1) })
      if (batch !== null) await part.write(batch.ipc)
    }
    for (const batch of batcher.drain()) await part.write(batch.ipc)
    return part.finish()
  })
  const finished = await Promise.all(writes)
  expect(finished.map(({ rows, stats }) => [rows, stats[0]?.max])).toEqual(
    parts.map((_, i) => [500_000, String(499_999 * (i + 1))]),
  )
})
