import { expect, test } from 'vitest'
import { createLake } from '../../src/catalog/catalog.ts'
import { endsOf, eventsPart, newLakeDir, stream, tables } from './lake.ts'

test('a commit makes files and coverage visible together', async () => {
  const catalog = await createLake(newLakeDir(), tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  for (const [from, to] of [
    [0, 10],
    [10, 30],
  ] as const)
    await catalog.commit({
      runId: run.id,
      stream,
      slice: { from, to },
      tables: ['events', 'names'],
      parts: [eventsPart(run.id, from, to)],
      ends: endsOf(from, to),
    })
  await run.end('done')
  const files = await catalog.files()
  expect(files.snapshotId).toBe(2)
  expect(files.tables.map((table) => [table.name, table.files.length])).toEqual([
    ['events', 2],
    ['names', 0],
  ])
  expect(await catalog.coverage(stream, ['events'])).toEqual(
    new Map([['events', [{ slice: { from: 0, to: 30 }, ends: endsOf(0, 30) }]]]),
  )
})
