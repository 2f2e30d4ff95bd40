import { expect, test, vi } from 'vitest'
import { t, table } from '../../src/define/index.ts'
import { createParquetThread } from '../../src/write/parquet-thread.ts'
import { lakeFolder } from './lake-folder.ts'
import { writeRows } from './write-rows.ts'

const workers = vi.hoisted(() => ({ started: 0 }))
vi.mock(import('node:worker_threads'), async (original) => {
  const actual = await original()
  const Worker = new Proxy(actual.Worker, {
    construct: (target, args) => {
      workers.started++
      return Reflect.construct(target, args) as object
    },
  })
  return { ...actual, Worker }
})

const lake = lakeFolder()

/** The encoder uses 1 MiB of memory for each of these columns. */
const names = Array.from({ length: 100 }, (_, i) => `time_${i}`)
const declared = { comment: 'For tests.', key: [], sortBy: [], partitionBy: [] }
const times = table({
  ...declared,
  name: 'times',
  columns: Object.fromEntries(names.map((name) => [name, t.timestamp('Time.')])),
})
const few = table({ ...declared, name: 'few', columns: { time: t.timestamp('Time.') } })

test('an encoder that has grown is replaced between jobs, only while no part is open', async () => {
  const thread = createParquetThread()
  const write = (file: string) =>
    writeRows(thread, lake.path(file), times, [Object.fromEntries(names.map((name) => [name, 1n]))])
  try {
    await writeRows(thread, lake.path('few.parquet'), few, [{ time: 1n }])
    thread.renew()
    expect(workers.started).toBe(1)
    expect((await write('a.parquet')).rows).toBe(1)
    const open = thread.openPart(lake.store(), 'open.parquet', few)
    thread.renew()
    expect(workers.started).toBe(1)
    await open.abort()
    thread.renew()
    thread.renew()
    expect(workers.started).toBe(1)
    expect((await write('b.parquet')).rows).toBe(1)
    expect(workers.started).toBe(2)
  } finally {
    await thread.close()
  }
})
