import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { month, t, table } from '../../../src/define/index.ts'
import { newRows } from '../../../src/run/rows/commit-batch.ts'
import { openFolderStore } from '../../../src/store/folder-store.ts'
import { createParquetThread, type ParquetThread } from '../../../src/write/parquet-thread.ts'
import { runs } from '../../runs.ts'
import { query } from '../../write/duckdb.ts'
import { newLake } from '../lake-run.ts'

const events = table({
  name: 'events',
  comment: 'For tests.',
  key: ['number'],
  sortBy: ['number'],
  partitionBy: [month('block_time')],
  columns: {
    number: t.int64('Number.'),
    block_time: t.timestamp('Time.', { nullable: true }),
    bytes: t.blob('Bytes.'),
  },
})

const times = [null, BigInt(Date.UTC(2024, 0, 5)) * 1000n, BigInt(Date.UTC(2024, 1, 5)) * 1000n]
/** One or two of these rows fill a batch. */
const large = new Uint8Array(1_100_000)
const small = new Uint8Array(10)

let thread: ParquetThread
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(() => thread.close())

type Step = { readonly time: number; readonly isLarge: boolean; readonly flush: boolean }

/** Writes one row for each step and reads the numbers back, partition by partition in the order of the parts. */
async function readBack(steps: readonly Step[]): Promise<Map<number, number[]>> {
  const lake = newLake()
  let parts = 0
  const run = { thread, store: openFolderStore(lake), runId: 'test', nextPart: () => parts++ }
  const writer = newRows({ run, tables: [events], from: 0 })
  const add = writer.adder('events')
  for (const [number, { time, isLarge, flush }] of steps.entries()) {
    add([{ number, block_time: times[time]!, bytes: isLarge ? large : small }])
    if (flush) await writer.relieve()
  }
  const found = new Map<number, number[]>()
  for (const { path } of await writer.finish())
    for (const row of await query(`select number from read_parquet('${join(lake, path)}')`)) {
      const number = Number(row['number'])
      const { time } = steps[number]!
      found.set(time, [...(found.get(time) ?? []), number])
    }
  return found
}

function expected(steps: readonly Step[]): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (const [number, { time }] of steps.entries()) found.set(time, [...(found.get(time) ?? []), number])
  return found
}

/** Full batches of two partitions in turn, then remaining rows of the first one. */
const comesBack: Step[] = [1, 1, 2, 2, 1, 1, 1].map((time, at) => ({ time, isLarge: at < 6, flush: at === 6 }))

test('rows of a partition keep their order, however partitions alternate and batches fill', async () => {
  const step = fc.record({
    time: fc.nat({ max: 2 }),
    isLarge: fc.boolean(),
    flush: fc.nat({ max: 5 }).map((n) => n === 0),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
      expect(new Map([...(await readBack(steps))].sort())).toEqual(new Map([...expected(steps)].sort()))
    }),
    { numRuns: runs(40), seed: 1, examples: [[comesBack]] },
  )
})
